from __future__ import annotations

import json
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.runs import (
    branch,
    compared,
    condition,
    first_difference,
    plain_comparison,
    resume,
    ruled,
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


def test_a_comparison_has_no_number_that_json_lacks(places: tuple[Path, Path]) -> None:
    both = compared(places)
    found = plain_comparison(both, ruled([condition("gini < 3")], both), "here")
    written = json.loads(json.dumps(found, allow_nan=False))
    assert (written["failed"], written["first_difference"]) == (["gini < 3"], "here")
    assert "no interval" in written["gate"][0]["why"]
    rows = {row["metric"]: row for row in written["differences"]}
    assert rows["gini"]["low"] is None
    assert rows["picks"]["low"] < rows["picks"]["high"]
