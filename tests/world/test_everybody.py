from __future__ import annotations

import pytest
from tests.world.scene import PEOPLE, tiny_world


def test_people_are_looked_up_by_id_and_nobody_else_exists() -> None:
    agents = tiny_world().agents
    assert [agent.profile.id for agent in agents] == list(range(PEOPLE))
    for stranger in (-1, PEOPLE):
        with pytest.raises(IndexError):
            agents[stranger]
