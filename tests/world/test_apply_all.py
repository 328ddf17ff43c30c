"""Entries applied together leave the world that they leave one by one."""

from __future__ import annotations

import pytest

from audience.engine import Groups, Rules, TieRules
from audience.memory import RecAgentMemory
from audience.testing import simulate, tiny_genesis
from audience.world import NOTHING, Raise, Remind, Topic, World, capture
from audience.world.changes import Silence

GENESIS = tiny_genesis(30, 25)
TOPIC = Topic("a new library", "The town builds a library.")


@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_entries_applied_together_are_entries_applied_one_by_one(order: str) -> None:
    final, keeper = simulate(
        GENESIS,
        memory=RecAgentMemory(),
        rules=Rules(rounds=4, order=order),
        ties=TieRules(grow=0.4, fade=5.0, rewire=0.2, every=1),
        groups=Groups(share=0.6, size=3),
        changes={2: [Raise(TOPIC, (1, 2)), Remind(3, "It rains.", 0.5)], 3: [Silence(4)]},
    )
    at_once, one_by_one = World(GENESIS), World(GENESIS)
    for chapter in keeper.ordered():
        at_once.apply_all(chapter.entries)
        for entry in chapter.entries:
            one_by_one.apply(entry.event)
        assert at_once.agents.changed == one_by_one.agents.changed
        assert at_once.satisfaction.tolist() == one_by_one.satisfaction.tolist()
    assert capture(at_once, NOTHING) == capture(one_by_one, NOTHING)
    assert at_once.agents.changed == final.agents.changed
