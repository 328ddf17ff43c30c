"""That the conformance suite for minds finds what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from audience.agents import BatchMind, Decision
from audience.agents.rule import RuleMind
from audience.memory import Memory
from audience.testing import check_batch_mind, check_mind
from audience.testing.minds import observations
from audience.world import Dice, Observation, actions as a

LEAVE = Decision((a.Leave(),))


class Quiet:
    """A mind that always leaves, to be spoilt."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        return LEAVE

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        return [LEAVE] * len(seen)


class Forgetful(Quiet):
    def __init__(self) -> None:
        self.asked = 0

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.asked += 1
        return Decision((a.Leave(),), f"question {self.asked}")


class Sticky(Quiet):
    """Gives what depends on whom it saw before."""

    def __init__(self) -> None:
        self.last = -1

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        before, self.last = self.last, seen.me.profile.id
        return Decision((a.Leave(),), f"after {before}")


class Meddling(Quiet):
    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        seen.catalogue.quality[0] += 0.01
        return LEAVE


class Giving(Quiet):
    def __init__(self, given: Any) -> None:
        self.given = given

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        decision: Decision = self.given
        return decision


class Crowded(RuleMind):
    """Decides by the mean of the batch."""

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        mean = float(np.mean([one.me.satisfaction for one in seen]))
        return [Decision((a.Leave(round(mean, 6)),)) for _ in seen]


class Short(Quiet):
    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        return [LEAVE] * (len(seen) - 1)


class Nearly(Quiet):
    """Differs from its single self in the last bit when the batch is large."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        return self.decide_many([seen], dice)[0]

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        wish = 0.1 + 0.2 if len(seen) > 30 else 0.3
        return [Decision((a.Leave(wish),)) for _ in seen]


def test_a_sound_mind_passes() -> None:
    check_mind(Quiet(), limit=40)
    check_batch_mind(Quiet(), sizes=(1, 40))


@pytest.mark.parametrize(
    ("mind", "sentence"),
    [
        (Forgetful(), "decided differently when asked twice"),
        (Sticky(), "decided differently when asked"),
        (Meddling(), "Meddling changed what it was given"),
        (Giving(None), "returned NoneType; a mind returns a Decision"),
        (Giving(Decision((a.Pick(np.int64(3)),))), "use Python's own int"),  # type: ignore[arg-type]
        (Giving(Decision((a.Pick(3.0),))), "Expected `int`, got `float`"),  # type: ignore[arg-type]
        (Giving(Decision((a.Post("\ud800"),))), "cannot be written and read"),
        (Giving(Decision(("Leave",))), "cannot be written and read"),  # type: ignore[arg-type]
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_bad_mind_is_found_out(mind: Quiet, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_mind(mind, limit=40)


@pytest.mark.parametrize(
    ("mind", "sentence"),
    [
        (Crowded(), "decided differently in batches of 2 than alone"),
        (Short(), "gave 1 decisions for 2 observations"),
        (Nearly(), "decided differently in batches of 33 than alone"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_bad_batch_mind_is_found_out(mind: BatchMind, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_batch_mind(mind, sizes=(2, 33))


def test_the_observations_are_of_every_kind() -> None:
    seen = observations(100)
    assert len(seen) == 100
    assert {one.surface for one in seen} == {
        "home",
        "recommender",
        "search",
        "social",
        "conversation",
        "news",
    }
    lengths = {len(one.me.situation.slate) for one in seen}
    assert {0, 5} < lengths
    assert len({id(one.catalogue) for one in seen}) == 1
    assert any(one.me.heard for one in seen)
    assert any(one.me.inbox for one in seen)
