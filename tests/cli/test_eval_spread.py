"""`audience eval spread` from a file to its table."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from audience.lab.spread import CurveSource, fit_curves, real, reference_curves
from audience.llm.fake import Fake
from audience.runs import pool_of

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture(autouse=True)
def _few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit roughly: how well is tested beside the models."""
    monkeypatch.setattr(real, "_PASSES", 0)
    monkeypatch.setattr(reference_curves, "_FINER", 1)


def written(path: Path) -> Path:
    since = np.maximum(np.arange(50) - 18, 0)
    counts = np.arange(50) + 900 * (1.0 - np.exp(-0.2 * since))
    rows = (f"{hour},{count:.0f}" for hour, count in enumerate(counts))
    path.write_text("hour,active_users\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def test_a_curve_is_fitted_and_predicted(cli: Cli, tmp_path: Path) -> None:
    data = written(tmp_path / "curve.csv")
    words = ("eval", "spread", "--data", data, "--agents", 50, "--seeds", 2)
    told = cli(*words, "--out", tmp_path / "out", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout.splitlines()[-1])
    assert (found["hours"], found["onset"], found["fitted_hours"]) == (50, 18, 12)
    names = ["nobody more", "logistic curve", "Bass curve"]
    names += ["Independent Cascade", "Linear Threshold", "rule minds"]
    assert [one["model"] for one in found["models"]] == names
    assert all(one["msed"]["mean"] >= 0.0 for one in found["models"])
    assert found["verdict"].startswith("Rule minds predict the rest")
    assert all(Path(path).is_file() for path in found["written"])


def test_language_minds_and_moods_stand_beside_the_others(
    cli: Cli, tmp_path: Path, serving: Serving
) -> None:
    data = written(tmp_path / "curve.csv")
    head, *rows = data.read_text().splitlines()
    data.write_text("\n".join([f"{head},emotion", *(f"{row},0.5" for row in rows)]) + "\n")
    flags = ("--agents", 50, "--seeds", 2, "--mind", "llm", "--llm-agents", 10)
    words = ("eval", "spread", "--data", data, *flags, "--news", "The bridge is closed.")
    with serving() as fake:
        told = cli(*words, "--llm", fake.url, "--out", tmp_path / "out", "--json")
        assert told.returncode == 0, told.stderr
        found = json.loads(told.stdout.splitlines()[-1])
        shown = cli(*words, "--llm", fake.url, "--out", tmp_path / "out", "--calls", "stored")
    assert [one["model"] for one in found["models"]][-1] == "language minds"
    models = ["as in the last fitted hour", "rule minds", "language minds"]
    assert [(one["curve"], one["model"]) for one in found["moods"]] == [
        ("emotion", model) for model in models
    ]
    assert found["verdict"].startswith("Rule minds predict the rest")
    assert shown.returncode == 0, shown.stderr
    assert "emotion and attitude" in shown.stdout


def test_what_is_no_curve_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_text("hour,n\n0,1\n1,x\n")
    told = cli("eval", "spread", "--data", tmp_path / "curve.csv")
    assert told.returncode == 2
    assert "line 3: 'x' is not a number" in told.stderr


def test_a_folder_of_curves_tells_the_share_won(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "curves"
    folder.mkdir()
    for name in ("one", "two"):
        written(folder / f"{name}.csv")
    words = ("eval", "spread", "--data", folder, "--agents", 50, "--seeds", 2)
    told = cli(*words, "--out", tmp_path / "out", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout.splitlines()[-1])
    assert [each["cascade"] for each in found["cascades"]] == ["one", "two"]
    wins = {each["model"]: each for each in found["wins"]}
    assert 0.0 <= wins["logistic curve"]["rule_minds_better"]["mean"] <= 1.0
    assert wins["rule minds"]["rule_minds_better"] is None
    assert all(Path(path).is_file() for path in found["written"])


def test_two_processes_fit_the_same(tmp_path: Path) -> None:
    where = CurveSource(str(written(tmp_path / "curve.csv")), 50, "random")
    alone = fit_curves(where, (101, 102))
    with pool_of(2) as pool:
        (together,) = fit_curves(where, (101, 102), pool=pool)
    assert together.rows == alone[0].rows
