"""What a person's history and what others did say about items, from training data alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audience.errors import unknown
from audience.grounding._batch import batch_of
from audience.grounding._features import FAMILIES, columns_of
from audience.grounding._tables import Tables, fit_tables
from audience.grounding.lives import Lives
from audience.world.rng import Floats

Values = NDArray[np.float32]
KINDS = tuple(family.__name__ for family in FAMILIES)
"""Families of evidence: all that may be left out for ablation."""
CASES = 256
"""Cases worked on at once; their number changes no result."""
Made = TypeVar("Made")


class Evidence:
    """Fitted on lives; pure afterwards. Of items that came later nothing is known."""

    def __init__(self, tables: Tables, families: Sequence[str] = KINDS) -> None:
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
        found = columns_of(batch, self.tables, self.families)
        return np.stack([column.astype(np.float32) for _, column in found], axis=2)


def fit_evidence(lives: Lives, *, seed: int = 1, families: Sequence[str] = KINDS) -> Evidence:
    """Return the evidence of a training part. Nothing is drawn: every seed gives the same."""
    del seed
    return Evidence(fit_tables(lives), families)


def in_parts(part: Callable[[int], Made], count: int) -> list[Made]:
    """Return what `part` makes from each start on, on all processors; cases are told alike."""
    starts = range(0, count, CASES)
    if len(starts) <= 1:
        return [part(start) for start in starts]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return list(threads.map(part, starts))
