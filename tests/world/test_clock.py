from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from audience.errors import BadInput
from audience.world import Clock, shown


def days(clock: Clock, rounds: int) -> list[str]:
    return [shown(clock.at(round_)) for round_ in range(1, rounds + 1)]


def test_round_1_begins_at_the_start() -> None:
    assert shown(Clock("2025-03-04T05:06", "5h").at(1)) == "2025-03-04 05:06"
    assert Clock("1970-01-01", "1s").at(1) == 0


@pytest.mark.parametrize(
    ("step", "second"),
    [
        ("30s", "2025-01-01 00:00"),
        ("5m", "2025-01-01 00:05"),
        ("5h", "2025-01-01 05:00"),
        ("2d", "2025-01-03 00:00"),
        ("1M", "2025-02-01 00:00"),
        ("1y", "2026-01-01 00:00"),
        (" 5 h ", "2025-01-01 05:00"),
        ("14M", "2026-03-01 00:00"),
    ],
)
def test_every_unit(step: str, second: str) -> None:
    assert shown(Clock("2025-01-01", step).at(2)) == second


def test_minutes_and_months_are_different_letters() -> None:
    assert Clock(step="1m").at(2) - Clock(step="1m").at(1) == 60
    assert Clock(step="1M").at(2) - Clock(step="1M").at(1) == 31 * 86400


def test_months_keep_the_day_where_the_month_has_it() -> None:
    assert days(Clock("2025-01-31", "1M"), 5) == [
        "2025-01-31 00:00",
        "2025-02-28 00:00",
        "2025-03-31 00:00",
        "2025-04-30 00:00",
        "2025-05-31 00:00",
    ]


def test_february_of_a_leap_year() -> None:
    assert days(Clock("2024-01-31", "1M"), 2)[1] == "2024-02-29 00:00"
    assert days(Clock("2100-01-31", "1M"), 2)[1] == "2100-02-28 00:00"
    assert days(Clock("2024-02-29", "1y"), 5)[1:] == [
        "2025-02-28 00:00",
        "2026-02-28 00:00",
        "2027-02-28 00:00",
        "2028-02-29 00:00",
    ]
    assert days(Clock("2024-02-28", "1d"), 3)[1:] == ["2024-02-29 00:00", "2024-03-01 00:00"]


def test_months_pass_the_end_of_a_year() -> None:
    assert days(Clock("2025-11-15", "1M"), 4)[2:] == ["2026-01-15 00:00", "2026-02-15 00:00"]
    assert days(Clock("2025-12-31", "1M"), 3)[1:] == ["2026-01-31 00:00", "2026-02-28 00:00"]


def test_a_zone_is_heeded() -> None:
    assert shown(Clock("2025-01-01T00:00+02:00", "1d").at(1)) == "2024-12-31 22:00"


@given(
    st.sampled_from(["7s", "3m", "5h", "1d", "1M", "2y"]),
    st.integers(1, 300),
    st.floats(0, 1, exclude_max=True),
)
def test_rounds_follow_one_another_without_a_gap(step: str, round_: int, fraction: float) -> None:
    clock = Clock("2023-10-31T13:37", step)
    begin, end = clock.at(round_), clock.at(round_ + 1)
    assert begin < end == clock.at(round_, 1.0)
    assert begin <= clock.at(round_, fraction) < end


@pytest.mark.parametrize(
    "step", ["", "h", "5", "5x", "-5h", "1.5h", "0d", "00h", "5h 5m", "5H", "1D", "½h"]
)
def test_a_bad_interval_says_what_is_wanted(step: str) -> None:
    with pytest.raises(BadInput, match="as in '5h'"):
        Clock(step=step)


@pytest.mark.parametrize("start", ["", "tomorrow", "2025-02-30", "2025-13-01", "25"])
def test_a_bad_start_says_what_is_wanted(start: str) -> None:
    with pytest.raises(BadInput, match="2025-01-01"):
        Clock(start=start)


@pytest.mark.parametrize("step", ["9999999y", "999999999999M", "99999999999999999999d"])
def test_an_interval_beyond_the_calendar_is_bad_input(step: str) -> None:
    with pytest.raises(BadInput, match="9999"):
        Clock(step=step)


def test_a_round_beyond_the_calendar_is_bad_input() -> None:
    with pytest.raises(BadInput, match="9999"):
        Clock("2025-01-01", "1y").at(9_000)
