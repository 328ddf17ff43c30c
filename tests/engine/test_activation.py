from __future__ import annotations

import numpy as np
import pytest

from audience.engine import METHODS, Activation
from audience.engine.activation import awake, chances
from audience.errors import BadInput
from audience.testing import tiny_genesis
from audience.world import World, changes as c, events as e

PEOPLE = 2_000
GENESIS = tiny_genesis(PEOPLE, 3)


def at_round(round_: int, *events: e.AnyEvent) -> World:
    world = World(GENESIS)
    for event in (e.RunStarted(4, "", 0.0), e.RoundStarted(round_, 0), *events):
        world.apply(event)
    return world


def counted(activation: Activation, rounds: int = 40) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return how often each person wakes."""
    counts = np.zeros(PEOPLE, np.int64)
    for round_ in range(1, rounds + 1):
        counts[awake(at_round(round_), activation)[0]] += 1
    return counts


def test_random_wakes_everybody_with_the_same_share() -> None:
    counts = counted(Activation("random", 0.3, 0.0))
    assert counts.mean() / 40 == pytest.approx(0.3, abs=0.01)
    busy = np.median(GENESIS_ACTIVITY) < GENESIS_ACTIVITY
    assert counts[busy].mean() == pytest.approx(counts[~busy].mean(), rel=0.03)


def test_sample_wakes_each_by_its_activity_and_the_mean_is_the_share() -> None:
    activation = Activation("sample", 0.05, 0.0)
    chance = chances(at_round(1), activation)
    assert chance.mean() == pytest.approx(0.05)
    assert np.allclose(chance / chance[0], GENESIS_ACTIVITY / GENESIS_ACTIVITY[0])
    counts = counted(activation)
    assert np.corrcoef(counts, GENESIS_ACTIVITY)[0, 1] > 0.6


def test_marginal_grows_with_the_rounds_since_the_last_visit() -> None:
    activation = Activation("marginal", 0.01, 0.0)
    world = at_round(6)
    world.last_visit[:3] = [5, 3, 0]
    chance = chances(world, activation)[:3] / GENESIS_ACTIVITY[:3]
    assert chance / chance[0] == pytest.approx([1.0, 3.0, 6.0])


def test_satisfaction_raises_the_chance_to_return() -> None:
    world = at_round(1, e.Woke(0, 0), e.Left(0, 1.0), e.Woke(1, 0), e.Left(1, 0.0))
    loyal = chances(world, Activation("random", 0.4, 0.8))[:3]
    assert loyal == pytest.approx([0.4 * 1.4, 0.4 * 0.6, 0.4])
    indifferent = chances(world, Activation("random", 0.4, 0.0))[:3]
    assert indifferent == pytest.approx([0.4, 0.4, 0.4])


@pytest.mark.parametrize("method", METHODS)
def test_a_chance_is_a_chance(method: str) -> None:
    chance = chances(at_round(9), Activation(method, 1.0, 0.8))
    assert chance.min() >= 0.0
    assert chance.max() <= 1.0


def test_a_share_of_one_wakes_all_and_of_zero_nobody() -> None:
    assert len(awake(at_round(1), Activation("random", 1.0, 0.0))[0]) == PEOPLE
    assert len(awake(at_round(1), Activation("random", 0.0, 0.0))[0]) == 0


def test_at_most_keeps_some_of_those_who_would_wake() -> None:
    free, _ = awake(at_round(1), Activation("random", 0.5, 0.0))
    few, places = awake(at_round(1), Activation("random", 0.5, 0.0, at_most=50))
    assert len(few) == len(places) == 50
    assert set(few.tolist()) <= set(free.tolist())
    assert few.tolist() == sorted(few.tolist())
    assert few.tolist() != free.tolist()[:50]
    more, _ = awake(at_round(1), Activation("random", 0.5, 0.0, at_most=60))
    assert set(few.tolist()) <= set(more.tolist())


def test_the_silent_do_not_wake_and_nobody_takes_their_place() -> None:
    activation = Activation("random", 0.5, 0.0)
    free, _ = awake(at_round(1), activation)
    quiet = int(free[7])
    without, _ = awake(at_round(1, e.Intervened(c.Silence(quiet))), activation)
    assert set(free.tolist()) - set(without.tolist()) == {quiet}
    assert set(without.tolist()) < set(free.tolist())
    again = at_round(1, e.Intervened(c.Silence(quiet)), e.Intervened(c.Silence(quiet, False)))
    assert awake(again, activation)[0].tolist() == free.tolist()


def test_each_visit_has_its_own_place_in_the_interval() -> None:
    _, places = awake(at_round(1), Activation("random", 1.0, 0.0))
    assert places.min() >= 0.0
    assert places.max() < 1.0
    assert len(np.unique(places)) == PEOPLE
    assert places.mean() == pytest.approx(0.5, abs=0.03)


def test_who_wakes_differs_from_round_to_round() -> None:
    activation = Activation("random", 0.5, 0.0)
    first, second = (set(awake(at_round(round_), activation)[0].tolist()) for round_ in (1, 2))
    assert first != second


def test_an_unknown_method_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"'sampel' is unknown \(did you mean 'sample'\?\)"):
        Activation("sampel")


GENESIS_ACTIVITY = np.array([profile.activity for profile in GENESIS.profiles])


def test_news_alone_wakes_those_whom_only_news_may_wake() -> None:
    activation = Activation("reached", 1.0, 0.0)
    assert not chances(at_round(1), activation).any()
    assert not len(awake(at_round(1), activation)[0])
