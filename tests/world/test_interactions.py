from __future__ import annotations

from audience.testing import tiny_genesis
from audience.world import Interactions, Past


def some() -> Interactions:
    made = Interactions(tiny_genesis(3, 4).catalogue, 3)
    made.add(0, 1, 100, 0.5)
    made.add(1, 1, 200, 1.0)
    made.add(0, 1, 300, 0.25)
    return made


def test_columns_are_in_the_order_of_the_log() -> None:
    made = some()
    assert made.agents.tolist() == [0, 1, 0]
    assert made.items.tolist() == [1, 1, 1]
    assert made.at.tolist() == [100, 200, 300]
    assert made.fractions.tolist() == [0.5, 1.0, 0.25]
    assert made.stars.tolist() == [0, 0, 0]
    assert len(made) == 3


def test_stars_go_to_the_newest_interaction_with_the_item() -> None:
    made = some()
    made.rate(0, 1, 4)
    assert made.stars.tolist() == [0, 0, 4]
    made.rate(2, 3, 5)
    assert made.stars.tolist() == [0, 0, 4]


def test_the_past_comes_first() -> None:
    past = (Past(2, 3, 5, 0.75, 3),)
    made = Interactions(tiny_genesis(3, 4).catalogue, 3, past)
    assert (made.agents[0], made.items[0], made.stars[0]) == (2, 3, 3)


def test_what_is_handed_out_cannot_change_what_is_kept() -> None:
    made = some()
    made.items[:] = 0
    made.stars[:] = 5
    assert made.items.tolist() == [1, 1, 1]
    assert made.stars.tolist() == [0, 0, 0]


def test_packed_columns_read_back() -> None:
    made = some()
    made.rate(1, 1, 2)
    again = Interactions(made.catalogue, 3)
    again.extend(made.packed())
    assert again.packed() == made.packed()
    tail = Interactions(made.catalogue, 3)
    tail.extend(made.packed(1))
    assert tail.at.tolist() == [200, 300]


def test_the_first_interactions_do_not_grow_with_the_whole() -> None:
    made = some()
    first = made.first(2)
    made.add(2, 0, 400, 1.0)
    assert first.at.tolist() == [100, 200]
    assert made.first(4) is made
