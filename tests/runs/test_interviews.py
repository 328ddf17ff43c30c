"""Interviews: they change nothing, unless they are to be remembered."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from audience.agents.language import Answer
from audience.errors import BadInput, Interrupted
from audience.llm import BudgetSpent, Call, CallStore
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.log import Log, world_at
from audience.runs import ask, prolong, remember_answers, resume, start
from audience.scenario import SpendingOptions, parse
from audience.world import events as e

Serving = Callable[..., AbstractContextManager[Fake]]
TEXT = """
agents = 8
rounds = 3
mind = "rule"
[llm]
url = "http://127.0.0.1:{port}/v1"
price = "free"
"""


@pytest.fixture(scope="module")
def server(serving: Serving) -> object:
    with serving() as fake:
        yield fake


@pytest.fixture
def run(server: Fake, tmp_path: Path) -> Path:
    start(parse(TEXT.format(port=server.port)), 1, tmp_path / "run")
    return tmp_path / "run"


def digest(folder: Path) -> str:
    with Log.open(folder) as log:
        return log.digest()


def calls(folder: Path) -> list[Call]:
    store = CallStore(folder / "calls.db", read_only=True)
    found = list(store.calls())
    store.close()
    return found


def test_asking_changes_nothing(run: Path) -> None:
    before, bytes_before = digest(run), (run / "run.db").read_bytes()
    answers = ask(run, [3, 1], "What did you like?", 3)
    assert [one.agent for one in answers] == [3, 1]
    assert all(one.text and not one.failure for one in answers)
    assert digest(run) == before
    assert (run / "run.db").read_bytes() == bytes_before
    assert {call.request.purpose for call in calls(run)} == {"interview"}


def test_a_listener_gets_each_answer_as_it_arrives(run: Path) -> None:
    heard: list[Answer] = []
    answers = ask(run, [3, 1], "What did you like?", 3, listener=heard.append)
    assert sorted(heard, key=lambda answer: answer.agent) == answers[::-1]
    with pytest.warns(DeprecationWarning, match="listener"):
        ask(run, [1], "What did you like?", 3, told=heard.append)
    assert heard[-1] == answers[1]


def test_an_interview_uses_the_prompts_of_the_scenario(server: Fake, tmp_path: Path) -> None:
    own = tmp_path / "prompts" / "default"
    own.mkdir(parents=True)
    (own / "interview.md").write_text("In my own words: $question\n$page")
    text = TEXT.format(port=server.port).replace(
        'mind = "rule"', f'mind = {{kind = "llm", prompts = "{tmp_path / "prompts"}"}}'
    )
    start(parse(text), 1, tmp_path / "run")
    ask(tmp_path / "run", [3], "What did you like?", 3)
    (asked,) = (call for call in calls(tmp_path / "run") if call.request.purpose == "interview")
    assert asked.request.messages[-1].content.startswith("In my own words: What did you like?")


def test_the_same_question_is_asked_once(run: Path, server: Fake) -> None:
    first = ask(run, [2], "Why?", 3)
    before = server.requests
    assert ask(run, [2], "Why?", 3) == first
    assert server.requests == before
    ask(run, [2], "Why not?", 3)
    assert server.requests == before + 1


def test_an_answer_knows_only_what_was_lived_by_then(run: Path) -> None:
    with Log.open(run) as log:
        lived = {r.event.agent for r in log.records() if isinstance(r.event, e.Watched)}
    who = min(lived)
    ask(run, [who], "What did you like?", 0)
    ask(run, [who], "What did you like?", 3)
    early, late = (call.request.messages[1].content for call in calls(run))
    with Log.open(run) as log:
        begin, end = (world_at(log, at).agents[who].history for at in (0, 3))
        titles = [log.genesis().catalogue[one.item].title for one in end]
    assert len(begin) < len(end)
    assert f"<{titles[-1]}>" in late
    assert f"<{titles[-1]}>" not in early
    assert "saw last" in late
    assert "saw last" not in early


def test_everybody_is_asked_also_those_who_joined(server: Fake, tmp_path: Path) -> None:
    joins = '[[interventions]]\nround = 2\ndo = "add_person"\nname = "Nova"\n'
    start(parse(TEXT.format(port=server.port) + joins), 1, tmp_path / "run")
    assert len(ask(tmp_path / "run", None, "Well?", 1)) == 8
    everybody = ask(tmp_path / "run", None, "Well?", 3)
    assert [one.agent for one in everybody] == list(range(9))
    assert everybody[8].name == "Nova"
    with pytest.raises(BadInput, match=r"person 8 does not exist at the end of round 1; .* 0 to 7"):
        ask(tmp_path / "run", [8], "Well?", 1)


def test_a_question_needs_words(run: Path) -> None:
    with pytest.raises(BadInput, match="the question is empty"):
        ask(run, [1], " \n", 3)


ODD = 'Do you "like" {braces}, $name and ${x}?\n[llm]\nkey = """'


def test_what_is_remembered_comes_to_mind_from_the_next_round_on(run: Path) -> None:
    before = digest(run)
    answers = ask(run, [1, 4], ODD, 3)
    assert remember_answers(run, ODD, answers) == 4
    assert digest(run) == before
    prolong(run, 4)
    resume(run)
    with Log.open(run) as log:
        assert log.digest(upto_round=3) == before
        thoughts = {who: world_at(log, 4).agents[who].thoughts for who in (0, 1, 4)}
    assert thoughts[0] == ()
    for who, answer in zip((1, 4), answers, strict=True):
        (thought,) = thoughts[who]
        assert thought.kind == "reminder"
        assert thought.text == f'Asked "{ODD}", I answered: {answer.text}'[:500]


class Stops:
    """Asks for a stop when looked at once too often."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_round_that_has_begun_is_not_changed_any_more(server: Fake, tmp_path: Path) -> None:
    scenario = parse(TEXT.format(port=server.port) + "[run]\nwave = 1\n[activation]\nshare = 1.0\n")
    with pytest.raises(Interrupted):
        start(scenario, 1, tmp_path / "run", stopping=Stops(3))
    with Log.open(tmp_path / "run") as log:
        done = log.complete_rounds()
        assert log.partial(done + 1)
    answers = ask(tmp_path / "run", [1], "Well?", done)
    assert remember_answers(tmp_path / "run", "Well?", answers) == done + 2
    resume(tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        assert not world_at(log, done + 1).agents[1].thoughts
        assert len(world_at(log, done + 2).agents[1].thoughts) == 1


def test_who_gives_no_answer_has_nothing_to_remember(
    serving: Serving, run: Path, tmp_path: Path
) -> None:
    shutil.copytree(run, tmp_path / "copy")
    with serving(faults=Faults({"refusal": 1.0})) as fake:
        with Log.open(run) as log:
            text = log.scenario
        with Log.open(run, write=True) as log:
            log.set_scenario(text.replace(str(parse(text).llm.url), fake.url))
        answers = ask(run, [1], "Well?", 3)
    assert answers[0].text == ""
    assert answers[0].failure.startswith("refusal: ")
    remember_answers(run, "Well?", answers)
    with Log.open(run) as log:
        assert parse(log.scenario).interventions == ()


def test_stored_answers_need_no_server(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        start(parse(TEXT.format(port=fake.port)), 1, tmp_path / "run")
        first = ask(tmp_path / "run", [1], "Well?", 3)
    assert ask(tmp_path / "run", [1], "Well?", 3, spending=SpendingOptions("stored")) == first
    (missing,) = ask(tmp_path / "run", [2], "Well?", 3, spending=SpendingOptions("stored"))
    assert "not in the call store" in missing.failure


def test_a_budget_keeps_what_was_answered(run: Path, server: Fake) -> None:
    with pytest.raises(BudgetSpent, match="3 of 3 calls"):
        ask(run, None, "Well?", 3, spending=SpendingOptions(max_calls=3))
    assert len(calls(run)) == 3
    before = server.requests
    ask(run, None, "Well?", 3)
    assert server.requests == before + 5
