"""The law of own clocks: how often, at which hours, and moved by satisfaction."""

from __future__ import annotations

import numpy as np
import pytest

from audience.engine import GAPS, OWN, Activation, Rhythm, Rules, Timetable
from audience.engine.own_clock import DAY, HOUR, WEEK, drawn_gaps, due, following, pulled
from audience.errors import BadInput
from audience.testing import ScriptedMind, simulate, tiny_genesis
from audience.world import World, actions as a, changes as c, dice, events as e

PEOPLE = np.arange(200_000)
EVEN = Timetable(OWN, hours=(1.0,) * 24)
MONDAY = 4 * DAY
"""The first Monday of 1970."""


def drawn(times: Timetable, *, first: bool = False) -> np.ndarray:
    return drawn_gaps(times, dice(1, "gap", PEOPLE), np.full(len(PEOPLE), first))


@pytest.mark.parametrize("law", GAPS)
def test_gaps_have_a_mean_of_one(law: str) -> None:
    assert drawn(Timetable(OWN, gaps=law)).mean() == pytest.approx(1.0, rel=0.03)


def test_lognormal_gaps_have_their_spread() -> None:
    logs = np.log(drawn(Timetable(OWN, gaps="lognormal", sigma=0.8)))
    assert logs.std() == pytest.approx(0.8, rel=0.01)


def test_pareto_gaps_have_their_tail() -> None:
    assert (drawn(Timetable(OWN, alpha=2.0)) > 9.0).mean() == pytest.approx(0.01, rel=0.1)


@pytest.mark.parametrize("law", GAPS)
def test_the_first_gap_is_what_is_left_of_one_that_began_before(law: str) -> None:
    """Its law is the survival of a gap, cumulated: P(first > x) is the mean of (gap - x)+."""
    times = Timetable(OWN, gaps=law)
    whole, left = drawn(times), drawn(times, first=True)
    for at in (0.2, 1.0, 3.0):
        expected = np.maximum(whole - at, 0.0).mean()
        assert (left > at).mean() == pytest.approx(expected, abs=0.02)


def test_operational_time_and_moments_are_inverse() -> None:
    rhythm = Rhythm(tuple(range(1, 25)), (1, 2, 1, 1, 3, 5, 4))
    moments = MONDAY + np.arange(0, 2 * WEEK, 997)
    assert np.abs(rhythm.moments(rhythm.elapsed(moments)) - moments).max() <= 1
    assert rhythm.elapsed(np.array([MONDAY + WEEK]))[0] == MONDAY + 3 * DAY + WEEK


def test_visits_follow_the_hours_and_the_weekdays() -> None:
    hours = tuple(float(hour >= 18) + 0.25 * (8 <= hour < 18) for hour in range(24))
    times = Timetable(OWN, hours=hours, weekdays=(1, 1, 1, 1, 1, 2, 3))
    start = np.full(len(PEOPLE), MONDAY)
    no = np.zeros(len(PEOPLE), np.bool_)
    rate = np.full(len(PEOPLE), 0.005 / WEEK)
    came = following(times, start, rate, dice(1, "x", PEOPLE), no) - MONDAY
    expected = np.array(hours) / sum(hours)
    found = np.bincount(came % DAY // HOUR, minlength=24) / len(came)
    assert np.abs(found - expected).max() < 0.005
    days = np.bincount(came % WEEK // DAY, minlength=7) / len(came)
    assert days == pytest.approx(np.array([1, 1, 1, 1, 1, 2, 3]) / 10, abs=0.01)


def test_nobody_comes_twice_within_a_window() -> None:
    since = np.full(len(PEOPLE), MONDAY)
    often = np.full(len(PEOPLE), 50.0 / DAY)
    no = np.zeros(len(PEOPLE), np.bool_)
    came = following(EVEN, since, often, dice(1, "x", PEOPLE), no)
    assert (came - since).min() == EVEN.window * 60


def test_satisfied_people_come_more_often() -> None:
    factors = pulled(Activation(loyalty=0.8), np.array([0.0, 0.5, 1.0]))
    assert factors == pytest.approx([0.2, 1.0, 1.8])
    assert pulled(Activation(loyalty=1.0), np.array([0.0]))[0] > 0.0


def content(satisfaction: float) -> int:
    """Return how many visits people make who always leave with that satisfaction."""
    mind = ScriptedMind({}, (a.Leave(satisfaction),))
    times = Timetable(OWN, visits=7)
    genesis = tiny_genesis(40, 20)
    steady = Activation("random", 0.5, 0.8)
    _, keeper = simulate(genesis, mind=mind, rules=Rules(rounds=14), activation=steady, time=times)
    return sum(isinstance(event, e.Woke) for event in keeper.events())


def test_satisfaction_moves_gaps_in_a_run() -> None:
    assert content(0.95) > 1.5 * content(0.05)


@pytest.mark.parametrize("law", GAPS)
def test_people_make_as_many_visits_as_asked_for_from_the_first_week_on(law: str) -> None:
    genesis = tiny_genesis(300, 20)
    mind = ScriptedMind({}, (a.Leave(),))
    times = Timetable(OWN, visits=4, gaps=law)
    steady = Activation("random", 0.5, 0.0)
    _, keeper = simulate(genesis, mind=mind, rules=Rules(rounds=28), activation=steady, time=times)
    weeks = np.zeros(4)
    for chapter in keeper.chapters:
        if chapter.phase == e.VISITS:
            weeks[(chapter.round - 1) // 7] += 1 / 300
    assert weeks == pytest.approx(4.0, abs=0.45)


def test_without_visits_people_come_as_often_as_in_rounds() -> None:
    genesis = tiny_genesis(300, 20)
    mind = ScriptedMind({}, (a.Leave(),))
    steady = Activation("sample", 0.5, 0.0)
    _, keeper = simulate(
        genesis, mind=mind, rules=Rules(rounds=14), activation=steady, time=Timetable(OWN)
    )
    visits = sum(chapter.phase == e.VISITS for chapter in keeper.chapters)
    assert visits == pytest.approx(300 * 14 * 0.5, rel=0.15)


def opened(people: int, at: int) -> World:
    world = World(tiny_genesis(people, 5))
    world.apply(e.RunStarted(1, "", 0.0))
    world.apply(e.RoundStarted(at, world.genesis.clock.at(at)))
    return world


def test_the_silent_do_not_come_and_are_late_afterwards() -> None:
    world = opened(50, 40)
    world.silent = frozenset(range(49))
    often = Timetable(OWN, visits=20)
    who, _ = due(world, Activation("random"), often)
    assert set(who.tolist()) <= {49}
    world.silent = frozenset()
    who, moments = due(world, Activation("random"), often)
    assert len(who) == 50
    clock = world.genesis.clock
    assert clock.at(40) <= moments.min()
    assert moments.max() < clock.at(41)
    assert len(set(moments.tolist())) > 40


def test_a_newcomer_has_a_clock_from_their_first_round_on() -> None:
    world = opened(3, 5)
    newcomer = tiny_genesis(4, 5).profiles[3]
    world.apply(e.Intervened(c.AddPerson(newcomer)))
    assert world.came_at.tolist()[-1] == world.genesis.clock.at(5)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "owm"}, "did you mean 'own'"),
        ({"gaps": "normal"}, "lognormal"),
        ({"hours": (1.0,) * 23}, "hours: give 24 numbers, not 23"),
        ({"weekdays": (0.0,) * 7}, "weekdays: give numbers of at least 0 that are not all 0"),
        ({"hours": (-1.0,) + (1.0,) * 23}, "hours: give numbers of at least 0"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Timetable(**wrong)  # type: ignore[arg-type]
