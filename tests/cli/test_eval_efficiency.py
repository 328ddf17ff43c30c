"""`audience eval efficiency` against fake servers; nothing is asserted about time."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.errors import BadInput
from audience.lab.probing import endpoints_by_key
from audience.llm.fake import Fake

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]


def test_each_combination_is_timed_and_drawn(cli: Cli, here: Path, serving: Serving) -> None:
    with serving() as first, serving() as second:
        flags = ("--llm", first.url, "--llm", second.url, "--people", "3,6", "--in-flight", "1,4")
        told = cli("eval", "efficiency", *flags, "--seeds", 2, "--out", "out", "--json")
        assert told.returncode == 0, told.stderr
        came = json.loads(told.stdout.splitlines()[-1])
    combinations = [(row["endpoints"], row["people"], row["calls"]) for row in came["rows"]]
    assert combinations == [(e, p, c) for e in (1, 2) for p in (3, 6) for c in (1, 4)]
    assert all(len(row["seconds"]) == 2 and row["spent"]["calls"] > 0 for row in came["rows"])
    assert not any(row["spent"]["reused"] or row["spent"]["failures"] for row in came["rows"])
    alike = {row["spent"]["calls"] for row in came["rows"] if row["people"] == 6}
    assert len(alike) == 1, "the same people ask the same, however many calls are in flight"
    names = {"efficiency.json", "efficiency.md", "efficiency.csv"}
    assert {path.name for path in Path("out").iterdir()} == names | {
        "efficiency.png",
        "efficiency.svg",
    }


def test_the_table_is_printed_and_a_budget_covers_the_whole_grid(
    cli: Cli, here: Path, serving: Serving
) -> None:
    flags = ("eval", "efficiency", "--people", 2, "--in-flight", 0, "--out", "out")
    with serving() as fake:
        told = cli(*flags, "--llm", fake.url)
        assert told.returncode == 0, told.stderr
        assert "s a round" in told.stdout
        assert " any " in told.stdout
        stopped = cli(*flags, "--llm", fake.url, "--max-calls", 3)
    assert stopped.returncode != 0
    assert "the budget is spent before every combination was timed" in stopped.stderr
    assert "resume" not in stopped.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--people", "3,x"), "--people '3,x' is not a list of whole numbers from 1 on"),
        (("--people", "0"), "--people '0' is not a list"),
        (("--endpoints", "2"), "--endpoints 2: there are 1; repeat --llm"),
    ],
)
def test_what_cannot_be_timed_is_refused(
    cli: Cli, here: Path, flags: tuple[str, ...], said: str
) -> None:
    told = cli("eval", "efficiency", "--llm", "http://127.0.0.1:9/v1", *flags)
    assert told.returncode == 2
    assert said in told.stderr


def test_one_address_with_several_keys_is_several_endpoints() -> None:
    urls = ("http://127.0.0.1:9/v1", "http://127.0.0.1:8/v1")
    assert [each.key_env for each in endpoints_by_key(urls[:1], ("A", "B"), "m")] == ["A", "B"]
    assert [each.url for each in endpoints_by_key(urls, ("A",), "m")] == [*urls]
    assert [each.key_env for each in endpoints_by_key(urls, (), "m")] == ["", ""]
    with pytest.raises(BadInput, match="names 2 endpoints and --key-env 3 keys"):
        endpoints_by_key(urls, ("A", "B", "C"), "m")
