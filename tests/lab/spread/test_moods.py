"""Emotion and attitude beside the counts of a curve."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import Doors
from audience.lab.spread import (
    DISCOVERY,
    RULE,
    Curves,
    Truth,
    curve_in,
    language_minds,
    mood_fits,
    mood_table,
    moods_in,
    rule_courses,
    steady,
    truth_of,
    unmoved,
    write,
)
from audience.llm.fake import Fake
from audience.scenario import Models, SpendingOptions

Serving = Callable[..., AbstractContextManager[Fake]]
HOURS = 40


def written(path: Path, head: str = "hour,active_users,emotion,attitude") -> Path:
    """Write a curve that rises from hour 10 on, whose emotion falls by 0.01 an hour."""
    counts = np.arange(HOURS) + 500 * (1.0 - np.exp(-0.2 * np.maximum(np.arange(HOURS) - 10, 0)))
    rows = (f"{hour},{counts[hour]:.0f},{0.9 - 0.01 * hour:.2f},0.5" for hour in range(HOURS))
    path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "curve.csv")


@pytest.fixture
def truth(data: Path) -> Truth:
    return truth_of(curve_in(data))


def course(emotion: float, positive: float, rounds: int) -> Curves:
    flat = (0.0,) * rounds
    moods = ((emotion,) * rounds, flat, (positive,) * rounds)
    return Curves("news", flat, flat, *moods, flat, flat, flat)


def test_columns_are_found_by_their_names(data: Path, tmp_path: Path) -> None:
    moods = moods_in(data)
    assert {name: len(values) for name, values in moods.items()} == {
        "emotion": HOURS,
        "attitude": HOURS,
    }
    assert moods["emotion"][3] == pytest.approx(0.87)
    assert curve_in(data)[-1] > 500
    bare = tmp_path / "bare.csv"
    bare.write_text("\n".join(f"{hour},{hour * 7}" for hour in range(30)), "utf-8")
    assert moods_in(bare) == {}
    assert len(curve_in(bare)) == 30


def test_what_is_no_share_is_refused_with_its_line(data: Path) -> None:
    text = data.read_text().replace("0.87", "7")
    data.write_text(text)
    with pytest.raises(BadInput, match=r"line 5: '7' is not a number from 0 to 1"):
        moods_in(data)


def test_errors_are_those_of_the_predicted_hours(data: Path, truth: Truth) -> None:
    moods = moods_in(data)
    rounds = len(truth.counts)
    fits = mood_fits(truth, moods, "x", [course(0.6, 0.75, rounds), course(0.6, 0.75, rounds)])
    emotion, attitude = fits
    assert attitude.msed.mean == pytest.approx(0.0625)
    real = moods["emotion"][truth.onset + truth.fitted :]
    assert emotion.msed.mean == pytest.approx(float(((real - 0.6) ** 2).mean()))
    gap = course(0.6, float("nan"), rounds)
    assert np.isnan(mood_fits(truth, moods, "x", [gap])[1].msed.mean)


def test_the_control_stays_as_it_was(data: Path, truth: Truth) -> None:
    emotion, attitude = steady(truth, moods_in(data))
    assert attitude.msed.mean == 0.0
    assert emotion.msed.mean > 0.0
    shown = mood_table([attitude, emotion])
    assert [row[0] for row in shown.rows] == ["emotion", "attitude"]


def test_files_hold_real_and_simulated_moods(data: Path, truth: Truth, tmp_path: Path) -> None:
    moods = moods_in(data)
    parameters = {"news_tell": 0.0, "attention": 0.5, "at once": 0.05}
    courses = rule_courses(50, "preferential", parameters, len(truth.counts), (1, 2))
    fits = [*steady(truth, moods), *mood_fits(truth, moods, RULE, courses)]
    paths = write(truth, [unmoved(truth)], 50, "random", (1, 2), tmp_path / "out", fits, moods)
    text = next(path for path in paths if path.name == "moods.csv").read_text()
    head, *rows = text.splitlines()
    assert head.startswith("hour,emotion real,attitude real,")
    assert head.endswith(f"emotion {RULE},attitude {RULE}")
    assert len(rows) == len(truth.counts)
    table = next(path for path in paths if path.name == "table.md").read_text()
    assert "emotion and attitude" in table


def test_language_minds_live_the_hours_of_a_curve(
    data: Path, truth: Truth, tmp_path: Path, serving: Serving
) -> None:
    like = {"news_tell": 0.0, "attention": 0.5, "at once": 0.2}

    def lived(url: str) -> tuple[object, list[Curves], int]:
        doors = Doors(Models(url=url), SpendingOptions(), tmp_path / "calls")
        row, courses = language_minds(
            truth, like, doors, DISCOVERY, people=12, graph="random", seeds=range(101, 103)
        )
        return row, courses, doors.calls

    with serving() as fake:
        row, courses, calls = lived(fake.url)
        again = lived(fake.url)
    assert calls > 0
    assert again == (row, courses, 0)
    assert [len(course.reach) for course in courses] == [len(truth.counts)] * 2
    assert all(0.0 <= level <= 1.0 for course in courses for level in course.emotion)
    assert any(course.emotion[-1] > 0.0 or max(course.emotion) > 0.0 for course in courses)
    (emotion, attitude) = mood_fits(truth, moods_in(data), "language minds", courses)
    assert emotion.msed.mean >= 0.0
    assert attitude.model == "language minds"
