"""RecSim's interest-evolution user with its utility model, as a classical baseline.

Interests lie in [-1, 1] over topics. Item j of the slate is clicked with probability
(s_j + 1) / (sum(s_k + 1) + 2), s the interest in its topic; the 2 is "no click". A click moves the
interest I in the topic by (0.3 - 0.3 |I|)(1 - I), towards with probability (I + 1) / 2, else away.
The time budget is 200; an item costs 4 and returns 0.9/3.4 of its quality (-3 to 3) times 4; no
click costs 0.5; the episode ends when the budget is used up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.agents.mind import Decision
from audience.memory import Memory
from audience.world import Dice, Floats, Ints, Observation, actions as a, tastes

BUDGET = 200.0
LENGTH = 4.0
RETURNED = 0.9 / 3.4 * LENGTH
NO_CLICK = 0.5
_ENTER = Decision((a.Enter("recommender"), a.Browse()))
_NEXT = Decision((a.NextPage(),))
_DONE = Decision((a.Leave(None, "out of time"),))
_NEXT_PAGE, _LEAVE = a.NextPage(), a.Leave(None, "out of time")


class RecSimMind:
    """A user of RecSim's interest-evolution environment. Use it with `drift = 0`."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory
        return self.decide_many([seen], dice)[0]

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        made = [_DONE if view.surface != "home" else _ENTER for view in seen]
        lengths = [len(view.me.situation.slate) for view in seen]
        for width in sorted(set(lengths) - {0}):
            rows = [row for row, length in enumerate(lengths) if length == width]
            pages = self._pages([seen[row] for row in rows], dice.pick(np.array(rows)))
            for row, decision in zip(rows, pages, strict=True):
                made[row] = decision
        return made

    def _pages(self, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
        catalogue = seen[0].catalogue
        here = [view.me.situation for view in seen]
        slates = np.array([now.slate for now in here], np.int64)
        topics = catalogue.weights.argmax(axis=1)[slates]
        interests = tastes([view.me.taste for view in seen])
        clicked, topic, move = step(interests, topics, dice)
        left = budget(
            np.array([now.pages for now in here]),
            np.array([now.picks for now in here]),
            np.array([now.quality for now in here]),
        )
        chosen = slates[np.arange(len(seen)), np.maximum(clicked, 0)]
        gain = RETURNED * (6.0 * catalogue.quality[chosen] - 3.0)
        after = np.where(clicked >= 0, left - LENGTH + gain, left - NO_CLICK)
        more = np.array(["NextPage" in view.menu for view in seen])
        columns = (clicked, chosen, topic, move, (after > 0.0) & more)
        return [_decision(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]


def _decision(clicked: int, item: int, topic: int, move: float, goes_on: bool) -> Decision:
    if clicked < 0:
        return _NEXT if goes_on else _DONE
    last = _NEXT_PAGE if goes_on else _LEAVE
    return Decision((a.Pick(item), a.Shift(topic, move), last))


def step(interests: Floats, topics: Ints, dice: Dice) -> tuple[Ints, Ints, Floats]:
    """Return, per user: the place clicked (-1 for none), its topic, and how the interest moves."""
    users = np.arange(len(interests))
    scores = interests[users[:, None], topics] + 1.0
    sums = np.cumsum(scores, axis=1)
    draw = dice.uniform("click") * (sums[:, -1] + 2.0)
    none = draw >= sums[:, -1]
    place = np.minimum((sums <= draw[:, None]).sum(axis=1), topics.shape[1] - 1)
    topic = topics[users, place]
    interest = interests[users, topic]
    move = (0.3 - 0.3 * np.abs(interest)) * (1.0 - interest)
    towards = dice.uniform("flip") < (interest + 1.0) / 2.0
    return np.where(none, -1, place), topic, np.where(towards, move, -move)


def budget(pages: Ints, picks: Ints, quality: Floats) -> Floats:
    """Return the budget left before the current page is answered."""
    answered = pages - 1
    returned = RETURNED * (6.0 * quality - 3.0 * picks)
    return BUDGET - NO_CLICK * (answered - picks) - LENGTH * picks + returned
