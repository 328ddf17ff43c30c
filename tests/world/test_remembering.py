from __future__ import annotations

from tests.world.scene import applied

from audience.world import events as e
from audience.world.thoughts import Thought


def test_thoughts_come_and_go() -> None:
    world = applied(e.Remembered(0, 1, "A", 0.5, 9), e.Remembered(0, 2, "B", 0.1, 9, "insight"))
    assert world.agents[0].thoughts[1] == Thought(2, "B", 0.1, 9, "insight")
    world.apply(e.Forgot(0, 1))
    assert [thought.text for thought in world.agents[0].thoughts] == ["B"]
