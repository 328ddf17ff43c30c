"""What one who plays is shown."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from audience.runs.play.session import view
from audience.testing import tiny_genesis
from audience.world import Observation, Situation, World, actions as a, observe

WORLD = World(tiny_genesis())


def on_page() -> Observation:
    me = replace(WORLD.agents[3], situation=Situation(0, "recommender", (4, 5, 6), 0, 1, (4, 5, 6)))
    return observe(WORLD, me, 0)


def test_one_sees_the_page_and_what_one_took() -> None:
    seen = view(on_page(), [a.Pick(4)])
    assert [card.item for card in seen.slate] == [4, 5, 6]
    assert "Shift" not in seen.menu
    assert msgspec.to_builtins(seen.taken) == [{"type": "Pick", "item": 4, "fraction": 1.0}]
    assert seen.me.id == 3
