from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("csv", ["interactions.csv"]),
        ("jsonl", ["events.jsonl"]),
        ("messages", ["messages.json"]),
        ("recbole", ["one/one.inter", "one/one.item", "one/one.user", "one/one.net"]),
        ("dialogues", ["dialogues.jsonl", "posts.jsonl"]),
        ("metrics", ["metrics.csv"]),
    ],
)
def test_what_was_written_is_named(cli: Cli, one: Path, kind: str, files: list[str]) -> None:
    told = cli("export", one, "--to", kind)
    assert told.returncode == 0
    assert told.stdout.splitlines() == [f"one/export/{file}" for file in files]
    for file in files:
        assert (one / "export" / file).stat().st_size > 0


def test_the_folder_may_be_chosen_and_must_not_be_a_file(cli: Cli, one: Path) -> None:
    assert cli("export", one, "--to", "csv", "--out", "a/b").stdout == "a/b/interactions.csv\n"
    refused = cli("export", one, "--to", "csv", "--out", "a/b/interactions.csv")
    assert refused.returncode == 2
    assert "--out a/b/interactions.csv is a file" in refused.stderr


def test_an_experiment_is_exported_run_by_run(cli: Cli, both: Path) -> None:
    refused = cli("export", both, "--to", "csv")
    assert refused.returncode == 2
    assert "name one of its runs" in refused.stderr


def test_exposures_are_for_interactions(cli: Cli, one: Path) -> None:
    few = cli("export", one, "--to", "csv", "--out", "few")
    many = cli("export", one, "--to", "csv", "--out", "many", "--exposures")
    assert few.returncode == many.returncode == 0
    sizes = [
        len(Path(name, "interactions.csv").read_text().splitlines()) for name in ("few", "many")
    ]
    assert sizes[0] < sizes[1]
    refused = cli("export", one, "--to", "jsonl", "--exposures")
    assert refused.returncode == 2
    assert "holds no interactions; use csv, parquet, recbole" in refused.stderr
