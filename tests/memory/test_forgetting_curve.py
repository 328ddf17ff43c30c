from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from audience.memory import DAY, HOUR, Forgetting, chance, forgetting, recency
from audience.memory.forgetting_curve import fade
from audience.testing import tiny_genesis
from audience.world import Agent, Floats, Ints, Thought, dice

UNIT = st.floats(0.0, 1.0)
NOW = 1_000 * DAY


def draw(agents: Ints, thoughts: Ints) -> Floats:
    return dice(3, "forget", agents, 1, thoughts).uniform("fade")


def person(*thoughts: Thought) -> Agent:
    return Agent(tiny_genesis(3, 3).profiles[1], b"", thoughts=thoughts)


def test_the_function_of_the_paper() -> None:
    assert float(forgetting(0.5, 1.0)) == pytest.approx(1 - 0.75)
    assert float(forgetting(0.9, 0.25)) == pytest.approx(1 - 0.575 * 0.125)
    assert float(forgetting(0.4, 0.0)) == pytest.approx(1 - 0.2 * 0.01)


@given(UNIT, UNIT, UNIT, st.floats(1.01, 5.0), st.floats(0.001, 0.999))
def test_neither_importance_nor_recency_lowers_survival(
    low: float, high: float, other: float, beta: float, delta: float
) -> None:
    low, high = sorted((low, high))
    assert forgetting(high, other, beta, delta) <= forgetting(low, other, beta, delta)
    assert forgetting(other, high, beta, delta) <= forgetting(other, low, beta, delta)


@given(
    st.floats(0.01, 0.9),
    st.floats(0.01, 0.9),
    st.integers(25, 5_000),
    st.integers(0, 3_000),
    st.integers(1, 60),
)
def test_who_is_more_important_or_more_recent_outlives_with_the_same_dice(
    low: float, high: float, hours: int, later: int, days: int
) -> None:
    low, high = sorted((low, high))
    touched = NOW - hours * HOUR
    weak = [Thought(7, "a", low, touched)]
    strong = [Thought(7, "a", high, min(NOW, touched + later * HOUR))]
    laws = Forgetting(rate=0.9)
    since = NOW - days * DAY
    gone_weak, gone_strong = (
        fade([person(*some)], since, NOW, draw, laws)[0] for some in (weak, strong)
    )
    assert not gone_strong or gone_weak


def test_survival_depends_on_time_and_not_on_the_length_of_a_round() -> None:
    laws = Forgetting(beta=1.5, rate=0.2)
    weight, touched = np.array([0.63]), np.array([NOW - 300 * DAY])

    def left(step: int) -> float:
        alive, since = 1.0, NOW
        while since < NOW + 30 * DAY:
            alive *= 1 - float(chance(weight, touched, since, since + step, laws)[0])
            since += step
        return alive

    assert left(DAY) == pytest.approx(left(6 * HOUR), rel=1e-3)
    assert left(DAY) == pytest.approx(left(5 * DAY), rel=1e-3)


def test_what_was_touched_within_a_day_stays_and_short_term_does_not_fade() -> None:
    laws = Forgetting(rate=1.0)
    old = NOW - 2_000 * DAY
    me = person(
        Thought(0, "fresh", 0.0, NOW - 23 * HOUR),
        Thought(1, "recalled", 0.0, old, accessed=NOW - 2 * HOUR),
        Thought(2, "short", 0.0, old, store="short"),
        Thought(3, "old", 0.0, old),
    )
    assert fade([me], NOW - 400 * DAY, NOW, draw, laws) == [(3,)]


def test_the_measured_share_is_the_probability() -> None:
    laws = Forgetting(rate=0.05)
    touched = NOW - 20 * DAY
    me = person(*(Thought(number, "x", 0.7, touched) for number in range(20_000)))
    share = len(fade([me], NOW - DAY, NOW, draw, laws)[0]) / 20_000
    odds = float(chance(np.array([0.7]), np.array([touched]), NOW - DAY, NOW, laws)[0])
    assert share == pytest.approx(odds, abs=4 * (odds * (1 - odds) / 20_000) ** 0.5)
    assert float(recency(NOW, np.array([NOW - HOUR]), 0.99)[0]) == pytest.approx(0.99)


@pytest.mark.parametrize(
    "wrong", [{"beta": 1.0}, {"delta": 0.0}, {"decay": 0.0}, {"rate": 2.0}, {"untouched": -1.0}]
)
def test_constants_out_of_range_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is"):
        Forgetting(**wrong)
