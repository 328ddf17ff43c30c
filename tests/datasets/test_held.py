from __future__ import annotations

from audience.datasets import Films, HeldOut
from audience.datasets.splits import split_last
from audience.world import Clock, Past


def test_everybodys_last_item_is_held_out_where_there_are_two() -> None:
    past = (
        Past(0, 1, 5),
        Past(0, 2, 9),
        Past(0, 3, 9),
        Past(1, 4, 1),
        Past(2, 1, 3),
        Past(2, 2, 2),
    )
    kept, held = split_last(past)
    assert held == (Past(0, 3, 9), Past(2, 1, 3))
    assert set(kept) | set(held) == set(past)


def test_it_is_the_same_dataset_with_less_of_a_past() -> None:
    whole = Films(past=5.0).genesis(30, 3, Clock())
    dataset = HeldOut("films", past=5.0)
    less = dataset.genesis(30, 3, Clock())
    held = dataset.held(30, 3, Clock())
    assert less.profiles == whole.profiles
    assert len(less.past) + len(held) == len(whole.past)
    assert not set(held) & set(less.past)
