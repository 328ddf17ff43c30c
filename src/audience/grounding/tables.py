"""Statistics of a training part, by item and by pairs of items."""

from __future__ import annotations

import msgspec
import numpy as np

from audience.grounding.lives import Lives, OrderedLives, ordered, places_of
from audience.grounding.pairs import (
    RareCounts,
    RarePairs,
    Table,
    followed,
    lifts,
    linear,
    padded,
    rare_counts,
    together,
)
from audience.recommenders import one_thread
from audience.world import Bools, Catalogue, Floats, Ints

REGULARISATION = 1000.0
"""Regularisation of the weights over whole histories."""
BROADLY, NARROWLY = 5000.0, 150.0
"""The same for weights that lean on more pairs, and on fewer."""
WINDOW_REGULARISATION = 20.0
"""Regularisation of the weights over neighbouring items."""
FADING = 0.9
NEAR, FAR = 10, 30
"""Reach of transitions, weighted by 1/d and by 1/sqrt(d)."""
DOUBTS = (5.0, 10.0, 20.0, 20.0)
STAGES = 11
"""Stages of a history, by powers of two of its length."""
END = 10
"""The last items of a history that count as its end."""


LINEAR, WINDOW, COSINE, NEXT, BESIDE, LATER, AROUND, BROAD, NARROW = range(9)
"""Tables of pairs: EASE weights over whole histories and over neighbouring items, cosines, and log
lifts: what follows within NEAR places, what is within; the same for FAR. Then EASE weights of
higher and of lower regularisation.
"""


class EvidenceTables(msgspec.Struct, frozen=True, eq=False):
    """One entry for each item of the catalogue, and one more for later ones."""

    places: Ints
    """In the dense tables of pairs; those without one have the last."""
    width: int
    """Of a dense table."""
    log_count: Floats
    share: Floats
    pairs: tuple[Table, ...]
    rare: RarePairs | None
    """Pairs of which one has no place in the dense tables; None where all have one."""
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


Steps = tuple[Table, Table, Table, Table]
"""For what follows near, what is near, what follows far, and what is far."""


def stage_of(lived: Ints) -> Ints:
    """Return the stage of a history after so many items."""
    stage: Ints = np.minimum(np.log2(1.0 + lived).astype(np.int64), STAGES - 1)
    return stage


def fit_tables(lives: Lives) -> EvidenceTables:
    """Return the tables of a training part."""
    places, known = places_of(lives)
    rows = ordered(lives, places, known)
    items = len(lives.catalogue)
    counts = np.bincount(lives.items, minlength=items + 1).astype(np.float64)
    shares = (counts + 1.0) / (counts.sum() + (counts > 0).sum() + 1.0)
    distances = np.arange(1.0, FAR + 1.0)
    weights = [1.0 / distances[:NEAR], 1.0 / np.sqrt(distances), FADING**distances]
    rare = rare_counts(rows, items, weights)
    elsewhere = _row_sums(rare, items)
    pairs, sums = _dense(rows, counts[:-1], shares[:-1], weights, elsewhere)
    stage, moment, ending = _lifetime(rows, counts, shares)
    tags, rarity, year = _contents(lives.catalogue)
    return EvidenceTables(
        places=np.append(places, known),
        width=known + 1,
        log_count=np.log1p(counts),
        share=shares,
        pairs=pairs,
        rare=None if rare is None else _rare(rare, places, counts, shares, sums),
        stage=stage,
        moment=moment,
        ending=ending,
        tags=tags,
        rarity=rarity,
        year=year,
    )


def _dense(
    rows: OrderedLives,
    counts: Floats,
    shares: Floats,
    weights: list[Floats],
    elsewhere: list[Floats] | None,
) -> tuple[tuple[Table, ...], list[Floats]]:
    """Return the dense tables, and how much each common item is followed by common ones."""
    common = np.sort(np.unique(rows.items[rows.places < rows.known]))
    with one_thread():
        both = together(rows)
        whole = linear(both, REGULARISATION)
        more = [linear(both, penalty) for penalty in (BROADLY, NARROWLY)]
        roots = np.sqrt(counts[common] + 1.0).astype(np.float32)
        both /= roots[:, None]
        both /= roots[None, :]
        np.fill_diagonal(both, 0.0)
        near, far, fading = followed(rows, weights)
        fading += fading.T.copy()
        fading[np.arange(rows.known), np.arange(rows.known)] += counts[common].astype(np.float32)
        window = linear(fading, WINDOW_REGULARISATION)
    steps, sums = [], []
    for place, (table, doubt) in enumerate(zip(_both(near, far), DOUBTS, strict=True)):
        rest = None if elsewhere is None else elsewhere[place][common]
        steps.append(lifts(table, shares[common], doubt, rest))
        total = np.zeros(len(counts))
        total[common] = table.sum(axis=1)
        sums.append(total)
    return (whole, window, padded(both), *steps, *more), sums


def _both(near: Table, far: Table) -> Steps:
    return near, near + near.T, far, far + far.T


def _row_sums(rare: RareCounts | None, items: int) -> list[Floats] | None:
    """Return how much each item is followed, in the four ways, within pairs that are rare."""
    if rare is None:
        return None
    sums: list[Floats] = []
    for values in _ways(rare):
        sums.append(np.asarray(np.bincount(rare.first, values, items), np.float64))
    return sums


def _ways(rare: RareCounts) -> list[Floats]:
    near, far, _ = zip(rare.sums, rare.back, strict=True)
    return [near[0], near[0] + near[1], far[0], far[0] + far[1]]


def _rare(
    rare: RareCounts, places: Ints, counts: Floats, shares: Floats, sums: list[Floats]
) -> RarePairs:
    """Return what the tables hold for rare pairs.

    EASE's weights are those of first order: of a rare item little is known but with whom it was.
    """
    items = len(places)
    whole = rare.both
    mine, other = counts[rare.first], counts[rare.second]
    fading = rare.sums[2] + rare.back[2]
    values = [
        whole / (REGULARISATION + mine),
        fading / (WINDOW_REGULARISATION + mine),
        whole / np.sqrt((mine + 1.0) * (other + 1.0)),
    ]
    nothing = np.zeros(items + 1, np.float32)
    usual = [nothing, nothing, nothing]
    here = _row_sums(rare, items)
    assert here is not None
    share = shares[rare.second]
    for way, doubt, dense, more in zip(_ways(rare), DOUBTS, sums, here, strict=True):
        total = dense + more + doubt
        values.append(np.log((way + doubt * share) / (total[rare.first] * share)))
        usual.append(np.append(np.log(doubt / total), 0.0).astype(np.float32))
    for penalty in (BROADLY, NARROWLY):
        values.append(whole / (penalty + mine))
        usual.append(nothing)
    missing = (places >= places.max(initial=0)) & (counts[:-1] > 0)
    return RarePairs(
        rare=np.append(missing, False),
        keys=rare.first * (items + 1) + rare.second,
        values=tuple(value.astype(np.float32) for value in values),
        usual=tuple(usual),
    )


def _lifetime(rows: OrderedLives, counts: Floats, shares: Floats) -> tuple[Floats, Floats, Floats]:
    size = len(counts)
    stages = stage_of(rows.positions)
    table = np.bincount(stages * size + rows.items, minlength=STAGES * size)
    stage = _lift(table.reshape(STAGES, size).astype(np.float64), counts, shares, 30.0)
    sums = np.bincount(rows.items, np.log1p(rows.positions), size)
    moment = sums / np.maximum(counts, 1)
    lived = np.bincount(rows.users, minlength=rows.people)[rows.users]
    last = (rows.positions >= lived - END) & (rows.positions >= END)
    ends = np.bincount(rows.items[last], minlength=size).astype(np.float64)
    return stage, moment, _lift(ends[None, :], counts, shares, 300.0)[0]


def _lift(taken: Floats, counts: Floats, shares: Floats, doubt: float) -> Floats:
    smoothed = (taken + doubt * shares) / (taken.sum(axis=1, keepdims=True) + doubt)
    logs: Floats = np.log(smoothed / shares)
    logs[:, counts == 0] = 0.0
    return logs


def _contents(catalogue: Catalogue) -> tuple[Bools, Floats, Floats]:
    tags: Bools = np.pad(catalogue.weights > 0.0, ((0, 1), (0, 0)))
    rarity = np.log(max(len(catalogue), 1) / np.maximum(tags.sum(axis=0), 1))
    years = [np.nan if item.year is None else float(item.year) for item in catalogue.items]
    return tags, rarity, np.array([*years, np.nan], np.float64)
