"""What is heard becomes something to look for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

import pytest

from audience.agents.rule import RuleMind
from audience.engine import Rules
from audience.llm import CallStore
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.scenario import parse
from audience.testing import simulate, tiny_genesis
from audience.world import changes as c, events as e

Serving = Callable[..., AbstractContextManager[Fake]]
GENESIS = tiny_genesis(40, 60)
ITEM = 57
TITLE = GENESIS.catalogue[ITEM].title


@pytest.mark.parametrize(("stance", "sought"), [(0.9, True), (-0.9, False)])
def test_rule_minds_search_for_what_was_praised_and_find_it(stance: float, sought: bool) -> None:
    told = {1: [c.Announce(f"See <{TITLE}>", (ITEM,), stance)]}
    _, keeper = simulate(GENESIS, changes=told, rules=Rules(rounds=4))
    events = keeper.events()
    searched = [one for one in events if isinstance(one, e.Searched) and one.query == TITLE]
    assert bool(searched) is sought
    lived = {one.agent for one in events if isinstance(one, e.Watched) and one.item == ITEM}
    seekers = {one.agent for one in searched}
    assert bool(seekers & lived) is sought
    _, without = simulate(GENESIS, rules=Rules(rounds=4))
    assert not any(isinstance(one, e.Searched) and one.query == TITLE for one in without.events())


def test_talk_makes_people_search() -> None:
    mind = RuleMind(talkative=1.0, to_social=1.0)
    _, keeper = simulate(GENESIS, mind=mind, rules=Rules(rounds=8))
    heard: dict[int, set[str]] = {}
    titles = GENESIS.catalogue.items
    found = 0
    for event in keeper.events():
        if isinstance(event, e.Said):
            heard.setdefault(event.to, set()).update(titles[item].title for item in event.items)
        if isinstance(event, e.Delivered):
            for reader in event.to:
                heard.setdefault(reader, set()).update(titles[item].title for item in event.items)
        if isinstance(event, e.Searched):
            found += 1
            assert event.query in heard[event.agent]
    assert found > 3


def test_a_model_is_told_of_what_was_heard_where_it_may_search(
    serving: Serving, tmp_path: Path
) -> None:
    text = """
agents = 12
rounds = 2
mind = "llm"
[activation]
method = "random"
share = 1.0
[[interventions]]
round = 1
do = "announce"
text = "See <Nausicaä of the Valley of the Wind>!"
items = ["Nausicaä of the Valley of the Wind"]
stance = 1.0
"""
    title = "Nausicaä of the Valley of the Wind"
    search = f'{{"why": "I heard of it", "do": "search", "query": "{title}"}}'
    with serving(says={f"<{title}> (good)": search}) as fake:
        scenario = f"{text}\n[llm]\nurl = '{fake.url}'\nprice = 'free'\n"
        start(parse(scenario), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        events = [record.event for record in log.records()]
    shown = [
        page
        for one, page in pairwise(events)
        if isinstance(one, e.Searched) and one.query == title and isinstance(page, e.SlateShown)
    ]
    wanted = next(one.change for one in events if isinstance(one, e.Intervened))
    assert isinstance(wanted, c.Announce)
    assert shown
    assert all(one.items[0] == wanted.items[0] for one in shown)
    store = CallStore(tmp_path / "run" / "calls.db", read_only=True)
    asked = [[one.content for one in call.request.messages] for call in store.calls()]
    store.close()
    offered = [f"<{title}> (good)" in user for rules, user, *_ in asked if '"search"' in rules]
    # Searching is offered to explorers, and to them for what they heard of.
    assert len(offered) >= 4
    assert all(offered)
