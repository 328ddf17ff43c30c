"""What one who plays is shown."""

from __future__ import annotations

from msgspec.structs import replace

from audience.experiments.seeing import view
from audience.testing import tiny_genesis
from audience.world import World
from audience.world import actions as a
from audience.world.agent import Situation
from audience.world.observe import Observation, observe

WORLD = World(tiny_genesis())


def on_page() -> Observation:
    me = replace(WORLD.agents[3], situation=Situation(0, "recommender", (4, 5, 6), 0, 1, (4, 5, 6)))
    return observe(WORLD, me, 0)


def test_one_sees_the_page_and_what_one_took() -> None:
    found = view(on_page(), [a.Pick(4)])
    assert [one["item"] for one in found["slate"]] == [4, 5, 6]
    assert "Shift" not in found["menu"]
    assert found["taken"] == [{"type": "Pick", "item": 4, "fraction": 1.0}]
    assert found["me"]["id"] == 3
