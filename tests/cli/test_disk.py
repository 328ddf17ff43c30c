"""A disk that is full or may not be written: told so, nothing lost, resumed to the same bytes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.log import Log
from audience.runs import start
from audience.runs.calibration import with_fitted_people
from audience.scenario import parse

Cli = Callable[..., CompletedProcess[str]]
FULL = "agents = 60\nrounds = 12\nrecommender = 'popular'\n[run]\nwave = 10\n"


@pytest.fixture
def forbidden(here: Path) -> Path:
    """A folder in which nothing may be made, also not by the superuser."""
    folder = here / "locked"
    folder.mkdir(mode=0o555)
    if not os.access(folder, os.W_OK):
        return folder
    if Path("/proc/self").is_dir():
        return Path("/proc/self")
    pytest.skip("this user may write everywhere")


def test_a_full_disk_stops_the_run_and_space_lets_it_go_on(cli: Cli, here: Path) -> None:
    whole = start(with_fitted_people(parse(FULL)).scenario, 1, here / "whole").measured.digest
    (here / "full.toml").write_text(FULL)
    room = (here / "whole" / "run.db").stat().st_size * 2 // 3
    failed = subprocess.run(
        [sys.executable, "-m", "audience", "run", "full.toml", "--out", "run", "--no-report"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert failed.returncode == 2, failed.stderr
    assert "run could not be written: the disk" in failed.stderr
    assert "Everything committed before is safe" in failed.stderr
    assert "Continue with: audience resume run" in failed.stderr
    assert "Traceback" not in failed.stderr
    with Log.open(here / "run") as log:
        assert log.complete_rounds() < 12
        assert log.verify() == []
    assert cli("resume", "run", "--no-report").returncode == 0
    assert cli("digest", "run").stdout.strip() == whole


def test_a_place_that_may_not_be_written(cli: Cli, one: Path, forbidden: Path) -> None:
    quick = ("--agents", 20, "--rounds", 1, "--no-report")
    target = forbidden / "out"
    for words in (
        ("run", *quick, "--out", target),
        ("run", *quick, "--recommender", "popular", "--out", target),
        ("branch", one, "--out", target, "--no-report"),
        ("export", one, "--to", "csv", "--out", target),
        ("export", one, "--to", "jsonl", "--out", target),
        ("report", one, "--format", "csv", "--out", target),
        ("init", target),
    ):
        refused = cli(*words)
        assert refused.returncode == 2, words
        assert str(target) in refused.stderr
        assert "Traceback" not in refused.stderr
        assert not target.exists()
