"""`audience eval knowledge`, `consistency`, `prompts` and `behaviour` against a fake server."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from subprocess import CompletedProcess, Popen
from typing import Any

import pytest

from audience.llm import CallStore
from audience.llm.fake import Fake

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
SMALL = {
    "knowledge": ("--agents", 4, "--items", 6),
    "consistency": ("--agents", 4, "--rounds", 2),
    "prompts": ("--agents", 4),
    "behaviour": ("--agents", 4, "--rounds", 1),
}


@pytest.fixture(scope="module")
def server(serving: Serving) -> Iterator[Fake]:
    with serving() as fake:
        yield fake


def last(told: CompletedProcess[str]) -> dict[str, Any]:
    assert told.returncode == 0, told.stderr
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return found


def test_figures_of_minds_stand_beside_those_of_an_earlier_evaluation(
    cli: Cli, here: Path, server: Fake
) -> None:
    flags = ("eval", "behaviour", "--llm", server.url, "--agents", 6, "--rounds", 1)
    first = last(cli(*flags, "--mind", "llm", "--model", "fake", "--out", "untuned", "--json"))
    assert first["beside"] == "by chance"
    tuned = (*flags, "--mind", "tuned", "--out", "tuned", "--beside", "untuned")
    told = last(cli(*tuned, "--json"))
    assert told["model"] == "audience-135m"
    whats = [row["what"].partition(":")[0] for row in told["rows"]][:4]
    assert whats == ["rule", "rule, fitted", "tuned", "llm (untuned)"]
    assert len(told["rows"]) == 4 * 5
    assert any("tuned is closer to people than llm (untuned) on" in n for n in told["notes"])
    assert last(cli(*tuned, "--json"))["spent"]["calls"] == 0
    assert "by chance" in cli(*tuned).stdout


@pytest.mark.parametrize("name", list(SMALL))
def test_one_table_a_model_and_nothing_is_paid_twice(
    cli: Cli, here: Path, server: Fake, name: str
) -> None:
    flags = ("eval", name, "--llm", server.url, *SMALL[name], "--out", "out")
    first = last(cli(*flags, "--json"))
    assert (first["evaluation"], first["model"], first["seed"]) == (name, "fake", 1)
    assert first["spent"]["calls"] > 0
    assert first["spent"]["prompt_tokens"] > 0
    assert {Path(path).name for path in first["written"]} == {
        f"{name}.json",
        f"{name}.md",
        f"{name}.csv",
    }
    shown = cli(*flags)
    assert "fake" in shown.stdout.splitlines()[0]
    assert "unreadable" in shown.stdout
    assert "95 % intervals" in shown.stdout
    kept = json.loads((here / "out" / f"{name}.json").read_text())
    assert (kept["rows"], kept["spent"]["calls"]) == (first["rows"], 0)
    stored = last(cli(*flags, "--json", "--calls", "stored"))
    assert stored["rows"] == first["rows"]


def test_a_budget_stops_and_the_rest_is_asked_later(cli: Cli, here: Path, server: Fake) -> None:
    flags = ("eval", "consistency", "--llm", server.url, *SMALL["consistency"], "--out", "out")
    stopped = cli(*flags, "--max-calls", 20)
    assert stopped.returncode != 0
    assert "budget is spent" in stopped.stderr
    found = last(cli(*flags, "--json"))
    assert found["spent"]["reused"] == 20
    straight = last(cli(*flags[:-1], "other", "--json"))
    assert straight["rows"] == found["rows"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("knowledge", "--items", 0), "--items 0"),
        (("consistency", "--rounds", 1), "--rounds 1"),
        (("prompts", "--agents", 0), "--agents 0"),
        (("prompts", "--data", "nowhere"), "nowhere"),
        (("behaviour", "--agents", 0), "--agents 0"),
        (("behaviour", "--mind", "tunes"), "did you mean 'tuned'"),
        (("behaviour", "--mind", "rule", "--beside", "nowhere"), "--beside nowhere"),
        (("behaviour", "--beside", "nowhere"), "give --mind"),
        (("behaviour", "--data", "nowhere"), "nowhere"),
        (("behaviour", "--words", "shrt"), "did you mean 'short'"),
        (("behaviour", "--rounds", 0), "--rounds 0"),
        (("behaviour", "no-run-here"), "no-run-here"),
    ],
)
def test_bad_flags_are_refused_with_a_remedy(
    cli: Cli, here: Path, server: Fake, flags: tuple[object, ...], told: str
) -> None:
    refused = cli("eval", *flags, "--llm", server.url)
    assert refused.returncode == 2
    assert told in refused.stderr


def test_the_behaviour_of_a_run_is_read_from_its_log(cli: Cli, here: Path, server: Fake) -> None:
    made = ("run", "--mind", "llm", "--llm", server.url, "--agents", 10, "--rounds", 2)
    calls = last(cli(*made, "--recommender", "popular", "--out", "run", "--json"))["calls"]
    before = server.requests
    found = last(cli("eval", "behaviour", "run", "--json"))
    assert server.requests == before
    assert (found["evaluation"], found["dataset"], found["people"]) == ("behaviour", "the run", 10)
    assert [Path(path).parent.name for path in found["written"]] == ["run"] * 3
    parts = {row["part"] for row in found["rows"]}
    assert parts == {"pages", "steps", "ratings", "feelings", "talk", "asking"}
    assert any("calls a visit" in note for note in found["notes"])
    shown = cli("eval", "behaviour", "run", "--out", "elsewhere")
    assert shown.returncode == 0, shown.stderr
    assert "contradict the stars" in shown.stdout
    assert (here / "elsewhere" / "behaviour.json").is_file()
    assert calls


def test_what_was_answered_before_a_kill_is_not_asked_again(
    begin: Callable[..., Popen[str]], cli: Cli, here: Path, serving: Serving
) -> None:
    flags = ("eval", "consistency", *SMALL["consistency"], "--out", "out", "--model", "fake")
    with serving(silent_after=10) as slow:
        child = begin(here, *flags, "--llm", slow.url)
        kept = 0
        while child.poll() is None and not kept:
            time.sleep(0.02)
            # There is a whole store once something was asked.
            kept = _kept(here / "out" / "calls.db") if slow.requests else 0
        child.kill()
        child.wait()
        assert child.returncode < 0, "it had ended before it was killed"
    assert kept
    with serving() as fake:
        found = last(cli(*flags, "--llm", fake.url, "--json"))
    assert found["spent"]["reused"] >= kept
    assert found["spent"]["calls"] == fake.requests > 0


def _kept(path: Path) -> int:
    with closing(CallStore(path, read_only=True)) as calls:
        return len(calls)
