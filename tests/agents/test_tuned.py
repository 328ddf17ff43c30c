"""Minds whose choices and words come from a small trained model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from audience.agents import Decision, RuleMind, TunedMind
from audience.llm import TUNED, CallStore, Endpoint, Reply, Request, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.log import Log
from audience.memory import NoMemory
from audience.parts import PartContext
from audience.runs import Finished, ask, start
from audience.scenario import SpendingOptions, parse
from audience.testing import check_mind
from audience.world import Item, Observation, actions as a, dice, events as e, taste_of

Serving = Callable[..., AbstractContextManager[Fake]]
Scene = Callable[..., Observation]
Live = Callable[..., Finished]
SURE = 1e12
LINE = "I loved <Harbour {}>, the pilot and his map."
ITEMS = "id,title,about,tags\n" + "".join(
    f"{n},Harbour {n},A harbour pilot finds a map on his boat.,{tag}\n"
    for n, tag in enumerate(["Drama", "Mystery", "Comedy"] * 10)
)
SCENARIO = """
agents = {agents}
rounds = {rounds}
[dataset]
kind = "folder"
path = "{path}"
past = "watched"
[mind]
kind = "tuned"
talkative = 0.9
{mind}
[activation]
method = "random"
share = 1.0
[llm]
url = "{url}"
price = "free"
{llm}
[run]
deadline = {deadline}
"""


@pytest.fixture
def live(tmp_path: Path) -> Live:
    (tmp_path / "harbours").mkdir()
    (tmp_path / "harbours" / "items.csv").write_text(ITEMS)
    usual = {"agents": 10, "rounds": 2, "mind": "", "llm": "", "deadline": 240}

    def run(folder: str, url: str, **more: Any) -> Finished:
        spending = more.pop("spending", None)
        text = SCENARIO.format(url=url, path=tmp_path / "harbours", **{**usual, **more})
        return start(parse(text), 3, tmp_path / folder, spending=spending)

    return run


@pytest.fixture
def decided(serving: Serving, tmp_path: Path) -> Callable[..., tuple[Decision, list[Request]]]:
    """Return what lets a tuned mind decide once, asking a fake server with the given manners."""

    def once(
        seen: Observation, options: dict[str, Any] | None = None, die: int = 1, **manners: Any
    ) -> tuple[Decision, list[Request]]:
        path = tmp_path / f"calls-{len(list(tmp_path.iterdir()))}.db"

        async def decide(url: str) -> Decision:
            async with open_gateway([Endpoint(url=url)], store=path, tries=1) as door:
                mind = TunedMind.build(PartContext(door), **options or {})
                return await mind.decide(seen, NoMemory(), dice(7, "test", die))

        with serving(**manners) as fake:
            decision = asyncio.run(decide(fake.url))
        with closing(CallStore(path, read_only=True)) as store:
            return decision, [call.request for call in store.calls()]

    return once


Decided = Callable[..., tuple[Decision, list[Request]]]


def on_page(scene: Scene, **fields: Any) -> Observation:
    seen = scene("recommender", **fields)
    return scene("recommender", taste=taste_of(seen.me.profile, seen.catalogue.tag_ids), **fields)


def picks(decision: Decision) -> list[int]:
    return [action.item for action in decision.actions if isinstance(action, a.Pick)]


def spoken(folder: Path) -> list[e.Felt | e.Posted | e.Said]:
    with Log.open(folder) as log:
        found = [record.event for record in log.records()]
    return [event for event in found if isinstance(event, e.Felt | e.Posted | e.Said)]


def said(requests: list[Request]) -> list[Request]:
    return [request for request in requests if not request.options]


class SureOfTheFirst:
    """A gateway to a model that always takes the first option of a page and says one line."""

    async def ask(self, request: Request) -> Reply:
        if not request.options:
            return Reply(request.key, "reply", ("I loved it.",))
        scores = [0.0 if option == "A" else -30.0 for option in request.options]
        return Reply(request.key, "reply", ("A",), scores=tuple(scores))

    async def close(self) -> None: ...


def test_it_is_stateless_and_returns_valid_decisions() -> None:
    check_mind(TunedMind(SureOfTheFirst()))


@pytest.mark.parametrize(
    ("named", "asked"),
    [("", TUNED), ("embedded", TUNED), (TUNED, TUNED), ("org/audience-135m-b", "")],
)
def test_it_asks_for_its_own_model_wherever_that_is_served(named: str, asked: str) -> None:
    mind = TunedMind.build(PartContext(SureOfTheFirst(), named))
    assert mind.speaker.model == (asked or named)


@pytest.mark.parametrize("option", ["0", "A", "B", "C"])
def test_what_the_model_is_sure_of_is_taken(scene: Scene, decided: Decided, option: str) -> None:
    seen = on_page(scene)
    decision, requests = decided(seen, prefer={option: SURE})
    by_title = sorted(seen.me.situation.slate, key=lambda item: seen.catalogue[item].title)
    assert picks(decision) == ([] if option == "0" else [by_title["ABC".index(option)]])
    (scored,) = [request for request in requests if request.options]
    assert (scored.model, scored.max_tokens, scored.temperature) == (TUNED, 1, 1.0)
    assert "You are this person, who uses a film recommender." in scored.messages[0].content
    assert set(decision.calls) == {request.key for request in requests}


def test_the_choosy_take_nothing_more_often(scene: Scene, decided: Decided) -> None:
    decision, _ = decided(on_page(scene), {"choosy": 40.0}, prefer={"0": 1.0})
    assert picks(decision) == []


@pytest.mark.parametrize("surface", ["home", "social", "conversation"])
def test_elsewhere_it_decides_as_rules_do(scene: Scene, decided: Decided, surface: str) -> None:
    seen = on_page(scene)
    seen = scene(surface, taste=seen.me.taste)
    decision, requests = decided(seen, {"talkative": 0.9}, says={"": "rubbish"})
    rule = RuleMind(talkative=0.9).decide_many([seen], dice(7, "test", 1))[0]
    assert [_wordless(action) for action in decision.actions] == [
        _wordless(action) for action in rule.actions
    ]
    assert not [request for request in requests if request.options]


def _wordless(action: a.AnyAction) -> a.AnyAction:
    return replace(action, voice="") if hasattr(action, "voice") else action


def test_a_page_of_more_than_twenty_is_decided_by_rules(scene: Scene, decided: Decided) -> None:
    items = tuple(Item(n, f"Film {n}", "", ("Drama",)) for n in range(21))
    seen = on_page(scene, items=items, slate=tuple(range(21)), history=(), heard=(), inbox=())
    _, requests = decided(seen)
    assert requests == []
    _, requests = decided(on_page(scene, items=items, slate=tuple(range(20)), history=(), heard=()))
    assert len(requests[0].options) == 21


def telling(seen: Observation) -> int:
    """Return a die with which the first item of a page is liked, and commented on."""
    for die in range(200):
        decision = RuleMind().after_pick(seen, 0, dice(7, "test", die))
        if any(isinstance(x, a.Rate) and x.feeling and x.stars > 3 for x in decision.actions):
            return die
    raise AssertionError("nobody liked it")


def test_feelings_are_whole_lines_of_the_model(scene: Scene, decided: Decided) -> None:
    seen = on_page(scene, slate=(0,))
    line = "I liked <Quiet Harbour>, the map and the harbour pilot."
    decision, requests = decided(
        seen, die=telling(seen), prefer={"A": SURE}, says={"Say how it was for you.": line}
    )
    (rate,) = [action for action in decision.actions if isinstance(action, a.Rate)]
    assert (rate.feeling, rate.voice) == (line, "model")
    (request,) = said(requests)
    assert request.model == TUNED
    assert request.messages[0].content == "You are a person who talks about films."
    assert "<Quiet Harbour>: A harbour pilot finds a map" in request.messages[1].content


def test_a_bad_line_is_asked_for_once_more_and_then_replaced(
    scene: Scene, decided: Decided
) -> None:
    seen = on_page(scene, slate=(0,))
    decision, requests = decided(
        seen, die=telling(seen), prefer={"A": SURE}, says={"Say how": "As an AI, no."}
    )
    (rate,) = [action for action in decision.actions if isinstance(action, a.Rate)]
    assert rate.voice == "template"
    assert rate.feeling
    first, second = said(requests)
    assert first.salt != second.salt
    assert first.messages == second.messages


def test_a_server_without_scores_is_taken_at_its_word(scene: Scene, decided: Decided) -> None:
    decision, _ = decided(on_page(scene), scores="none", says={"You take:": "B"})
    assert len(picks(decision)) == 1


def test_a_run_replays_from_its_stored_calls(live: Live, serving: Serving, tmp_path: Path) -> None:
    with serving(prefer={"A": 5.0}) as fake:
        done = live("first", fake.url)
    assert done.measured.totals["failed"] == 0
    assert done.measured.totals["picks"] > 0
    stored = SpendingOptions("stored", source=tmp_path / "first")
    again = live("again", "http://127.0.0.1:9", spending=stored)
    assert again.measured.digest == done.measured.digest


def test_a_run_with_timeouts_replays_as_well(live: Live, serving: Serving, tmp_path: Path) -> None:
    with serving(faults=Faults({"hang": 0.2})) as fake:
        done = live("first", fake.url, deadline=0.5)
    assert done.measured.totals["failed"] > 0
    stored = SpendingOptions("stored", source=tmp_path / "first")
    again = live("again", "http://127.0.0.1:9", deadline=0.5, spending=stored)
    assert again.measured.digest == done.measured.digest


def test_good_lines_are_said_and_counted_beside_the_templates(
    live: Live, serving: Serving, tmp_path: Path
) -> None:
    says = {f"<Harbour {n}>": LINE.format(n) for n in range(29, -1, -1)}
    with serving(says={"You take:": "A", **says}, scores="none") as fake:
        done = live("first", fake.url, agents=20)
    lines = spoken(tmp_path / "first")
    good = [event for event in lines if event.voice == "model"]
    assert 0 < len(good) < len(lines)
    assert all("the pilot and his map." in event.text for event in good)
    assert done.measured.totals["spoken_model"] == len(good)
    assert done.measured.totals["spoken_template"] == len(lines) - len(good)


def test_interviews_answer_the_question_in_a_whole_line(
    live: Live, serving: Serving, tmp_path: Path
) -> None:
    says = {f"<Harbour {n}>": LINE.format(n) for n in range(29, -1, -1)}
    with serving(says={"You take:": "A", **says}, scores="none") as fake:
        live("first", fake.url)
        answers = ask(tmp_path / "first", None, "What did you like best?", 2)
        chosen = ask(tmp_path / "first", None, "Happy?", 2, options=["yes", "no"])
    with closing(CallStore(tmp_path / "first" / "calls.db", read_only=True)) as store:
        asked = [call.request for call in store.calls() if call.request.purpose == "interview"]
    assert any("Answer: What did you like best?" in r.messages[1].content for r in asked)
    assert {request.model for request in asked} == {TUNED}
    model = [answer for answer in answers if answer.by == "model"]
    assert model
    assert all("the pilot and his map." in answer.text for answer in model)
    assert {answer.by for answer in chosen} == {"rule"}
    assert {answer.choice for answer in chosen} <= {"yes", "no"}


def test_a_usual_page_tempts_one_in_three() -> None:
    """Return to the public figure that `CHOOSY` is set by, from what the model says of pages."""
    from audience.agents.language.scored import drawn
    from audience.agents.tuned import CHOOSY
    from audience.llm import OptionChoice

    usual = OptionChoice(1, (0.23, 0.5, 0.27))
    draws = [(number + 0.5) / 1000 for number in range(1000)]
    nothing = sum(not drawn(usual, (0, 1), CHOOSY, draw) for draw in draws) / 1000
    assert 0.6 < nothing < 0.75
