"""`audience eval backtest` from files to a validation that reports tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from tests.lab.backtest.test_coat import made

Cli = Callable[..., CompletedProcess[str]]
SCENARIO = """
agents = 20
rounds = 1
{}
[arms.popular]
recommender = "popular"
[arms.random]
recommender = "random"
"""


def test_a_backtest_is_stored_and_told_by_the_report(cli: Cli, tmp_path: Path) -> None:
    coat = made(tmp_path / "coat.npz")
    told = cli("eval", "backtest", "--data", coat, "--out", tmp_path / "out", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout.splitlines()[-1])
    assert found["verdict"].startswith("Validated for ranking 12 recommenders")
    assert all(Path(path).is_file() for path in found["written"])
    scenario = tmp_path / "mine.toml"
    scenario.write_text(SCENARIO.format('validated = "out/validation.json"'), "utf-8")
    ran = cli("run", scenario, "--out", tmp_path / "run")
    assert ran.returncode == 0, ran.stderr
    cli("report", tmp_path / "run", "--format", "html", "--format", "json", "--format", "md")
    for kind in ("html", "md", "json"):
        text = (tmp_path / "run" / f"report.{kind}").read_text("utf-8")
        assert "Validated for ranking 12 recommenders" in text.replace("&nbsp;", " "), kind


def test_without_a_backtest_the_report_says_so(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SCENARIO.format(""), "utf-8")
    assert cli("run", tmp_path / "mine.toml", "--out", tmp_path / "run").returncode == 0
    text = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "Nothing was validated" in text


def test_a_missing_validation_and_an_unknown_set_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SCENARIO.format('validated = "none.json"'), "utf-8")
    told = cli("run", tmp_path / "mine.toml", "--out", tmp_path / "run")
    assert told.returncode == 2
    assert "none.json does not exist; name the validation.json" in told.stderr
    (tmp_path / "some.csv").write_text("a\n1\n", "utf-8")
    told = cli("eval", "backtest", "--data", tmp_path / "some.csv")
    assert told.returncode == 2
    assert "which set is it? Say --set" in told.stderr


def test_a_log_is_estimated(cli: Cli, tmp_path: Path) -> None:
    rows = "".join(f"{'ab'[n % 2]},{n % 4 == 0:d},0.5\n" for n in range(40))
    (tmp_path / "own.csv").write_text("item,reward,propensity\n" + rows, "utf-8")
    words = ("eval", "backtest", "--data", tmp_path / "own.csv", "--set", "log")
    told = cli(*words)
    assert told.returncode == 0, told.stderr
    assert "SNIPS" in told.stdout
    found = json.loads(cli(*words, "--json").stdout)
    assert found["rows"] == 40
