from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.experiments.evaluation.activity import HEADS, fit_of, fits_of, lines, plain, survival
from audience.experiments.evaluation.writing import write_activity
from audience.world.rng import rng


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
    assert [row[0] for row in lines(fits)] == ["one", "two"]
    told = plain(fits, left, 1)
    assert told["left_out"] == left
    paths = write_activity(fits, left, 1, tmp_path / "out")
    assert {path.name for path in paths} == {
        "result.json", "table.md", "table.csv", "figure.png", "figure.svg"
    }  # fmt: skip
    assert len(survival(fits).axes) >= 2


def test_a_path_without_interactions_is_told(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with pytest.raises(BadInput, match="no dataset with interactions"):
        fits_of([tmp_path], 1)
    with pytest.raises(BadInput, match="there is no such path"):
        fits_of([tmp_path / "nowhere"], 1)
