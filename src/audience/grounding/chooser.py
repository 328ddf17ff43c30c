"""How evidence is weighed: from what it says about an item to the odds that it is taken up."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from audience.errors import BadInput
from audience.grounding._net import Net, Values, fit_net
from audience.grounding._practice import NEGATIVES, OTHERS, Others, practice_of
from audience.grounding.evidence import CASES, KINDS, Evidence, fit_evidence, in_parts
from audience.grounding.lives import Lives
from audience.recommenders.matrix import one_thread
from audience.world.rng import Floats, Ints, keys

PRACTICE = 30_000
"""Cases learnt from, each against every kind of negatives."""
HIDDEN, EPOCHS = 64, 6
FOLDS = 2
"""People are in folds, so that everybody can be weighed by what was learnt from others alone."""
LEAST = 50
"""Cases without which nothing is learnt."""
_STEPS = 1e6


class TooFew(BadInput):
    """There is too little to learn choosing from."""


class Chooser:
    """Weights over evidence, learnt from parts of training lives that were kept back."""

    def __init__(self, names: tuple[str, ...], nets: Sequence[Net], seed: int) -> None:
        """Each net was fitted without the people of the fold of its place."""
        self.names = names
        self.nets = tuple(nets)
        self.seed = seed

    def score(self, evidence: Floats, owners: Ints | None = None) -> Floats:
        """Return the log-odds that the person takes each item rather than one it does not.

        At odds of one to one; where m are not taken for each that is, subtract log m. With the
        `owners` of the rows, weights come from other people; else all weights are averaged. Rounded
        to a millionth.
        """
        values = evidence.astype(np.float32)
        scores = np.zeros(len(values))
        if owners is None:
            for net in self.nets:
                scores += net.score(values) / len(self.nets)
        else:
            folds = folds_of(owners, self.seed)
            for fold, net in enumerate(self.nets):
                mine = folds == fold
                scores[mine] = net.score(values[mine])
        found: Floats = np.rint(scores * _STEPS) / _STEPS
        return found


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
    kinds: tuple[str, ...] = NEGATIVES,
    families: Sequence[str] = KINDS,
) -> tuple[Chooser, Evidence]:
    """Return a chooser for evidence such as `fit_evidence` gives, and the evidence it learnt on.

    Parts of lives are kept back: `held` is `last`, the last items of everybody, or `spread`, items
    from all over the lives of some. Evidence is fitted without them and weighed by how well it
    tells them from items the same people never lived: any, those as popular, those recommended.
    """
    practice = practice_of(lives, held, seed=seed, most=cases)
    if len(practice.taken) < LEAST:
        raise TooFew(
            f"only {len(practice.taken)} items can be kept back to learn choosing from; give "
            f"histories with at least {LEAST}, or a mind that needs none"
        )
    evidence = fit_evidence(practice.before, seed=seed, families=families)
    others = Others(lives, evidence.tables, practice)
    drawn = [others.draw(kind, seed) for kind in kinds]
    shown = np.concatenate([practice.taken[:, None], *(items for items, _ in drawn)], axis=1)
    values = _values(evidence, practice.histories, shown.tolist())
    lists, folds = [], []
    for place, (_, fit) in enumerate(drawn):
        columns = [0, *range(1 + place * OTHERS, 1 + (place + 1) * OTHERS)]
        lists.append(values[fit][:, columns])
        folds.append(folds_of(practice.users[fit], seed))
    whole, fold = np.concatenate(lists), np.concatenate(folds)

    def net(left_out: int) -> Net:
        return fit_net(whole[fold != left_out], seed=seed, hidden=hidden, epochs=epochs)

    # Kept back around both: each would otherwise give the other's threads free when it ends.
    with one_thread(), ThreadPoolExecutor(FOLDS) as threads:
        nets = list(threads.map(net, range(FOLDS)))
    return Chooser(evidence.names, nets, seed), evidence


def _values(evidence: Evidence, histories: list[tuple[int, ...]], shown: list[list[int]]) -> Values:
    def part(start: int) -> Values:
        return evidence.block(histories[start : start + CASES], shown[start : start + CASES])

    return np.concatenate(in_parts(part, len(histories)))
