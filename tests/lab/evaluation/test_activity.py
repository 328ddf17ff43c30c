from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.lab.evaluation import activity_values, fits_of, foot, table, write_activity
from audience.lab.evaluation.activity import HEADS, fit_of, survival
from audience.results import Interval
from audience.world import rng


def test_a_law_is_found_again_within_its_interval() -> None:
    draws = rng(1, "activity")
    counts = np.maximum(np.round(np.exp(draws.normal(4.0, 0.8, 2_000))), 1).astype(np.int64)
    fit = fit_of("drawn", counts, 1)
    assert fit.fitted.best == "lognormal"
    for head, value in (("mu", 4.0), ("sigma", 0.8)):
        assert fit.values[head].low - 0.02 < value < fit.values[head].high + 0.02
    for head in HEADS:
        assert fit.values[head].low <= fit.values[head].high


def test_a_folder_of_datasets_is_read_one_by_one(
    tmp_path: Path, written: Callable[..., Path]
) -> None:
    for name in ("one", "two"):
        folder = written(tmp_path / "all" / name)
        with (folder / "interactions.csv").open("a") as more:
            added = [f"p{n},i{n},2021-01-01T00:00:00,3\n" for n in range(30)]
            more.write("".join(added))
    (tmp_path / "all" / "empty").mkdir()
    (tmp_path / "all" / "README.md").write_text("notes")
    fits, left = fits_of([tmp_path / "all"], 1)
    assert [one.name for one in fits] == ["one", "two"]
    assert len(left) == 1
    assert left[0].startswith("empty: ")
    assert [row[0] for row in table(fits).rows] == ["one", "two"]
    told = activity_values(fits, left, 1)
    assert told["left_out"] == left
    paths = write_activity(fits, left, 1, tmp_path / "out")
    assert {path.name for path in paths} == {
        "result.json", "table.md", "table.csv", "figure.png", "figure.svg"
    }  # fmt: skip
    figure = survival(fits)
    assert [axes.texts[0].get_text().split()[:2] for axes in figure.axes] == [["KS", "Pareto"]] * 2
    note = (tmp_path / "out" / "table.md").read_text()
    assert "seed 1" in note
    assert f"left out: {left[0]}" in note


def test_the_file_for_programs_holds_numbers_with_their_bounds(tmp_path: Path) -> None:
    draws = rng(1, "activity")
    fit = fit_of("drawn", draws.integers(1, 4_000, 1_500), 1)
    write_activity([fit], [], 1, tmp_path)
    with (tmp_path / "table.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["people"] == "1500"
    for head in HEADS:
        one = fit.values[head]
        found = [float(row[name]) for name in (head, f"{head} low", f"{head} high")]
        assert found == pytest.approx([one.mean, one.low, one.high], abs=1e-6)


def test_what_is_not_a_number_is_none_for_programs() -> None:
    fit = fit_of("drawn", rng(1, "activity").integers(1, 4_000, 200), 1)
    unknown = Interval(float("nan"), float("-inf"), float("inf"))
    told = activity_values([replace(fit, values={**fit.values, HEADS[0]: unknown})], [], 1)
    (row,) = json.loads(json.dumps(told, allow_nan=False))["datasets"]
    assert row["values"][HEADS[0]] == {"mean": None, "low": None, "high": None, "count": 0}
    assert row["values"][HEADS[1]]["mean"] == fit.values[HEADS[1]].mean


def test_the_reason_for_leaving_something_out_is_told_whole(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    rows = "".join(f"p{n % 9},i{n % n_items}\n" for n_items in (7, 11) for n in range(90))
    (tmp_path / "good" / "interactions.csv").write_text(f"user,item\n{rows}")
    (tmp_path / "bad").mkdir()
    strange = [f"column_{'x' * 20}_{n}" for n in range(8)]
    (tmp_path / "bad" / "interactions.csv").write_text(",".join(strange) + "\n" + "1," * 7 + "1\n")
    _, left = fits_of([tmp_path], 1)
    assert len(left) == 1
    assert strange[-1] in left[0]


def test_a_path_without_interactions_is_told(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with pytest.raises(BadInput, match="no dataset with interactions"):
        fits_of([tmp_path], 1)
    with pytest.raises(
        BadInput, match=r"there is no such path, and dataset '/.*nowhere' is unknown"
    ):
        fits_of([tmp_path / "nowhere"], 1)


def test_data_that_are_cut_off_are_said_to_be() -> None:
    draws = rng(1, "activity")
    whole = draws.integers(1, 4_000, 500)
    fits = [fit_of("whole", whole, 1), fit_of("cut", np.minimum(whole, 2_000), 1)]
    (_, told) = foot(fits, [], 1)
    assert told.startswith("cut: 48%")
    assert "exactly 2,000, and nobody has more" in told
