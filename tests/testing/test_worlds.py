from __future__ import annotations

import pytest

from audience.engine import Paused, Rules
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import Past, events as e


def test_a_tiny_genesis_is_the_same_every_time_and_as_small_as_asked_for() -> None:
    genesis = tiny_genesis(people=7, items=9)
    assert (len(genesis.profiles), len(genesis.catalogue)) == (7, 9)
    assert genesis.digest == tiny_genesis(people=7, items=9).digest
    assert genesis.digest != tiny_genesis(people=7, items=9, seed=1).digest


def test_a_larger_one_begins_with_the_smaller_one() -> None:
    small, large = tiny_genesis(7, 9), tiny_genesis(20, 40)
    assert large.profiles[:7] == small.profiles
    assert large.catalogue.items[:9] == small.catalogue.items


@pytest.mark.parametrize("people", [1, 2, 3, 4, 5])
def test_any_number_of_people_can_live(people: int) -> None:
    world, keeper = simulate(tiny_genesis(people, 4))
    assert world.round == 3
    woke = [event for event in keeper.events() if isinstance(event, e.Woke)]
    assert len(woke) == 3 * people


def test_one_item_is_enough() -> None:
    _, keeper = simulate(tiny_genesis(6, 1))
    shown = [event.items for event in keeper.events() if isinstance(event, e.SlateShown)]
    assert set(shown) == {(0,)}


def test_a_past_is_taken_over() -> None:
    world, _ = simulate(tiny_genesis(3, 4, past=(Past(0, 2, 5, 1.0, 4),)), rules=Rules(rounds=0))
    assert world.interactions.items.tolist() == [2]


def test_the_keeper_orders_and_digests_whatever_the_order_of_arrival() -> None:
    _, keeper = simulate(tiny_genesis())
    other = ListKeeper()
    for chapter in reversed(keeper.chapters):
        other.append(chapter)
    assert other.ordered() == keeper.ordered()
    assert other.digest() == keeper.digest()
    assert other.events() == keeper.events()
    other.chapters.pop()
    assert other.digest() != keeper.digest()


def test_the_keeper_knows_what_a_crash_would_leave() -> None:
    keeper = ListKeeper()
    keeper.append(e.Chapter(1, 0, 0, -1, ()))
    assert keeper.committed == 0
    keeper.commit()
    assert keeper.committed == 1


def test_a_run_can_be_stopped_and_its_keeper_looked_at() -> None:
    keeper = ListKeeper()
    with pytest.raises(Paused):
        simulate(tiny_genesis(), keeper=keeper, stopping=lambda: True)
    assert [chapter.phase for chapter in keeper.chapters] == [e.OPENING]
