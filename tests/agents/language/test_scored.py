"""Deciding by scoring: one token a choice, drawn by a die from the model's own chances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents.language import LLMMind
from audience.agents.language.scored import _caught, drawn
from audience.errors import BadInput
from audience.llm import CallStore, OptionChoice
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.scenario import SpendingOptions, parse
from audience.world import Observation, actions as a, events as e, taste_of

Scene = Callable[..., Observation]
Ask = Callable[..., Any]
Serving = Callable[..., AbstractContextManager[Fake]]
SCORE = {"deciding": "score"}
SURE = 1e12
RUN = """
agents = 30
rounds = 2
seed = 4
[mind]
kind = "llm"
deciding = "score"
[llm]
url = "{}"
"""


def on_page(scene: Scene, *given: Any, **fields: Any) -> Observation:
    """Return a page seen by somebody whose taste is that of their profile."""
    seen = scene("recommender", *given, **fields)
    taste = taste_of(seen.me.profile, seen.catalogue.tag_ids)
    return scene("recommender", *given, **fields, taste=taste)


def kinds(decision: Any) -> list[str]:
    return [type(action).__name__ for action in decision.actions]


def picks(decision: Any) -> list[int]:
    return [action.item for action in decision.actions if isinstance(action, a.Pick)]


def by_title(seen: Observation) -> list[int]:
    """Return the items of a page in the order of their titles."""
    return sorted(seen.me.situation.slate, key=lambda item: seen.catalogue[item].title)


@pytest.mark.parametrize("option", ["0", "A", "B", "C"])
def test_what_a_model_is_sure_of_is_taken(scene: Scene, ask: Ask, option: str) -> None:
    seen = on_page(scene)
    asked = ask(seen, options=SCORE, prefer={option: SURE})
    wanted = [] if option == "0" else [by_title(seen)["ABC".index(option)]]
    assert picks(asked.decision) == wanted
    assert kinds(asked.decision)[-1] in ("Leave", "NextPage", "Browse", "Enter")
    (call,) = asked.calls
    assert call.request.options == ("0", "A", "B", "C")
    assert call.request.max_tokens == 1
    assert asked.decision.calls == (call.request.key,)


@pytest.mark.parametrize(
    ("way", "does"), [("1", ["Enter", "Browse"]), ("2", ["Enter"]), ("3", ["Nothing"])]
)
def test_the_way_from_home_is_one_token_too(
    scene: Scene, ask: Ask, way: str, does: list[str]
) -> None:
    asked = ask(scene("home"), options=SCORE, prefer={way: SURE})
    assert kinds(asked.decision) == does
    assert [call.request.max_tokens for call in asked.calls] == [1]


def test_who_searches_looks_for_what_was_praised(scene: Scene, ask: Ask) -> None:
    asked = ask(scene("home"), options=SCORE, prefer={"4": SURE})
    assert asked.decision.actions == (a.Enter("recommender"), a.Search("Night Bus"))


def test_words_are_asked_for_where_somebody_hears_them(scene: Scene, ask: Ask) -> None:
    asked = ask(scene("social"), options=SCORE)
    (call,) = asked.calls
    assert call.request.schema is not None
    assert not call.request.options


@pytest.mark.parametrize("deciding", ["score", "glance"])
def test_what_was_picked_in_this_visit_is_not_picked_again(
    scene: Scene, ask: Ask, deciding: str
) -> None:
    seen = on_page(scene)
    kind = type(seen.me.history[0])
    lived = (*seen.me.history, *(kind(item, seen.me.situation.at, 1.0, 4) for item in (0, 2, 4)))
    here = replace(seen.me.situation, picks=3)
    again = on_page(scene, history=lived, situation=here)
    assert [entry.item for entry in again.me.lived_now()] == [0, 2, 4]
    asked = ask(again, options={"deciding": deciding}, prefer={"A": SURE, "yes": SURE})
    assert not asked.decision.failure
    assert not picks(asked.decision)


def test_the_order_of_a_page_changes_no_chance(scene: Scene, ask: Ask) -> None:
    seen = on_page(scene)
    slate = seen.me.situation.slate
    turned = on_page(scene, slate=tuple(reversed(slate)))
    prompts = [ask(each, options=SCORE).calls[0].request.messages for each in (seen, turned)]
    assert slate != tuple(reversed(slate))
    assert prompts[0] == prompts[1]


@pytest.mark.parametrize("option", ["A", "B", "C"])
def test_one_token_is_read_from_the_chat_where_continuations_are_scored_too(
    scene: Scene, ask: Ask, option: str
) -> None:
    seen = on_page(scene)
    asked = ask(seen, options=SCORE, scores="echo", prefer={option: SURE})
    assert picks(asked.decision) == [by_title(seen)["ABC".index(option)]]
    assert asked.requests == 1


def test_a_long_page_is_decided_by_writing(scene: Scene, ask: Ask) -> None:
    items = scene("home").catalogue.items
    many = tuple(type(items[0])(n, f"Film {n}", "", ("Drama",)) for n in range(24))
    seen = scene("recommender", many, slate=tuple(range(21)), history=(), heard=(), inbox=())
    assert ask(seen, options=SCORE).calls[0].request.schema is not None


def test_a_page_of_twenty_is_decided_by_one_token(scene: Scene, ask: Ask) -> None:
    items = scene("home").catalogue.items
    many = tuple(type(items[0])(n, f"Film {n:02}", "", ("Drama",)) for n in range(24))
    seen = scene("recommender", many, slate=tuple(range(20)), history=(), heard=(), inbox=())
    asked = ask(seen, options=SCORE, prefer={"T": SURE})
    assert picks(asked.decision) == [19]


def test_without_log_probabilities_the_letter_said_counts(scene: Scene, ask: Ask) -> None:
    seen = on_page(scene)
    asked = ask(seen, options=SCORE, scores="none", says={"": "[B]"})
    assert picks(asked.decision) == [by_title(seen)[1]]
    nothing = ask(seen, options=SCORE, scores="none", says={"": "Well."}).decision
    assert nothing.failure == "page: names no option"


GLANCE = {"deciding": "glance"}


def test_a_glance_asks_about_one_item_whether_it_is_taken(scene: Scene, ask: Ask) -> None:
    seen = on_page(scene)
    for sure, count in (("yes", 1), ("no", 0)):
        asked = ask(seen, options=GLANCE, prefer={sure: SURE})
        (call,) = asked.calls
        assert call.request.options == ("yes", "no")
        assert call.request.max_tokens == 1
        shown = [item for item in (0, 2, 4) if seen.catalogue[item].title in asked_text(call)]
        assert len(shown) == 1
        assert picks(asked.decision) == shown[:count]


def asked_text(call: Any) -> str:
    """Return what is shown below the line that says what one sees."""
    return str(call.request.messages[-1].content).partition("catches your eye")[2]


def test_more_glances_go_on_until_something_is_taken(scene: Scene, ask: Ask) -> None:
    asked = ask(on_page(scene), options={**GLANCE, "glances": 9}, prefer={"no": SURE})
    assert len({asked_text(call) for call in asked.calls}) == len(asked.calls) == 3
    assert asked.decision.calls == tuple(call.request.key for call in asked.calls)
    assert not picks(asked.decision)
    willing = ask(on_page(scene), options={**GLANCE, "glances": 9}, prefer={"yes": SURE})
    assert len(willing.calls) == 1


def test_the_choosy_take_less_at_a_glance(scene: Scene, ask: Ask) -> None:
    assert picks(ask(on_page(scene), options={**GLANCE, "choosy": -50.0}).decision)
    assert not picks(ask(on_page(scene), options={**GLANCE, "choosy": 50.0}).decision)


def test_a_glance_without_log_probabilities_takes_the_word(scene: Scene, ask: Ask) -> None:
    for said, count in (("Yes.", 1), ("no", 0)):
        decision = ask(on_page(scene), options=GLANCE, scores="none", says={"": said}).decision
        assert len(picks(decision)) == count
    unread = ask(on_page(scene), options=GLANCE, scores="none", says={"": "Well."}).decision
    assert unread.failure == "page: names no option"


def test_eyes_fall_on_upper_places_more_often() -> None:
    draws = np.random.default_rng(5).random(8000)
    counts = Counter(_caught([0, 1, 2, 3, 4], float(draw)) for draw in draws)
    shares = [counts[place] / 8000 for place in range(5)]
    assert shares == pytest.approx([0.31, 0.22, 0.18, 0.155, 0.138], abs=0.015)
    assert _caught([3], 0.5) == 3


def test_draws_follow_the_chances() -> None:
    found = OptionChoice(1, (0.2, 0.5, 0.3))
    draws = np.random.default_rng(3).random(4000)
    counts = Counter(drawn(found, (0, 0), 0.0, float(draw)) for draw in draws)
    assert [round(counts[place] / 4000, 1) for place in range(3)] == [0.2, 0.5, 0.3]
    choosy = Counter(drawn(found, (0, 0), 2.0, float(draw)) for draw in draws)
    assert choosy[0] > 2 * counts[0]
    assert drawn(found, (0, 0), 0.0, 1.0 - 1e-16) == 2


def test_upper_places_are_looked_at_more_often() -> None:
    found = OptionChoice(1, (0.5, 0.25, 0.25))
    draws = np.random.default_rng(3).random(8000)
    counts = Counter(drawn(found, (3, 0), 0.0, float(draw)) for draw in draws)
    assert counts[2] / counts[1] == pytest.approx(2.0, abs=0.2)
    assert counts[0] / 8000 == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"deciding": "guess"}, "deciding"),
        ({"deciding": "score", "words": "short"}, "words"),
        ({"deciding": "score", "also": ("save",)}, "also"),
        ({"deciding": "score", "prompting": "faithful"}, "prompting"),
        ({"choosy": 1.0}, "choosy"),
    ],
)
def test_what_does_not_go_together_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        LLMMind(None, **given)  # type: ignore[arg-type]


def test_a_run_costs_a_token_a_choice_and_replays_from_its_calls(
    serving: Serving, tmp_path: Path
) -> None:
    with serving() as fake:
        scenario = parse(RUN.format(fake.url))
        one = start(scenario, 4, tmp_path / "one")
    store = CallStore(tmp_path / "one" / "calls.db", read_only=True)
    calls = list(store.calls())
    store.close()
    choices = [call for call in calls if call.request.options]
    assert {call.request.purpose for call in choices} == {"home", "page"}
    assert all(call.reply.scores and call.request.max_tokens == 1 for call in choices)
    assert one.measured.totals["picks"] > 0
    assert one.measured.totals["failed"] == 0
    with Log.open(tmp_path / "one") as log:
        events = [record.event for record in log.records()]
    assert any(isinstance(event, e.Rated) for event in events)
    assert not any(isinstance(event, e.Felt) for event in events), "nobody hears feelings"
    spending = SpendingOptions(calls="stored", source=tmp_path / "one")
    again = start(scenario, 4, tmp_path / "again", spending=spending)
    assert again.measured.digest == one.measured.digest
    with Log.open(tmp_path / "again") as log:
        assert log.digest() == one.measured.digest
