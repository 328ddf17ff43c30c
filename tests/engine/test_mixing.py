from __future__ import annotations

import numpy as np
import pytest

from audience.agents.rule import RuleMind
from audience.engine import Platform, Rules
from audience.engine.platform import mixed
from audience.recommenders import Popular
from audience.testing import ListKeeper, SlowMind, simulate, tiny_genesis
from audience.world import World, events as e


def world_of(items: int, seed: int = 3) -> World:
    world = World(tiny_genesis(10, items))
    world.apply(e.RunStarted(seed, "", 0.0))
    return world


def test_kept_items_stay_in_order_and_random_ones_are_new() -> None:
    world, kept, exclude = world_of(40), (7, 3, 11), (0, 1, 2)
    for page in range(60):
        items, chances = mixed(world, 4, page, exclude, kept, 2)
        assert len(items) == len(set(items)) == 5
        assert tuple(item for item in items if item in kept) == kept
        assert not set(items) & set(exclude)
        assert [chance == 1.0 for chance in chances] == [item in kept for item in items]
        assert {chance for chance in chances if chance < 1.0} == {2 / 34}


def test_the_draws_belong_to_the_agent_the_round_and_the_page() -> None:
    world = world_of(200)
    first = mixed(world, 4, 0, (), (1, 2), 3)
    assert mixed(world, 4, 0, (), (1, 2), 3) == first
    others = [mixed(world, 5, 0, (), (1, 2), 3), mixed(world, 4, 1, (), (1, 2), 3)]
    world.apply(e.RoundStarted(2, 0))
    assert first not in [*others, mixed(world, 4, 0, (), (1, 2), 3)]


@pytest.mark.parametrize(("left", "random"), [(0, 0), (1, 1), (2, 2), (9, 3)])
def test_no_more_are_drawn_than_there_are(left: int, random: int) -> None:
    items, chances = mixed(world_of(30), 1, 0, tuple(range(28 - left)), (28, 29), 3)
    assert len(items) == 2 + random
    assert sorted(chances) == sorted([1.0, 1.0] + [random / left] * random if random else [1.0] * 2)


def test_a_page_may_be_all_random() -> None:
    items, chances = mixed(world_of(50), 1, 0, (), (), 5)
    assert len(set(items)) == 5
    assert chances == (0.1,) * 5


def test_items_and_places_are_drawn_evenly() -> None:
    world, kept, pages = world_of(12), (0, 1, 2), 6000
    counts, places = np.zeros(12), np.zeros(5)
    for page in range(pages):
        items, chances = mixed(world, 1, page, (11,), kept, 2)
        for place, (item, chance) in enumerate(zip(items, chances, strict=True)):
            counts[item] += 1
            places[place] += chance < 1.0
    assert counts[11] == 0
    assert counts[:3].tolist() == [pages] * 3
    # Eight items share two places: each comes with 1/4; the bound is four standard deviations.
    assert np.abs(counts[3:11] / pages - 0.25).max() < 4 * np.sqrt(0.25 * 0.75 / pages)
    assert np.abs(places / pages - 0.4).max() < 4 * np.sqrt(0.4 * 0.6 / pages)


def test_weighing_by_propensity_estimates_the_mean_over_all_items() -> None:
    world, pages = world_of(25), 4000
    worth = np.linspace(0.0, 1.0, 25) ** 2
    kept, exclude = (24, 23, 22), (0,)  # the ranker shows the best: the plain mean is far off
    left = [item for item in range(25) if item not in exclude]
    plain, weighed = [], []
    for page in range(pages):
        items, chances = mixed(world, 1, page, exclude, kept, 2)
        plain.append(worth[list(items)].mean())
        weighed.append((worth[list(items)] / np.array(chances)).sum() / len(left))
    truth = worth[left].mean()
    error = np.std(weighed) / np.sqrt(pages)
    assert abs(np.mean(weighed) - truth) < 4 * error < 0.02
    assert np.mean(plain) - truth > 0.2


def lived(k: int, *, batched: bool = True, page_size: int = 5) -> ListKeeper:
    platform = Platform(page_size=page_size, random_k=k)
    rules = Rules(rounds=3, batched=batched)
    mind = None if batched else SlowMind(RuleMind())
    _, keeper = simulate(
        tiny_genesis(40, 80), platform=platform, rules=rules, recommender=Popular(), mind=mind
    )
    return keeper


def pages_of(keeper: ListKeeper) -> list[tuple[e.SlateShown, e.SlateAnnotated | None]]:
    events = keeper.events()
    after = [*events[1:], None]
    return [
        (event, known if isinstance(known, e.SlateAnnotated) else None)
        for event, known in zip(events, after, strict=True)
        if isinstance(event, e.SlateShown) and event.surface == "recommender"
    ]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_every_page_of_a_run_has_its_random_items_and_says_so(k: int) -> None:
    seen: dict[tuple[int, int], set[int]] = {}
    visit = 0
    for event in (keeper := lived(k)).events():
        visit += isinstance(event, e.Woke)
        if isinstance(event, e.SlateShown) and event.surface == "recommender":
            before = seen.setdefault((visit, event.agent), set())
            assert not before & set(event.items), "an item was shown twice in a visit"
            before |= set(event.items)
    found = pages_of(keeper)
    assert len(found) > 50
    for shown, known in found:
        assert known is not None
        assert len(known.propensities) == len(shown.items)
        assert sum(p is not None and p < 1.0 for p in known.propensities) == k


def test_no_random_items_leave_no_trace() -> None:
    assert all(known is None for _, known in pages_of(lived(0)))


def test_waves_and_coroutines_draw_the_same() -> None:
    assert lived(2).digest() == lived(2, batched=False).digest()
    assert lived(2).digest() != lived(0).digest()
