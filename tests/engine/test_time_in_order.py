"""Time in order, over whole runs: nobody knows what was not yet written or said."""

from __future__ import annotations

from itertools import pairwise

import pytest

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import Activation, Rules
from audience.memory import Memory
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import Dice, Observation, events as e

GENESIS = tiny_genesis(30, 60)
ROUNDS = 5


class Witness:
    """A rule mind that notes what each agent had before it, and when."""

    def __init__(self) -> None:
        self.rule = RuleMind(talkative=1.0, to_social=1.0)
        self.read: list[tuple[int, int, str]] = []
        self.talked: list[int] = []

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        who = seen.me.profile.id
        self.read += [(who, seen.now, message.post) for message in seen.me.inbox]
        if seen.lines:
            self.talked.append(seen.now)
        return await self.rule.decide(seen, memory, dice)


def lived(order: str, seed: int) -> tuple[Witness, ListKeeper]:
    mind = Witness()
    rules = Rules(rounds=ROUNDS, order=order)
    activation = Activation("random", 0.8)
    _, keeper = simulate(GENESIS, mind=mind, rules=rules, activation=activation, seed=seed)
    return mind, keeper


def moments(keeper: ListKeeper) -> dict[str, int]:
    """Return when each message was written: at the visit of its author."""
    written: dict[str, int] = {}
    for chapter in keeper.chapters:
        at = next((x.event.at for x in chapter.entries if isinstance(x.event, e.Woke)), 0)
        for entry in chapter.entries:
            if isinstance(entry.event, e.Posted | e.Forwarded):
                written[entry.event.post] = at
    return written


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_nobody_reads_a_post_before_it_was_written(order: str, seed: int) -> None:
    mind, keeper = lived(order, seed)
    written = moments(keeper)
    assert len(mind.read) > 50
    for reader, now, post in mind.read:
        assert written[post] <= now, f"{reader} read {post} at {now}, before {written[post]}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_by_one_visits_follow_their_moments_in_the_run_and_in_the_log(seed: int) -> None:
    _, keeper = lived("one-by-one", seed)
    for chapters in (keeper.chapters, keeper.ordered()):
        woke = [
            (chapter.round, chapter.entries[0].event.at)
            for chapter in chapters
            if chapter.phase == e.VISITS and isinstance(chapter.entries[0].event, e.Woke)
        ]
        assert len(woke) > 50
        assert all(earlier <= later for earlier, later in pairwise(woke))


def test_one_by_one_a_talk_takes_place_at_the_visit_it_follows() -> None:
    mind, keeper = lived("one-by-one", 1)
    visits = {
        entry.event.at
        for chapter in keeper.chapters
        for entry in chapter.entries
        if isinstance(entry.event, e.Woke)
    }
    assert mind.talked
    assert set(mind.talked) <= visits


def test_one_by_one_a_post_reaches_those_who_come_later_in_the_same_round() -> None:
    mind, keeper = lived("one-by-one", 1)
    written = moments(keeper)
    day = GENESIS.clock.at(2) - GENESIS.clock.at(1)
    assert any(0 <= now - written[post] < day for _, now, post in mind.read)
