"""The grounds of a mind's choices: evidence, and a chooser that weighs it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from audience.grounding.chooser import Chooser, fit_chooser
from audience.grounding.evidence import CASES, KINDS, Evidence, fit_evidence, in_parts, words_of
from audience.grounding.lives import Lives
from audience.grounding.ratings import Rater, fit_ratings
from audience.world import Floats, Genesis, Interactions

WIDEST = 64
"""Maximum number of candidates that cases of one history share."""


class Grounds:
    """Fitted on a training part; pure afterwards. A case does not depend on the others."""

    def __init__(self, evidence: Evidence, chooser: Chooser) -> None:
        self.evidence = evidence
        self.chooser = chooser

    def log_odds(
        self,
        histories: Sequence[Sequence[int]],
        candidates: Sequence[Sequence[int]],
        *,
        owners: Sequence[int] = (),
    ) -> list[Floats]:
        """Return, for each case, the log-odds that the person takes each candidate.

        All candidates of a case are one page, on which they are told apart.
        With `owners`, the people of the training part that they are, weights come from others.
        """
        who = owners or [-1] * len(histories)
        groups = _groups(
            [(*one, owner) for one, owner in zip(histories, who, strict=True)], candidates
        )
        grouped = [histories[rows[0]] for rows in groups]
        asked = [who[rows[0]] for rows in groups] if owners else []
        shown = [[item for row in rows for item in candidates[row]] for rows in groups]
        pages: list[Floats] = [np.zeros((0, 1))] * len(histories)
        for rows, scores in zip(groups, self._scores(grouped, shown, asked), strict=True):
            start = 0
            for row in rows:
                pages[row] = scores[start : start + len(candidates[row])]
                start += len(candidates[row])
        return self.chooser.odds(pages, np.array(owners, np.int64) if owners else None)

    def _scores(
        self,
        histories: Sequence[Sequence[int]],
        shown: Sequence[Sequence[int]],
        owners: Sequence[int],
    ) -> list[Floats]:
        def part(start: int) -> list[Floats]:
            wanted = shown[start : start + CASES]
            values = self.evidence.block(histories[start : start + CASES], wanted)
            flat = values.reshape(-1, values.shape[2]).astype(np.float64)
            mine = np.array(owners[start : start + CASES], np.int64)
            whose = np.repeat(mine, values.shape[1]) if len(mine) else None
            scores = self.chooser.score(flat, whose)
            rows = scores.reshape(*values.shape[:2], -1)
            return [rows[row, : len(one)] for row, one in enumerate(wanted)]

        return [one for each in in_parts(part, len(histories)) for one in each]

    def words(self, history: Sequence[int], candidates: Sequence[int]) -> list[str]:
        """Return what stands out in the evidence on each candidate, in words."""
        if not len(candidates):
            return []
        (values,) = self.evidence.of([history], [candidates])
        return words_of(self.evidence.names, values)


def _groups(
    histories: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return cases of one history together, as many as keep lists short: all are as wide as one."""
    groups: list[list[int]] = []
    open_: dict[tuple[int, ...], tuple[list[int], int]] = {}
    for row, history in enumerate(histories):
        key = tuple(history)
        rows, width = open_.get(key, ([], WIDEST))
        width += len(candidates[row])
        if width > WIDEST:
            rows, width = [], len(candidates[row])
            groups.append(rows)
        rows.append(row)
        open_[key] = rows, width
    return groups


@lru_cache(maxsize=2)
def fit_grounds(
    lives: Lives,
    *,
    seed: int = 1,
    held: str = "last",
    families: tuple[str, ...] = KINDS,
    weighed: Lives | None = None,
) -> Grounds:
    """Return the grounds of a training part; `held` is how what is asked about was held out.

    `weighed` is what the chooser learns from, where several training parts share one.
    """
    chooser = _chooser(lives if weighed is None else weighed, seed, held, families)
    return Grounds(fit_evidence(lives, seed=seed, families=families), chooser)


@lru_cache(maxsize=2)
def _chooser(lives: Lives, seed: int, held: str, families: tuple[str, ...]) -> Chooser:
    return fit_chooser(lives, seed=seed, held=held, families=families)


@lru_cache(maxsize=2)
def grounds_of(genesis: Genesis, seed: int = 1) -> Grounds:
    """Return the grounds of a genesis: one fit for all its runs.

    Where a dataset keeps others apart, they come from what others lived and not from the past.
    """
    return fit_grounds(_lives(genesis), seed=seed)


@lru_cache(maxsize=2)
def ratings_of(genesis: Genesis, seed: int = 1) -> Rater:
    """Return the model of the ratings of a genesis: one fit for all its runs."""
    return fit_ratings(_lives(genesis), seed)


def _lives(genesis: Genesis) -> Lives:
    people = max([len(genesis.profiles), *(other.agent + 1 for other in genesis.others)])
    return Lives.of(Interactions(genesis.catalogue, people, genesis.evidence))
