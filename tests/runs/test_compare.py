from __future__ import annotations

import json
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.results import Difference
from audience.runs import (
    branch,
    compared,
    condition,
    first_difference,
    plain_comparison,
    resume,
    start,
)
from audience.scenario import parse

SMALL = parse("agents = 40\nrounds = 3\nrecommender = 'popular'")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run and its branch, in which a person is silent from round 2 on."""
    folder = tmp_path_factory.mktemp("compared")
    start(SMALL, 1, folder / "parent")
    everybody: list[dict[str, object]] = [
        {"round": 2, "do": "silence", "agent": who} for who in range(20)
    ]
    resume(branch(folder / "parent", folder / "child", 1, tuple(everybody)))
    return folder / "parent", folder / "child"


def test_people_are_paired(places: tuple[Path, Path]) -> None:
    found = compared(places)
    assert [arm.name for arm in found.arms] == ["parent", "child"]
    picks = next(one for one in found.differences if one.metric == "picks")
    totals = [arm.runs[0].totals["picks"] for arm in found.arms]
    assert picks.pairs == 40
    assert picks.difference * 40 == pytest.approx(totals[1] - totals[0])
    assert picks.percent == pytest.approx(100 * (totals[1] / totals[0] - 1))


def test_where_two_logs_part(places: tuple[Path, Path]) -> None:
    said = first_difference(places)
    assert said is not None
    assert said.startswith("round 2, opening: nothing against Intervention: silence: agent ")
    assert first_difference((places[0], places[0])) is None


def test_a_shorter_log_ends_first(places: tuple[Path, Path], tmp_path: Path) -> None:
    short = branch(places[0], tmp_path / "short", 2)
    assert first_difference((places[0], short)) == f"round 3, opening: only {places[0]} has it"
    with pytest.raises(BadInput, match=r"short has 2 complete rounds and .*parent 3"):
        compared((places[0], short))


def test_runs_with_other_people_cannot_be_paired(places: tuple[Path, Path], tmp_path: Path) -> None:
    start(SMALL, 2, tmp_path / "other")
    with pytest.raises(BadInput, match="begin with different people or items"):
        compared((places[0], tmp_path / "other"))
    with pytest.raises(BadInput, match="is one run; give two or more"):
        compared(places[:1])


def difference(value: float, reference: float = 10.0) -> Difference:
    return Difference("picks", "a", "b", reference, reference + value, value, -1, 1, 5, "seeds")


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("picks < -2%", -0.21, True),
        ("picks < -2%", -0.2, False),
        ("picks <= -2 %", -0.2, True),
        ("picks>0.5", 0.6, True),
        ("picks >= +0.5", 0.5, True),
        ("picks > 0.5", 0.5, False),
        ("gini > -100", 5.0, False),
    ],
)
def test_a_condition_holds_as_it_reads(text: str, value: float, holds: bool) -> None:
    assert condition(text).holds([difference(value)]) is holds


def test_a_percentage_of_nothing_holds_never() -> None:
    assert not condition("picks > -100%").holds([difference(1.0, reference=0.0)])


@pytest.mark.parametrize("text", ["picks", "picks = 3", "picks < much", "< 3", "picks < 3 < 4"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not METRIC < NUMBER"):
        condition(text)


def test_a_comparison_has_no_number_that_json_lacks(places: tuple[Path, Path]) -> None:
    found = plain_comparison(compared(places), ["x < 3"], "here")
    written = json.loads(json.dumps(found, allow_nan=False))
    assert (written["failed"], written["first_difference"]) == (["x < 3"], "here")
    rows = {row["metric"]: row for row in written["differences"]}
    assert rows["gini"]["low"] is None
    assert rows["picks"]["low"] < rows["picks"]["high"]
