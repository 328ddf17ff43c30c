"""What evidence is read from: tables over items, fitted on lives and pure afterwards."""

from __future__ import annotations

import msgspec
import numpy as np

from audience.grounding._counting import (
    Ordered,
    Table,
    followed,
    lifts,
    linear,
    ordered,
    padded,
    places_of,
    together,
)
from audience.grounding.lives import Lives
from audience.recommenders.matrix import one_thread
from audience.world.items import Catalogue
from audience.world.rng import Bools, Floats, Ints

REGULARISATION = 1000.0
"""Of the weights over whole lives."""
WINDOW_REGULARISATION = 20.0
"""Of the weights over what is lived close together."""
FADING = 0.9
NEAR, FAR = 10, 30
"""Places that steps reach, counted as 1/d and as 1/sqrt(d)."""
DOUBTS = (5.0, 10.0, 20.0, 20.0)
STAGES = 11
"""Stages of a life: by powers of two of what was lived before."""
END = 10
"""The last items of a life that count as its end."""


class Tables(msgspec.Struct, frozen=True, eq=False):
    """One entry for each item that has a place, and one more for all the others.

    `places`, `tags` and `year` have one for each item of the catalogue, and one for later ones.
    """

    places: Ints
    log_count: Floats
    share: Floats
    linear: Table
    window: Table
    cosine: Table
    steps: tuple[Table, Table, Table, Table]
    """Log lifts: what follows within NEAR places, what is within; the same for FAR."""
    stage: Floats
    """[stages, items]: log lift of an item at a stage of a life."""
    moment: Floats
    """Mean logarithm of what people had lived before the item."""
    ending: Floats
    """Log lift of an item at the end of lives."""
    tags: Bools
    rarity: Floats
    """Of each tag."""
    year: Floats
    """NaN where unknown."""


def stage_of(lived: Ints) -> Ints:
    """Return the stage of a life after so many items."""
    stage: Ints = np.minimum(np.log2(1.0 + lived).astype(np.int64), STAGES - 1)
    return stage


def fit_tables(lives: Lives) -> Tables:
    """Return the tables of a training part."""
    places, known = places_of(lives)
    rows = ordered(lives, places, known)
    counts = np.bincount(rows.places, minlength=known + 1).astype(np.float64)
    shares = (counts + 1.0) / (counts.sum() + known + 1.0)
    with one_thread():
        both = together(rows)
        whole = linear(both, REGULARISATION)
        roots = np.sqrt(counts[:known] + 1.0).astype(np.float32)
        both /= roots[:, None]
        both /= roots[None, :]
        np.fill_diagonal(both, 0.0)
        near, far, window = _steps(rows, counts[:known])
    distinct = shares[:known]
    steps = (
        lifts(near, distinct, DOUBTS[0]),
        lifts(near + near.T, distinct, DOUBTS[1]),
        lifts(far, distinct, DOUBTS[2]),
        lifts(far + far.T, distinct, DOUBTS[3]),
    )
    stage, moment, ending = _lifetime(rows, shares)
    tags, rarity, year = _contents(lives.catalogue)
    return Tables(
        places=np.append(places, known),
        log_count=np.log1p(counts),
        share=shares,
        linear=whole,
        window=window,
        cosine=padded(both),
        steps=steps,
        stage=stage,
        moment=moment,
        ending=ending,
        tags=tags,
        rarity=rarity,
        year=year,
    )


def _steps(rows: Ordered, counts: Floats) -> tuple[Table, Table, Table]:
    distances = np.arange(1.0, FAR + 1.0)
    weights = [1.0 / distances[:NEAR], 1.0 / np.sqrt(distances), FADING**distances]
    near, far, fading = followed(rows, weights)
    fading += fading.T.copy()
    fading[np.arange(rows.known), np.arange(rows.known)] += counts.astype(np.float32)
    return near, far, linear(fading, WINDOW_REGULARISATION)


def _lifetime(rows: Ordered, shares: Floats) -> tuple[Floats, Floats, Floats]:
    size = rows.known + 1
    stages = stage_of(rows.positions)
    table = np.bincount(stages * size + rows.places, minlength=STAGES * size)
    stage = _lift(table.reshape(STAGES, size).astype(np.float64), shares, 30.0)
    sums = np.bincount(rows.places, np.log1p(rows.positions), size)
    moment = sums / np.maximum(np.bincount(rows.places, minlength=size), 1)
    lived = np.bincount(rows.users, minlength=rows.people)[rows.users]
    last = (rows.positions >= lived - END) & (rows.positions >= END)
    ends = np.bincount(rows.places[last], minlength=size).astype(np.float64)
    return stage, moment, _lift(ends[None, :], shares, 300.0)[0]


def _lift(counts: Floats, shares: Floats, doubt: float) -> Floats:
    found = (counts + doubt * shares) / (counts.sum(axis=1, keepdims=True) + doubt)
    logs: Floats = np.log(found / shares)
    logs[:, -1] = 0.0
    return logs


def _contents(catalogue: Catalogue) -> tuple[Bools, Floats, Floats]:
    tags: Bools = np.pad(catalogue.weights > 0.0, ((0, 1), (0, 0)))
    rarity = np.log(max(len(catalogue), 1) / np.maximum(tags.sum(axis=0), 1))
    years = [np.nan if item.year is None else float(item.year) for item in catalogue.items]
    return tags, rarity, np.array([*years, np.nan], np.float64)
