"""Kept results of benchmarks: what is compared with what, and what counts as slower."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from benchmarks.__main__ import figures_of, median_row
from benchmarks.calibration import calibrate
from benchmarks.history import (
    FOLDER,
    KeptFigure,
    KeptResult,
    Machine,
    changes,
    history_figure,
    keep,
    kept_results,
    new_result,
    slower,
)
from benchmarks.measuring import row

from audience.results import write_figure

HERE = Machine("A chip", 2, "3.11", "Linux x86_64")
ELSEWHERE = Machine("Another chip", 2, "3.11", "Linux x86_64")


def result(date: str, *figures: KeptFigure, machine: Machine = HERE) -> KeptResult:
    return KeptResult(date, f"c{date}", True, machine, figures)


def rate(value: float, calibration: float = 1.0, name: str = "decisions") -> KeptFigure:
    return KeptFigure(name, "decisions/s", (value,), (calibration,))


def seconds(value: float, calibration: float = 1.0, name: str = "branch") -> KeptFigure:
    return KeptFigure(name, "s", (value,), (calibration,))


def names(now: KeptResult, *history: KeptResult) -> list[str]:
    return [change.now.name for change in slower(changes(now, history))]


def test_what_takes_more_than_a_tenth_longer_is_slower() -> None:
    before = result("1", rate(100.0), seconds(2.0))
    assert names(result("2", rate(91.5), seconds(2.18)), before) == []
    assert names(result("2", rate(90.0), seconds(2.0)), before) == ["decisions"]
    assert names(result("2", rate(80.0), seconds(4.0)), before) == ["branch", "decisions"]
    assert names(result("2", rate(200.0), seconds(1.0)), before) == []


def test_a_slower_machine_is_no_slower_program() -> None:
    before = result("1", rate(100.0), seconds(2.0))
    # The loop in between took twice as long too.
    assert names(result("2", rate(50.0, 2.0), seconds(4.0, 2.0)), before) == []
    assert names(result("2", rate(95.0, 0.5), seconds(2.1, 0.5)), before) == [
        "decisions",
        "branch",
    ]


def test_a_faster_machine_makes_nothing_slower_that_takes_less_time() -> None:
    before = result("1", rate(100.0), seconds(2.0))
    # The loop gained more from it than the program.
    assert names(result("2", rate(120.0, 0.5), seconds(1.7, 0.5)), before) == []
    share = KeptFigure("servers", "share", (0.95,), (1.0,))
    worse = KeptFigure("servers", "share", (0.8,), (0.1,))
    assert names(result("2", worse), result("1", share)) == ["servers"]


def test_sizes_and_shares_need_no_calibration() -> None:
    size = KeptFigure("install", "MB", (400.0,), (1.0,))
    share = KeptFigure("servers", "share", (0.95,), (1.0,))
    before = result("1", size, share)
    larger = KeptFigure("install", "MB", (450.0,), (5.0,))
    lower = KeptFigure("servers", "share", (0.8,), (0.1,))
    assert names(result("2", larger, lower), before) == ["servers", "install"]
    same = KeptFigure("install", "MB", (401.0,), (0.1,))
    assert names(result("2", same), before) == []


def test_the_latest_of_the_same_kind_of_machine_counts() -> None:
    first, second = result("1", rate(100.0), seconds(1.0)), result("2", rate(50.0))
    other = result("3", rate(1000.0), machine=ELSEWHERE)
    later = result("9", rate(1000.0))
    now = result("4", rate(48.0), seconds(2.0))
    found = {
        change.now.name: change.commit for change in changes(now, [first, second, other, later])
    }
    assert found == {"decisions": "c2", "branch": "c1"}
    assert names(now, first, second, other, later) == ["branch"]
    assert changes(result("0", rate(1.0)), [first]) == []


def test_medians_of_repetitions_are_compared() -> None:
    noisy = KeptFigure("decisions", "decisions/s", (100.0, 10.0, 105.0), (1.0, 1.0, 1.0))
    assert noisy.value == 100.0
    assert names(result("2", noisy), result("1", rate(100.0))) == []
    shared = KeptFigure("decisions", "decisions/s", (100.0, 50.0, 34.0), (1.0, 2.0, 3.0))
    assert names(result("2", shared), result("1", rate(100.0))) == []


def test_rows_become_figures() -> None:
    repeated = [
        row("x", f"{value} s", "5 s", True, kept=("x", value, "s")) | {"calibration": 0.5}
        for value in (3.0, 1.0, 2.0)
    ]
    plain = [row("y", "equal", "equal", True) | {"calibration": 0.5}]
    (figure,) = figures_of([repeated, plain])
    assert figure == KeptFigure("x", "s", (3.0, 1.0, 2.0), (0.5, 0.5, 0.5))
    assert figure.ratio == 4.0
    assert median_row(repeated)["measured"] == "2.0 s"
    assert median_row(plain) == plain[0]


def test_results_are_kept_one_file_each_and_drawn(tmp_path: Path) -> None:
    for kept in (
        result("2", rate(2.0)),
        result("1", rate(1.0)),
        result("3", rate(9.0), seconds(1.0)),
    ):
        keep(kept, tmp_path)
    assert [kept.date for kept in kept_results(tmp_path)] == ["1", "2", "3"]
    path = write_figure(history_figure(kept_results(tmp_path)), tmp_path / "history.svg")
    assert path.read_text("utf-8").startswith("<?xml")


def test_a_result_tells_the_kind_of_machine_and_no_more(tmp_path: Path) -> None:
    path = keep(new_result([rate(1.0)]), tmp_path)
    text = path.read_text("utf-8")
    assert socket.gethostname() not in text
    assert str(Path.home()) not in text
    assert str(Path.cwd()) not in text
    assert json.loads(text)["machine"].keys() == {"cpu", "cores", "python", "system"}


def test_the_loop_takes_time() -> None:
    assert calibrate() > 0.0


def test_kept_results_can_be_read() -> None:
    for path in FOLDER.glob("*.json"):
        assert path.name.startswith(json.loads(path.read_text("utf-8"))["date"])
    assert [kept.figures for kept in kept_results() if not kept.figures] == []
