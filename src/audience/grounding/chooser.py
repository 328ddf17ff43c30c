"""The chooser: networks over evidence, and which of them a page is for."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from audience.errors import BadInput
from audience.grounding.evidence import CASES, KINDS, Evidence, fit_evidence, in_parts
from audience.grounding.gate import COLUMNS, PageGate, fit_gates
from audience.grounding.lives import Lives
from audience.grounding.network import Net, Values, fit_net
from audience.grounding.practice import NEGATIVES, Others, Practice, practices_of
from audience.recommenders import one_thread
from audience.world import Floats, Ints, keys

PRACTICE = 30_000
"""Maximum number of cases, each against every kind of negatives."""
HIDDEN, EPOCHS = 64, 6
FOLDS = 4
"""Folds of people, so that everybody is scored by weights learnt from others alone."""
LEAST = 50
"""Minimum number of cases."""
ENOUGH = 500
"""Minimum number of lists of each kind for weights of their own."""
UNIFORM, MATCHED, RECOMMENDED = range(len(NEGATIVES))
"""Kinds of pages with weights of their own."""
SURE, LEAN = 0.9, 0.5
"""Chance from which a page counts as one of like popularity, and what weights of a kind weigh."""
_STEPS = 1e6


class TooFew(BadInput):
    """There is too little data to fit a chooser."""


class Chooser:
    """Networks over evidence, fitted to parts of training histories that were held back."""

    def __init__(
        self,
        names: tuple[str, ...],
        nets: Sequence[Sequence[Net]],
        gates: Sequence[PageGate],
        seed: int,
    ) -> None:
        """`nets`: for all pages, then those of each kind with weights of its own, if any.

        Of each, and of the gates, there is one without the people of each fold, and one of all.
        """
        self.names = names
        self.nets = tuple(tuple(each) for each in nets)
        self.gates = tuple(gates)
        self.seed = seed
        self.shown = [names.index(name) for name in COLUMNS] if self.gates else []

    def score(self, evidence: Floats, owners: Ints | None = None) -> Floats:
        """Return [rows, columns] for `odds`: each network's score, then what tells pages apart.

        With the `owners` of the rows, weights come from other people; else from all.
        """
        values = evidence.astype(np.float32)
        scores = np.zeros((len(values), len(self.nets)))
        folds = self._folds(owners, len(values))
        for fold in np.unique(folds).tolist():
            mine = folds == fold
            for place, nets in enumerate(self.nets):
                scores[mine, place] = nets[fold].score(values[mine])
        return np.concatenate([np.rint(scores * _STEPS) / _STEPS, values[:, self.shown]], axis=1)

    def odds(self, pages: Sequence[Floats], owners: Ints | None = None) -> list[Floats]:
        """Return the log-odds that the person takes each item of a page rather than leaves it.

        At odds of one to one; where m are not taken for each that is, subtract log m. A page is
        ordered by weights of its kind; its mean is that of the weights for all pages, so that
        pages can be compared.
        """
        if not self.gates:
            return [page[:, 0] for page in pages]
        odds = [page[:, 0] for page in pages]
        folds = self._folds(owners, len(pages))
        sizes = np.array([len(page) for page in pages], np.int64)
        for size in np.unique(sizes[sizes > 1]).tolist():
            for fold in np.unique(folds[sizes == size]).tolist():
                rows = np.flatnonzero((sizes == size) & (folds == fold)).tolist()
                block = np.stack([pages[row] for row in rows])
                for row, each in zip(rows, self._ordered(block, fold), strict=True):
                    odds[row] = each
        return odds

    def _ordered(self, block: Floats, fold: int) -> Floats:
        """Return [pages, items] log-odds of pages of one size."""
        scores = block[:, :, : len(self.nets)]
        chances = self.gates[fold].chances(block[:, :, len(self.nets) :].astype(np.float32))
        level = scores.mean(axis=1, keepdims=True)
        plain, *kinds = np.moveaxis(scores - level, 2, 0)
        alike = np.clip(2.0 * (chances[:, MATCHED] - SURE) / (1.0 - SURE), 0.0, 1.0)[:, None]
        others = 1.0 - alike
        # What tells recommended items from any holds among them too, and is learnt from more.
        chosen = LEAN * kinds[RECOMMENDED] + (1.0 - LEAN) * kinds[UNIFORM]
        order = (
            plain
            + LEAN * alike * (kinds[MATCHED] - plain)
            + LEAN * others * chances[:, UNIFORM, None] * (kinds[UNIFORM] - plain)
            + others * chances[:, RECOMMENDED, None] * (chosen - plain)
        )
        odds: Floats = np.rint((level[:, :, 0] + order) * _STEPS) / _STEPS
        return odds

    def _folds(self, owners: Ints | None, count: int) -> Ints:
        return np.full(count, FOLDS) if owners is None else folds_of(owners, self.seed)


def folds_of(people: Ints, seed: int) -> Ints:
    """Return everybody's fold."""
    return (keys(seed, "grounding", "fold", people) % np.uint64(FOLDS)).astype(np.int64)


def fit_chooser(
    lives: Lives,
    *,
    seed: int = 1,
    held: str = "last",
    cases: int = PRACTICE,
    hidden: int = HIDDEN,
    epochs: int = EPOCHS,
    families: Sequence[str] = KINDS,
) -> Chooser:
    """Return a chooser for evidence such as `fit_evidence` gives.

    Parts of lives are kept back: `held` is `last`, the last items of everybody, or `spread`, items
    from all over lives. Evidence is fitted without them and weighed by how well it tells them from
    items the same people never lived: any, those as popular, those recommended.
    """
    practices = practices_of(lives, held, seed=seed, most=cases)
    count = sum(len(practice.few) for practice in practices)
    if count < LEAST:
        raise TooFew(
            f"only {count} items can be kept back to learn choosing from; give "
            f"histories with at least {LEAST}, or a mind that needs none"
        )
    names: tuple[str, ...] = ()
    parts = []
    for practice in practices:
        evidence = fit_evidence(practice.before, seed=seed, families=families)
        names = evidence.names
        parts.append(_lists(lives, evidence, practice, seed))
    lists = [np.concatenate([part[kind][0] for part in parts]) for kind in range(len(NEGATIVES))]
    owners = [np.concatenate([part[kind][1] for part in parts]) for kind in range(len(NEGATIVES))]
    folds = [folds_of(own, seed) for own in owners]
    if any(not (np.concatenate(folds) != fold).any() for fold in range(FOLDS)):
        raise TooFew("too few people have a history to learn choosing from; give data with more")
    groups = [range(len(NEGATIVES))]
    gates: tuple[PageGate, ...] = ()
    if min(len(each) for each in lists) >= ENOUGH and set(COLUMNS) <= set(names):
        groups += [range(kind, kind + 1) for kind in range(len(NEGATIVES))]
        shown = [names.index(name) for name in COLUMNS]
        gates = fit_gates([each[:, :, shown] for each in lists], owners, folds, seed, FOLDS)

    def net(job: tuple[range, int]) -> Net:
        kinds, left_out = job
        rows = [lists[kind][folds[kind] != left_out] for kind in kinds]
        return fit_net(np.concatenate(rows), seed=seed, hidden=hidden, epochs=epochs)

    # Kept back around all: each would otherwise give the others' threads free when it ends.
    with one_thread(), ThreadPoolExecutor(2) as threads:
        jobs = [(group, fold) for group in groups for fold in range(FOLDS + 1)]
        nets = list(threads.map(net, jobs))
    size = FOLDS + 1
    split = [nets[start : start + size] for start in range(0, len(nets), size)]
    return Chooser(names, split, gates, seed)


def _lists(
    lives: Lives, evidence: Evidence, practice: Practice, seed: int
) -> list[tuple[Values, Ints]]:
    """Return lists [lists, items, names] of each kind, what was taken first, and their people."""
    others = Others(lives, evidence.tables, practice)
    lists = []
    for kind in NEGATIVES:
        cases, items = others.draw(kind, seed)
        shown = np.concatenate([practice.taken[cases, None], items], axis=1)
        histories = [practice.histories[case] for case in cases.tolist()]
        lists.append((_values(evidence, histories, shown.tolist()), practice.users[cases]))
    return lists


def _values(evidence: Evidence, histories: list[tuple[int, ...]], shown: list[list[int]]) -> Values:
    def part(start: int) -> Values:
        return evidence.block(histories[start : start + CASES], shown[start : start + CASES])

    made = in_parts(part, len(histories))
    if not made:
        return np.zeros((0, 1, len(evidence.names)), np.float32)
    return np.concatenate(made)
