"""Steps from a history: five items ranked by matrix factorisation, one is taken, and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import Case, Contestant
from audience.experiments.evaluation.mixing import FOLDS, Flat, Weights, folds_of
from audience.recommenders import ALS, Context, Ranker
from audience.world.rng import Floats, Ints, dice, rng

PAGE = 5
"""Items that each step shows."""
_DRAWN = frozenset(("recsim",))
"""Those whose choice is a draw in proportion to interest + 1, as RecSim has it."""


class Pages:
    """What matrix factorisation shows somebody who lived so much."""

    def __init__(self, ground: Ground) -> None:
        self.seed = ground.seed
        self.ranker: Ranker = ALS().fit(ground.interactions, rng(ground.seed, "fit", 0))

    def of(
        self,
        users: Ints,
        lived: Sequence[tuple[int, ...]],
        barred: Sequence[tuple[int, ...]],
        k: int,
    ) -> Ints:
        """Return [users, k] items, best first, less what is barred; -1 where none is left."""
        zeros = np.zeros(len(users), np.int64)
        draws = dice(self.seed, "eval", "page", users)
        context = Context(zeros, zeros, barred, draws, lived=lived)
        return np.asarray(self.ranker.rank(users, k, context))


async def walk(
    contestant: Contestant,
    name: str,
    pages: Pages,
    histories: Mapping[int, tuple[int, ...]],
    steps: int,
) -> list[tuple[int, ...]]:
    """Return what each person is made to take up, one item a step.

    Everybody sees pages that follow its own picks. A step without a usable answer takes nothing.
    """
    users = np.array(list(histories), np.int64)
    taken: list[tuple[int, ...]] = [()] * len(users)
    seen: list[tuple[int, ...]] = [()] * len(users)
    past = list(histories.values())
    for step in range(steps):
        lived = [one + more for one, more in zip(past, taken, strict=True)]
        barred = [one + more for one, more in zip(lived, seen, strict=True)]
        shown = pages.of(users, lived, barred, PAGE)
        cases = [
            Case(user, history, *_shuffled(page, pages.seed, name, user, step))
            for user, history, page in zip(users.tolist(), lived, shown, strict=True)
        ]
        scores = await contestant.score(cases)
        for place, (case, each) in enumerate(zip(cases, scores, strict=True)):
            if np.isnan(each).any():
                seen[place] += case.candidates
                continue
            taken[place] += (case.candidates[_choice(name, case, each, pages.seed, step)],)
    return taken


def _shuffled(
    page: Ints, seed: int, name: str, user: int, step: int
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    items = page[page >= 0]
    order = np.argsort(dice(seed, "eval", "step", user, step, items).uniform("place"))
    return tuple(items[order].tolist()), (False,) * len(items)


def _choice(name: str, case: Case, scores: Floats, seed: int, step: int) -> int:
    if name not in _DRAWN:
        return int(np.argmax(scores))
    sums = np.cumsum(scores + 1.0 + 1e-9)
    draw = float(dice(seed, "eval", "choice", case.user, step).uniform(name)[0])
    return int(np.searchsorted(sums, draw * sums[-1], side="right").clip(0, len(sums) - 1))


class Mixed:
    """The logistic mix as somebody who answers: weights by fold, from other people's practice."""

    def __init__(
        self,
        name: str,
        parts: Sequence[Contestant],
        practice: Sequence[Case],
        scores: Mapping[str, Sequence[Floats]],
        seed: int,
    ) -> None:
        """`scores`: what the parts said of the practice."""
        self.name = name
        self.parts = parts
        self.seed = seed
        flat, folds = Flat(practice, scores), folds_of(practice, seed)
        self.weights = [Weights(flat, folds != fold) for fold in range(FOLDS)]

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        flat = Flat(cases, {part.name: await part.score(cases) for part in self.parts})
        folds = folds_of(cases, self.seed)
        found = np.zeros(len(flat.truth))
        for fold, weights in enumerate(self.weights):
            mine = (folds == fold)[flat.owner]
            found[mine] = weights.score(flat)[mine]
        return flat.split(found)
