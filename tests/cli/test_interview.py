"""`audience ask`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import interviews_in, start
from audience.scenario import parse

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture(scope="module")
def server(serving: Serving) -> Iterator[Fake]:
    with serving(says={"Who are you?": '{"answer": "I am {me}, \\"really\\"."}'}) as fake:
        yield fake


@pytest.fixture
def run(here: Path, server: Fake) -> Path:
    text = f'agents = 5\nrounds = 2\n[llm]\nurl = "{server.url}"\nprice = "free"\n'
    start(parse(text), 1, here / "run")
    return Path("run")


def test_some_people_answer(cli: Cli, run: Path) -> None:
    before = cli("digest", run).stdout
    told = cli("ask", run, 3, 0, "Who are you?")
    assert told.returncode == 0
    with Log.open(run) as log:
        names = [log.genesis().profiles[who].name for who in (3, 0)]
    for name, who in zip(names, (3, 0), strict=True):
        assert f"{name} [{who}]" in told.stdout
    assert told.stdout.count('I am {me}, "really".') == 2
    assert cli("digest", run).stdout == before


def test_everybody_answers_in_a_table_or_as_json(cli: Cli, run: Path) -> None:
    told = cli("ask", run, "--everyone", "--at", 1, "Who are you?", "--json")
    found = json.loads(told.stdout)
    assert found["question"] == "Who are you?"
    assert [one["agent"] for one in found["answers"]] == [0, 1, 2, 3, 4]
    assert {one["text"] for one in found["answers"]} == {'I am {me}, "really".'}
    assert cli("ask", run, "--everyone", "Who are you?").stdout.count("really") == 5


def test_markup_in_an_answer_is_words(cli: Cli, here: Path, serving: Serving) -> None:
    with serving(says={"": '{"answer": "[red]no[/red] [/] [bold"}'}) as fake:
        start(parse(f'agents = 2\nrounds = 1\n[llm]\nurl = "{fake.url}"\n'), 1, here / "run")
        told = cli("ask", "run", 0, "Well?")
    assert told.returncode == 0
    assert "[red]no[/red] [/] [bold" in told.stdout


def test_an_interview_is_remembered_from_the_next_round_on(cli: Cli, run: Path) -> None:
    told = cli("ask", run, 2, "--remember", "Who are you?")
    assert told.returncode == 0
    assert cli("resume", run, "--rounds", 3, "--no-report").returncode == 0
    with Log.open(run) as log:
        from audience.log import world_at

        (thought,) = world_at(log, 3).agents[2].thoughts
    assert thought.text == 'Asked "Who are you?", I answered: I am {me}, "really".'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("Who?",), "name a person to ask"),
        ((9, "Who?"), "person 9 does not exist at the end of round 2; give an id from 0 to 4"),
        (("nobody", "Who?"), "person 'nobody' is unknown"),
        ((1, "--at", 7, "Who?"), "--at 7: run has complete rounds 1 to 2"),
        ((1, ""), "the question is empty"),
        (("--segment", "interest", "Who?"), "give NAME=VALUE"),
        (("--everyone", 1, "Who?"), "--everyone asks everybody"),
        (("--absent", "Who?"), "this selects nobody"),
        ((1, "--options", "yes", "Who?"), "1 options; give 2 to 12"),
        ((1, "Who?", "--calls-from", "x"), "--calls-from x: there are no calls in it"),
    ],
)
def test_a_mistake_is_named(cli: Cli, run: Path, words: tuple[object, ...], message: str) -> None:
    told = cli("ask", run, *words)
    assert told.returncode == 2
    assert message in told.stderr
    assert "Traceback" not in told.stderr


def test_options_are_counted_and_the_interview_is_kept(cli: Cli, run: Path) -> None:
    told = cli("ask", run, "--everyone", "--options", "yes,no", "Would you?", "--json")
    found = json.loads(told.stdout)
    counts = [row["count"] for row in found["table"]["all"]["options"]]
    assert sum(counts) == len(found["answers"]) == 5
    (kept,) = interviews_in(run)
    assert (kept.asked.question, kept.asked.options, len(kept.answers)) == (
        "Would you?",
        ("yes", "no"),
        5,
    )
    shown = cli("ask", run, "--sample", 2, "--options", "1-3", "How good?").stdout
    assert "2 of 2" in shown
