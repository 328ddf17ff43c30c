"""`audience eval tuned`: one command, one report."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.lab.evaluation import part_of_user
from audience.llm.fake import Fake

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
pytestmark = pytest.mark.usefixtures("without_trees")


def test_everything_is_measured_once_and_told_in_one_report(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    unseen = sum(part_of_user(f"p{n}") == "test" for n in range(40))
    given = ("eval", "tuned", "--data", walkers, "--lists", 3, "--lines", 8, "--out", here / "o")
    with serving() as fake:
        whole = (*given, "--llm", fake.url)
        done = cli(*whole)
    assert done.returncode == 0, done.stderr
    for word in ("grounded+tuned less grounded", "expected calibration error", "Bars met:"):
        assert word in done.stdout
    assert "where the model says" not in done.stdout, "bins are in the files"
    # The server is gone: everything was kept.
    told = json.loads(cli(*whole, "--json").stdout.splitlines()[-1])
    assert told["contest"]["users"] == unseen
    assert told["contest"]["calls_now"] == 0
    rows = {(row["part"], row["what"]): row for row in told["measured"]["rows"]}
    assert rows["choices", "uniform (1,5)"]["chance"] is None, "bars are of another dataset"
    assert rows["less grounded", "grounded+tuned, matched (1,5)"]["chance"] == 0.0
    assert rows["less content and popularity", "tuned, uniform (1,5)"]["chance"] == 0.0
    assert rows["speed", "page decisions a second"]["count"] == 16 * unseen
    assert rows["speed", "page decisions a second"]["value"] > 0.0
    assert rows["orders", "options in 5 orders: the same choice in all"]["count"] == 3
    assert rows["speech", "pass all checks unaided"]["count"] == 8
    report = (here / "o" / "report.md").read_text()
    for word in (
        "# Discrimination",
        "grounded+tuned",
        "where the model says",
        "Speech, faults of 8",
    ):
        assert word in report
    names = {path.name for path in (here / "o").iterdir()}
    assert {"report.md", "tuned.json", "tuned.csv", "reliability.png", "figure.svg"} <= names


def test_an_endpoint_without_log_probabilities_is_refused(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    with serving(scores="none") as fake:
        done = cli("eval", "tuned", "--data", walkers, "--lines", 0, "--llm", fake.url)
    assert done.returncode == 2
    assert "gives no log-probabilities" in done.stderr


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--mind", "llm"), "--mind"),
        (("--agents", 900), "people are eligible"),
        (("--window", 1), "give 2 or more"),
        (("--model", "another"), "leave --model out"),
    ],
)
def test_mistakes_are_told_with_a_remedy(
    cli: Cli, here: Path, walkers: Path, given: tuple[object, ...], told: str
) -> None:
    nobody = ("--llm", "http://127.0.0.1:9/v1")
    done = cli("eval", "tuned", "--data", walkers, *nobody, *given)
    assert done.returncode == 2
    assert told in done.stderr
