"""Evidence about candidates, family by family: each gives named columns [cases, candidates]."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audience.errors import unknown
from audience.grounding.batches import (
    RECENT,
    Batch,
    Recent,
    Whole,
    batch_of,
    per_case,
    per_recent,
)
from audience.grounding.lives import Lives
from audience.grounding.tables import (
    AROUND,
    BESIDE,
    BROAD,
    COSINE,
    LATER,
    LINEAR,
    NARROW,
    NEXT,
    WINDOW,
    EvidenceTables,
    fit_tables,
    stage_of,
)
from audience.world import Bools, Floats

Column = tuple[str, Floats]
AGES = ((0, 1), (1, 2), (2, 3), (3, 5), (5, 10), (10, 20), (20, 30))
"""Number of ages that are distinguished: the newest item, the one before, and so on."""
FADINGS = (0.7, 0.85, 0.93)
STEPS = (("next", NEXT), ("beside", BESIDE), ("later", LATER), ("around", AROUND))
LAST = (3, 5, 10)
"""Number of last items whose contents are compared."""


def popularity(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield its popularity, also against what the person usually picks."""
    count = tables.log_count[batch.candidates]
    yield "popularity", count
    yield "popularity share", 1000.0 * tables.share[batch.candidates]
    yield "popularity beside recent", count - per_recent(batch, tables.log_count, 20)[:, None]
    yield "popularity beside usual", count - per_case(batch, tables.log_count)[:, None]
    yield "history", np.broadcast_to(np.log1p(batch.lengths)[:, None], count.shape)


def collaborative(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield the similarity to the whole history, to its last part, and to any part of it."""
    whole = Whole(batch, tables)
    linear = whole.of(LINEAR)
    for last in (-1, 100, 20):
        yield "collaborative" + (f" {last}" if last > 0 else ""), whole.sums(linear, last)
    yield "collaborative part", whole.best(whole.runs(linear, 32))
    yield "collaborative broad", whole.sums(whole.of(BROAD))
    yield "collaborative narrow", whole.sums(whole.of(NARROW))
    yield "alike", whole.sums(whole.of(COSINE)) / whole.size
    window = whole.of(WINDOW)
    yield "window whole", whole.sums(window)
    for length in (4, 16):
        yield f"window part {length}", whole.best(whole.runs(window, length))
    for kind, table in STEPS[1::2]:
        values = whole.of(table)
        yield f"{kind} whole", whole.sums(values) / whole.size
        yield f"{kind} best", whole.best(values)
        yield f"{kind} part", whole.best(whole.runs(values, 4))
        lift = whole.sums(np.exp(np.float32(4.0) * whole.runs(values, 8))) / whole.size
        yield f"{kind} parts", np.log(np.maximum(lift, 1e-3))


def recent(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield the similarity to the last items."""
    ages = np.arange(RECENT)
    weights = np.stack([ages < 5, ages < 20, 0.85**ages]).astype(np.float64)
    last = Recent(batch, tables)
    means = last.means(COSINE, weights)
    yield from zip(("alike 5", "alike 20", "alike fading"), means, strict=True)
    window = last.means(WINDOW, np.stack([0.9**ages, 0.7**ages]))
    yield from zip(("window", "window soon"), window, strict=True)


def steps(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield transitions from each of the last items and from them together."""
    ages = np.arange(RECENT)
    fading = [np.power(each, ages, dtype=np.float64) for each in FADINGS]
    groups = [((ages >= begin) & (ages < end)).astype(np.float64) for begin, end in AGES]
    together = [f"fading {each}" for each in FADINGS]
    apart = [f"{begin}" for begin, _ in AGES]
    last = Recent(batch, tables)
    for place, (kind, table) in enumerate(STEPS):
        weights, names = (fading + groups, together + apart) if place < 2 else (fading, together)
        means = last.means(table, np.stack(weights))
        yield from ((f"{kind} {name}", one) for name, one in zip(names, means, strict=True))


def lifetime(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield whether it comes early or late in histories, and near their ends."""
    shown = batch.candidates
    moment, lived = tables.moment[shown], np.log1p(batch.lengths)[:, None]
    yield "stage", tables.stage[stage_of(batch.lengths)[:, None], shown]
    yield "stage distance", np.abs(moment - lived)
    yield "later than recent", moment - per_recent(batch, tables.moment, 10)[:, None]
    yield "ending", tables.ending[shown]


def genres(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield the tags it shares with the last items and with all, and those it lacks."""
    has = tables.tags[batch.candidates]
    for last in LAST:
        shares = _tag_shares(batch, tables, last)
        yield from _tag_columns(has, shares, tables.rarity, last)
    all_tags = np.zeros((len(batch.lengths), tables.tags.shape[1]))
    for tag in range(all_tags.shape[1]):
        all_tags[:, tag] = per_case(batch, tables.tags[:, tag].astype(np.float64))
    yield "genre whole", _over_tags(has, all_tags * tables.rarity)


def _tag_columns(has: Bools, shares: Floats, rarity: Floats, last: int) -> Iterator[Column]:
    rare = shares * rarity
    yield f"genre lacks {last}", _over_tags(~has, shares * rare)
    yield f"genre best {last}", _best_tag(has, shares)
    yield f"genre best rare {last}", _best_tag(has, rare)
    yield f"genre kept {last}", _over_tags(has, shares**3 * rare)
    yield f"genre new {last}", _over_tags(has, (shares == 0.0) * rarity)


def _tag_shares(batch: Batch, tables: EvidenceTables, last: int) -> Floats:
    shares = np.zeros((len(batch.lengths), tables.tags.shape[1]))
    count = np.zeros((len(batch.lengths), 1))
    for age in range(last):
        there = batch.real[:, age, None]
        shares += tables.tags[batch.recent[:, age]] & there
        count += there
    return shares / np.maximum(count, 1.0)


def _over_tags(has: Bools, values: Floats) -> Floats:
    sums = np.zeros(has.shape[:2])
    for tag in range(values.shape[1]):
        sums += np.where(has[:, :, tag], values[:, tag, None], 0.0)
    return sums


def _best_tag(has: Bools, values: Floats) -> Floats:
    if not values.shape[1]:
        return np.zeros(has.shape[:2])
    best: Floats = np.where(has, values[:, None, :], 0.0).max(axis=2)
    return best


def years(batch: Batch, tables: EvidenceTables) -> Iterator[Column]:
    """Yield the distance of its year from those of the last items, relative to their spread."""
    known = np.isfinite(tables.year)
    usual = float(tables.year[known].mean()) if known.any() else 0.0
    year = np.where(known, tables.year, usual)
    shown = year[batch.candidates]
    for last in LAST:
        mean = per_recent(batch, year, last)
        square = per_recent(batch, (year - usual) ** 2, last)
        spread = np.sqrt(np.maximum(square - (mean - usual) ** 2, 0.0))
        away = np.abs(shown - mean[:, None])
        there = (batch.lengths > 0)[:, None]
        yield f"year off {last}", np.where(there, np.log1p(away / (spread + 1.0)[:, None]), 0.0)
        yield f"year away {last}", np.where(there, np.log1p(away), 0.0)
        yield f"year spread {last}", np.broadcast_to(np.log1p(spread)[:, None], shown.shape)
    mean = np.where(batch.lengths > 0, per_case(batch, year), usual)
    yield "year whole", np.log1p(np.abs(shown - mean[:, None]))
    yield "year", (shown - usual) / 10.0


FAMILIES = (popularity, collaborative, recent, steps, lifetime, genres, years)


def columns_of(batch: Batch, tables: EvidenceTables, families: Sequence[str]) -> list[Column]:
    """Return all evidence of some families about a batch."""
    made = (family for family in FAMILIES if family.__name__ in families)
    return [column for family in made for column in family(batch, tables)]


Values = NDArray[np.float32]
KINDS: tuple[str, ...] = tuple(family.__name__ for family in FAMILIES)
"""Families of evidence that may be left out for ablation."""
CASES = 256
"""Cases per batch; it changes no result."""
Made = TypeVar("Made")


class Evidence:
    """Evidence fitted on histories; pure afterwards. Of later items nothing is known."""

    def __init__(self, tables: EvidenceTables, families: Sequence[str] = KINDS) -> None:
        for family in families:
            if family not in KINDS:
                raise unknown("evidence", family, KINDS)
        self.tables = tables
        self.families = tuple(families)
        nothing = batch_of([()], [(0,)], len(tables.places) - 1)
        self.names = tuple(name for name, _ in columns_of(nothing, tables, self.families))

    def of(
        self,
        histories: Sequence[Sequence[int]],
        candidates: Sequence[Sequence[int]],
        *,
        owners: Sequence[int] = (),
    ) -> list[Floats]:
        """Return [candidates, names] for each case, from the history (oldest first) and others.

        `owners` are whose histories these are. What they lived in the training part stays in: it
        tells nothing of candidates that are not in it.
        """
        del owners

        def part(start: int) -> list[Floats]:
            shown = candidates[start : start + CASES]
            values = self.block(histories[start : start + CASES], shown).astype(np.float64)
            return [values[row, : len(one)] for row, one in enumerate(shown)]

        return [one for each in in_parts(part, len(histories)) for one in each]

    def block(
        self, histories: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]
    ) -> Values:
        """Return [cases, widest, names]; what is beyond a case's candidates means nothing."""
        batch = batch_of(histories, candidates, len(self.tables.places) - 1)
        columns = columns_of(batch, self.tables, self.families)
        return np.stack([column.astype(np.float32) for _, column in columns], axis=2)


def fit_evidence(lives: Lives, *, seed: int = 1, families: Sequence[str] = KINDS) -> Evidence:
    """Return the evidence of a training part; it is deterministic."""
    del seed
    return Evidence(fit_tables(lives), families)


def in_parts(part: Callable[[int], Made], count: int) -> list[Made]:
    """Return what `part` makes from each start on, on all processors; cases are told alike."""
    starts = range(0, count, CASES)
    if len(starts) <= 1:
        return [part(start) for start in starts]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return list(threads.map(part, starts))


HIGH, LOW = 0.7, -0.9
"""Standard deviations from the rest of a list above which evidence is mentioned."""
SAYINGS = (
    ("next fading 0.85", "people with your history often went on to this", ""),
    ("collaborative", "people who share your past took it up", "few with your past took it up"),
    ("genre kept 10", "much like what you took up lately", "unlike what you took up lately"),
    ("popularity", "very popular", "known to few"),
)
"""Words for evidence that stands out: its name, words for much and for little."""
MOST = 2


def words_of(names: Sequence[str], evidence: Floats) -> list[str]:
    """Return what the evidence [candidates, names] says of each candidate beside the others.

    Only what stands out is said, the strongest first; most candidates get nothing.
    """
    told: list[list[tuple[float, str]]] = [[] for _ in evidence]
    for name, much, little in SAYINGS:
        values = evidence[:, list(names).index(name)]
        spread = float(values.std())
        if len(values) < 2 or spread < 1e-9:
            continue
        for row, place in enumerate(((values - values.mean()) / spread).tolist()):
            words = much if place >= HIGH else little if place <= LOW else ""
            if words:
                told[row].append((abs(place), words))
    return ["; ".join(words for _, words in sorted(one, reverse=True)[:MOST]) for one in told]
