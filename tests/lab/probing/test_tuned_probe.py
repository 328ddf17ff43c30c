from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from audience.grounding import Bin
from audience.lab.evaluation import Result
from audience.lab.evaluation.contest import StoredAnswers
from audience.lab.evaluation.result import with_rows
from audience.lab.probing.result import ProbeRow
from audience.lab.probing.tuned_probe import (
    BARS,
    TunedOptions,
    TunedRows,
    bars_met,
    contest_rows,
    keep_tuned,
    tuned_result,
)
from audience.llm import Counts

KINDS = {
    "content and popularity": "baseline",
    "grounded": "mind",
    "tuned": "mind",
    "grounded+tuned": "mind",
}
PAIRS = (("grounded+tuned", "grounded"), ("tuned", "content and popularity"))


def contest(tuned: float = 0.75, added: float = 0.05) -> Result:
    """Return a contest in which everybody's shares are known."""
    wobble = np.tile([-0.01, 0.01], 50)
    values = {
        "content and popularity": 0.5 + wobble,
        "grounded": 0.8 - wobble,
        "tuned": tuned + wobble,
        "grounded+tuned": 0.8 + added + wobble,
    }
    columns = tuple(BARS["uniform"])
    empty = Result("discrimination", "x", "x", 100, 1, "audience-135m", tuple(BARS), columns)
    table = {group: dict.fromkeys(columns, values) for group in BARS}
    stored = StoredAnswers([np.zeros(2)] * 100, Counts(calls=100), 4.0)
    return with_rows(empty, KINDS, table, [{("tuned", "uniform (1,5)"): stored}], pairs=PAIRS)


def rows_of(result: Result, *, is_barred: bool) -> dict[tuple[str, str], ProbeRow]:
    rows = contest_rows(result, "tuned", is_barred=is_barred)
    return {(row.part, row.what): row for row in rows}


def test_choices_stand_beside_the_bars_on_the_data_of_the_bars_alone() -> None:
    rows = rows_of(contest(), is_barred=True)
    assert rows["choices", "uniform (3,3)"].chance == 0.857
    assert rows["choices", "matched (1,9)"].chance == 0.536
    assert rows["less content and popularity", "tuned, uniform (1,5)"].chance is None
    elsewhere = rows_of(contest(), is_barred=False)
    assert elsewhere["choices", "uniform (3,3)"].chance is None
    assert elsewhere["less content and popularity", "tuned, uniform (1,5)"].chance == 0.0


def test_more_than_evidence_is_asked_for_among_items_as_popular() -> None:
    rows = rows_of(contest(), is_barred=True)
    matched = rows["less grounded", "grounded+tuned, matched (1,5)"]
    assert (matched.chance, matched.unit) == (0.0, "difference")
    assert matched.value == pytest.approx(0.05)
    assert rows["less grounded", "grounded+tuned, uniform (1,5)"].chance is None


def test_what_is_lost_against_full_tuning_is_told_on_the_data_of_the_bars() -> None:
    lost = rows_of(contest(), is_barred=True)["less full tuning", "uniform (3,3)"]
    assert lost.value == pytest.approx(0.75 - 0.877)
    assert lost.chance is None
    assert ("less full tuning", "uniform (3,3)") not in rows_of(contest(), is_barred=False)


def test_speed_is_decisions_by_wall_time() -> None:
    rows = rows_of(contest(), is_barred=True)
    assert rows["speed", "page decisions a second"].value == pytest.approx(25.0)


def test_bars_are_met_by_means_and_differences_by_whole_intervals() -> None:
    met = bars_met(contest_rows(contest(), "tuned", is_barred=True))
    assert met.startswith("Bars met: 9 of 12; not: ")
    for what in ("uniform (3,3)", "uniform (3,7)", "matched (3,3)"):
        assert what in met
    unsure = bars_met(contest_rows(contest(added=0.0005), "tuned", is_barred=True))
    assert "less grounded grounded+tuned, matched (1,5)" in unsure
    none = ProbeRow("speech", "pass", None, None, None, 0, chance=0.95)
    assert bars_met([none]) == "Bars met: 0 of 1; not: speech pass."
    expected = ProbeRow("calibration", "error", 0.1, None, None, 9, chance=0.01)
    assert bars_met([expected]) == "Bars met: 0 of 0."


def test_everything_is_written_into_one_folder(tmp_path: Path) -> None:
    row = ProbeRow("speech", "pass all checks unaided", 0.97, 0.9, 0.99, 300, chance=0.95)
    bins: dict[str, tuple[Bin, ...]] = {
        "uniform (1,5)": (Bin(0.2, 0.25, 0.1, 0.4, 30), Bin(0.6, 0.5, 0.3, 0.7, 30))
    }
    measured = TunedRows((row,), ("a note",), bins)
    spent = (Counts(calls=7), "$0", "$0")
    result = tuned_result(contest(), "tuned", measured, *spent, is_barred=True)
    names = {path.name for path in keep_tuned(result, tmp_path)}
    assert {"report.md", "tuned.json", "tuned.csv", "tuned.md", "reliability.png"} <= names
    report = (tmp_path / "report.md").read_text()
    for word in ("grounded+tuned less grounded", "Bars met: 10 of 13", "0.970", "a note"):
        assert word in report
    kept = msgspec.json.decode((tmp_path / "tuned.json").read_bytes())
    assert kept["chosen"] == 100


def test_the_contest_has_evidence_the_model_and_both() -> None:
    assert TunedOptions(Path("x")).kinds == ("grounded", "tuned", "grounded+tuned")
    assert TunedOptions(Path("x"), "llm+score").kinds[2] == "grounded+llm+score"
