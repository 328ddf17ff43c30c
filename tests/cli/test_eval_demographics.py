"""`audience eval demographics` on a run of people who speak."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

from audience.llm.fake import Fake
from audience.runs import start
from audience.scenario import parse

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
TEXT = """
agents = 12
rounds = 3
recommender = "popular"
mind = { kind = "llm", words = "short" }
activation = { method = "random", share = 1.0, loyalty = 0.0 }
"""


def test_people_of_a_run_are_guessed_once(cli: Cli, here: Path, serving: Serving) -> None:
    with serving(prefer={"browse": 50}) as fake:
        start(parse(f'{TEXT}[llm]\nurl = "{fake.url}"\n'), 1, here / "lived")
        flags = ("eval", "demographics", "lived", "--llm", fake.url, "--json")
        told = cli(*flags)
        assert told.returncode == 0, told.stderr
        came = json.loads(told.stdout.splitlines()[-1])
        again = json.loads(cli(*flags).stdout.splitlines()[-1])
        shown = cli(*flags[:-1])
    assert came["spent"]["calls"] == came["people"] > 0
    assert again["spent"]["calls"] == 0
    assert again["rows"] == came["rows"]
    assert {row["part"] for row in came["rows"]} == {"gender", "age", "occupation"}
    assert all(row["unreadable"] == 0 for row in came["rows"])
    assert all(
        Path(path).parent.name.startswith("eval-demographics-lived-") for path in came["written"]
    )
    assert "majority" in shown.stdout
    assert "guessed right" in shown.stdout
