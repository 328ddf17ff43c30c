"""The mind that asks a model, through whole runs with a fake server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.agents.language import LLMMind
from audience.errors import BadInput
from audience.llm import Call, CallStore, Endpoint, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.log import Log
from audience.runs import Finished, start
from audience.scenario import SpendingOptions, parse
from audience.world import Observation, Record, actions as a, events as e

Scene = Callable[..., Observation]
Ask = Callable[..., Any]
Serving = Callable[..., AbstractContextManager[Fake]]

SCENARIO = """
agents = {agents}
rounds = {rounds}
mind = {{kind = "llm"{mind}}}
[llm]
url = "{url}"
price = "free"
{llm}
[run]
{run}
[activation]
method = "random"
share = 1.0
{more}
"""

TOLD = """
[[interventions]]
round = 1
do = "announce"
text = "The winter programme begins."
items = ["Casablanca"]
"""
"""Something heard of, which explorers may search for."""


def live(
    folder: Path, url: str, *, spending: SpendingOptions | None = None, **holes: object
) -> Finished:
    known = {"agents": 10, "rounds": 2, "mind": "", "llm": "", "run": "", "more": ""}
    text = SCENARIO.format(url=url, **{**known, **holes})
    return start(parse(text), 1, folder, spending=spending)


def records(folder: Path) -> list[Record]:
    with Log.open(folder) as log:
        return list(log.records())


def calls(folder: Path) -> list[Call]:
    store = CallStore(folder / "calls.db", read_only=True)
    try:
        return list(store.calls())
    finally:
        store.close()


def check_sound(found: list[Record]) -> None:
    """Raise unless everybody who woke left, and every pick was on the page before it."""
    woke = Counter((r.round, r.event.agent) for r in found if isinstance(r.event, e.Woke))
    left = Counter((r.round, r.event.agent) for r in found if isinstance(r.event, e.Left))
    assert woke == left
    page: dict[int, tuple[int, ...]] = {}
    for record in found:
        if isinstance(record.event, e.SlateShown):
            page[record.event.agent] = record.event.items
        if isinstance(record.event, e.Picked):
            assert page[record.event.agent][record.event.position] == record.event.item


def test_a_run_holds_only_what_the_model_said_and_the_world_allows(
    serving: Serving, tmp_path: Path
) -> None:
    with serving(prefer={"friends": 2.0, "forward 1": 4.0, "post": 2.0}) as fake:
        done = live(tmp_path / "run", fake.url, agents=20, rounds=3, more=TOLD)
    found = records(tmp_path / "run")
    check_sound(found)
    kinds = Counter(type(record.event) for record in found)
    assert kinds[e.Refused] == kinds[e.Failed] == 0
    for kind in (e.Picked, e.Rated, e.Felt, e.Posted, e.Said, e.Searched, e.Forwarded):
        assert kinds[kind] > 0, kind
    assert done.spent.calls == done.decisions == fake.requests
    said = "".join(call.reply.text for call in calls(tmp_path / "run"))
    for record in found:
        if isinstance(record.event, e.Felt | e.Posted | e.Said):
            assert record.event.text in said
            assert record.event.voice == "model"
    known = {call.reply.key for call in calls(tmp_path / "run")}
    assert {key for record in found for key in record.calls} == known
    assert done.measured.totals["spoken_model"] == kinds[e.Felt] + kinds[e.Posted] + kinds[e.Said]


def test_how_many_are_asked_at_once_changes_nothing(serving: Serving, tmp_path: Path) -> None:
    with serving(latency=(0.0, 0.01)) as fake:
        one = live(tmp_path / "one", fake.url, run="concurrency = 1")
        assert fake.in_flight_max == 1
        many = live(tmp_path / "many", fake.url, run="concurrency = 256")
        assert fake.in_flight_max > 4
        few = live(tmp_path / "few", fake.url, llm="concurrency = 3")
    assert one.measured.digest == many.measured.digest == few.measured.digest


MIXED = {"500": 0.05, "429": 0.03, "garbage": 0.03, "half": 0.03, "refusal": 0.03, "reset": 0.03}


def test_faults_lose_nobody_invent_nothing_and_are_counted(
    serving: Serving, tmp_path: Path
) -> None:
    faults = Faults({**MIXED, "broken": 0.05})
    with serving(faults=faults) as fake:
        done = live(tmp_path / "run", fake.url, agents=20, rounds=3)
    assert sum(fake.outcomes[name] for name in faults.rates) > 0.15 * fake.requests
    found = records(tmp_path / "run")
    check_sound(found)
    failed = [record for record in found if isinstance(record.event, e.Failed)]
    assert len(failed) > 0
    assert len(failed) == done.summary["failed"]
    assert sum(done.unusable.values()) == len(failed)
    assert all(record.calls for record in failed)
    made = calls(tmp_path / "run")
    spoilt = [call for call in made if call.reply.outcome != "reply"]
    assert done.spent.failed == len(spoilt) > 0
    blamed = {key for record in failed for key in record.calls}
    assert {call.reply.key for call in spoilt} <= blamed
    again = live(tmp_path / "again", "http://127.0.0.1:9", agents=20, rounds=3,
                 spending=SpendingOptions("stored", source=tmp_path / "run"))  # fmt: skip
    assert again.measured.digest == done.measured.digest
    assert (again.spent.calls, again.spent.reused) == (0, len(made))


def test_an_unreadable_answer_is_asked_for_once_more_with_the_error(scene: Scene, ask: Ask) -> None:
    bad = '{"fits": "well", "picks": [{"place": 4}], "next": "leave", "satisfaction": 5}'
    good = bad.replace("4", "3")
    asked = ask(scene("recommender"), says={"could not be used: not on the page: 4": good, "": bad})
    assert asked.decision.actions == (a.Pick(4), a.Leave(0.4444))
    first, second = asked.calls
    assert asked.decision.calls == (first.reply.key, second.reply.key)
    assert second.request.messages[2].content == bad
    assert "<Quiet Harbour>" in second.request.messages[3].content
    assert asked.purposes == ["page", "page"]


def test_it_is_asked_for_only_once_more(scene: Scene, ask: Ask) -> None:
    asked = ask(scene("home"), says={"": '{"do": "sleep"}'})
    assert asked.decision.actions == ()
    assert asked.decision.failure.startswith("home: ")
    assert "sleep" in asked.decision.failure
    assert len(asked.calls) == 2
    assert asked.decision.calls == tuple(call.reply.key for call in asked.calls)


def test_a_refusal_fails_at_once(scene: Scene, ask: Ask) -> None:
    asked = ask(scene("home"), faults=Faults({"refusal": 1.0}))
    assert asked.decision.failure.startswith("home: refusal: ")
    assert len(asked.calls) == 1
    assert asked.decision.calls == (asked.calls[0].reply.key,)


def test_failures_stand_in_the_log_with_their_calls(serving: Serving, tmp_path: Path) -> None:
    with serving(says={"": "As you like it."}) as fake:
        done = live(tmp_path / "run", fake.url, rounds=1)
    found = records(tmp_path / "run")
    check_sound(found)
    failed = [record for record in found if isinstance(record.event, e.Failed)]
    assert len(failed) == 10
    assert {len(record.calls) for record in failed} == {2}
    assert done.unusable == {"home": 10}
    assert done.measured.totals["picks"] == 0


@pytest.mark.parametrize("prompting", ["fused", "faithful"])
@pytest.mark.parametrize(
    ("llm", "run"),
    [("", "deadline = 0.4"), ("deadline = 0.4\noverall = 0.4", "")],
    ids=["decision", "call"],
)
def test_a_timeout_is_the_same_event_live_and_stored(
    serving: Serving, tmp_path: Path, llm: str, run: str, prompting: str
) -> None:
    holes: dict[str, Any] = {
        "llm": llm,
        "run": run,
        "mind": f', prompting = "{prompting}"',
        "rounds": 1,
    }
    with serving(faults=Faults({"hang": 0.4})) as fake:
        done = live(tmp_path / "run", fake.url, **holes)
    failed = {r.event.why for r in records(tmp_path / "run") if isinstance(r.event, e.Failed)}
    assert failed == {f"no decision within {'0.4' if run else '240'} s"}
    # On a slow machine none may come in time; what is said of it is the same all the same.
    assert "timeout" in {call.reply.outcome for call in calls(tmp_path / "run")}
    stored = SpendingOptions("stored", source=tmp_path / "run")
    again = live(tmp_path / "again", "http://127.0.0.1:9", spending=stored, **holes)
    assert again.measured.digest == done.measured.digest
    assert again.spent.calls == 0


def test_a_page_without_anything_to_pick_can_be_answered(scene: Scene, ask: Ask) -> None:
    asked = ask(scene("recommender", slate=()))
    assert not asked.decision.failure
    assert len(asked.calls) == 1
    assert not [one for one in asked.decision.actions if isinstance(one, a.Pick)]


def test_a_prompt_that_cannot_be_filled_stops_the_run(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "home.md").write_text("Hello $nobody")
    with serving() as fake, pytest.raises(BadInput, match=r"prompt home\.md: hole 'nobody'"):
        live(tmp_path / "run", fake.url, mind=f', prompts = "{tmp_path}"')


def test_unknown_words_are_refused_with_the_known_ones() -> None:
    door = open_gateway([Endpoint(url="http://127.0.0.1:9")])
    with pytest.raises(BadInput, match=r"prompting 'fusd' is unknown .*did you mean 'fused'"):
        LLMMind(door, prompting="fusd")
    with pytest.raises(BadInput, match="context 'weather' is unknown"):
        LLMMind(door, context=("weather",))
