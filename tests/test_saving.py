"""Saving an item for later: kept in one visit and offered in the next, for every kind of mind."""

from __future__ import annotations

import json

from audience.agents import Decision, RuleMind
from audience.agents.language.reply_actions import actions_of
from audience.agents.language.reply_reader import read
from audience.agents.language.reply_schema import PageReply, Wording, schema_of
from audience.engine import Rules
from audience.metrics import measure
from audience.testing import check_batch_mind, simulate, tiny_genesis
from audience.world import Observation, World, actions as a, events as e

BROWSE = (a.Enter("recommender"), a.Browse())


class Shopper:
    """Saves the second item of each page; takes the first of what was saved, and leaves."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []

    async def decide(self, seen: Observation, memory: object, dice: object) -> object:
        self.seen.append(seen)
        if seen.surface == "home":
            return Decision(BROWSE)
        slate = seen.me.situation.slate
        if seen.surface == "saved":
            return Decision((a.Pick(slate[0]), a.Leave(0.9)))
        return Decision((a.Save(slate[1]), a.Leave(0.5)))


def shopped(rounds: int) -> tuple[World, list[e.AnyEvent], Shopper]:
    mind = Shopper()
    genesis = tiny_genesis(people=1, items=30)
    world, keeper = simulate(genesis, mind=mind, rules=Rules(rounds=rounds))  # type: ignore[arg-type]
    return world, keeper.events(), mind


def test_what_was_saved_opens_the_next_visit_and_is_gone_once_taken() -> None:
    world, events, mind = shopped(2)
    (saved,) = [event for event in events if isinstance(event, e.Saved)]
    slates = [event for event in events if isinstance(event, e.SlateShown)]
    assert [slate.surface for slate in slates] == ["recommender", "saved"]
    assert slates[1].items == (saved.item,)
    (watched,) = [event for event in events if isinstance(event, e.Watched)]
    assert watched.item == saved.item
    assert world.agents[0].saved == ()
    assert [seen.surface for seen in mind.seen] == ["home", "recommender", "home", "saved"]


def test_after_the_saved_page_come_recommendations_from_their_first_page() -> None:
    class Browser(Shopper):
        async def decide(self, seen: Observation, memory: object, dice: object) -> object:
            if seen.surface == "saved":
                return Decision((a.NextPage(),))
            return await super().decide(seen, memory, dice)

    genesis = tiny_genesis(people=1, items=30)
    _, keeper = simulate(genesis, mind=Browser(), rules=Rules(rounds=2))  # type: ignore[arg-type]
    shown = [event for event in keeper.events() if isinstance(event, e.SlateShown)]
    assert [(slate.surface, slate.page) for slate in shown] == [
        ("recommender", 0),
        ("saved", 0),
        ("recommender", 0),
    ]


def test_only_what_is_on_the_page_and_not_kept_yet_is_saved() -> None:
    class Greedy(Shopper):
        async def decide(self, seen: Observation, memory: object, dice: object) -> object:
            if seen.surface == "home":
                return Decision(BROWSE)
            slate = seen.me.situation.slate
            away = next(item for item in range(30) if item not in slate)
            saves = (a.Save(slate[0]), a.Save(slate[0]), a.Save(away))
            return Decision((*saves, a.Pick(slate[1]), a.Save(slate[1]), a.Leave()))

    genesis = tiny_genesis(people=1, items=30)
    _, keeper = simulate(genesis, mind=Greedy(), rules=Rules(rounds=1))  # type: ignore[arg-type]
    events = keeper.events()
    assert len([event for event in events if isinstance(event, e.Saved)]) == 1
    refused = [event for event in events if isinstance(event, e.Refused)]
    assert [event.action for event in refused] == ["Save"] * 3


def test_rule_minds_save_where_they_are_told_to_and_not_otherwise() -> None:
    genesis = tiny_genesis(people=30, items=60)

    def saves(share: float) -> tuple[float, float]:
        _, keeper = simulate(genesis, mind=RuleMind(save=share), rules=Rules(rounds=4))
        events = keeper.events()
        pages = [e_.surface for e_ in events if isinstance(e_, e.SlateShown)]
        return len([x for x in events if isinstance(x, e.Saved)]), pages.count("saved")

    assert saves(0.0) == (0, 0)
    some, offered = saves(0.5)
    assert some > 10
    assert offered > 5
    check_batch_mind(RuleMind(save=0.5))


def test_saves_are_counted() -> None:
    genesis = tiny_genesis(people=1, items=30)
    _, keeper = simulate(genesis, mind=Shopper(), rules=Rules(rounds=1))  # type: ignore[arg-type]
    assert measure(keeper.ordered(), genesis).value()["saves"] == 1.0


def page_of(mind: Shopper) -> Observation:
    return next(seen for seen in mind.seen if seen.surface == "recommender")


def test_a_language_mind_that_offers_it_reads_what_is_to_be_saved() -> None:
    seen = page_of(shopped(1)[2])
    first, second = seen.me.situation.slate[:2]
    assert "save" not in schema_of(seen)["properties"]
    assert "save" in schema_of(seen, Wording(also=("save",)))["properties"]
    said = json.dumps({"tempted": "no", "picks": [], "save": [1, 2], "next": "leave"})
    reply = read(seen, said, ("save",))
    assert isinstance(reply, PageReply)
    assert reply.also == (("save", first), ("save", second))
    assert actions_of(seen, reply)[:2] == (a.Save(first), a.Save(second))
