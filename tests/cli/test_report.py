from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., CompletedProcess[str]]


def test_a_report_is_written_from_logs_alone(cli: Cli, both: Path) -> None:
    told = cli("report", both, "--format", "csv", "--format", "json", "--out", "paper")
    assert told.returncode == 0
    assert told.stdout.splitlines() == ["paper/report.csv", "paper/report.json"]
    found = json.loads(Path("paper/report.json").read_text())
    assert [arm["name"] for arm in found["arms"]] == ["random", "popular"]
    assert not (both / "report.csv").exists()


def test_a_run_has_a_report_too(cli: Cli, one: Path) -> None:
    assert cli("report", one, "--format", "csv").returncode == 0
    assert (one / "report.csv").read_text().startswith("metric,label,unit,")


def test_a_place_that_is_taken_is_told(cli: Cli, one: Path) -> None:
    (one / "report.csv").mkdir()
    refused = cli("report", one, "--format", "csv", "--format", "json")
    assert refused.returncode == 2
    assert "one/report.csv could not be written" in refused.stderr
    assert not (one / "report.json").exists()
