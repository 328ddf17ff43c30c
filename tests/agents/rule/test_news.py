from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents import Decision, RecSimMind
from audience.agents.rule import RuleMind, RuleParameters
from audience.agents.rule.news import react
from audience.engine import Activation, Rules
from audience.memory import Memory, NoMemory
from audience.testing import check_batch_mind, simulate, tiny_genesis
from audience.world import (
    MENUS,
    Dice,
    Message,
    Observation,
    Raise,
    Situation,
    Standing,
    Topic,
    World,
    actions as a,
    dice,
)

TOPICS = (Topic("a tram", "A tram!"), Topic("a bridge", "A bridge!", favour=0.2))


@pytest.fixture(scope="module")
def seen() -> list[Observation]:
    """Return observations of a run with two topics."""

    class Watching:
        def __init__(self) -> None:
            self.seen: list[Observation] = []

        async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
            self.seen.append(seen)
            return await RuleMind(news_tell=1.0).decide(seen, memory, dice)

    mind = Watching()
    begun = {1: [Raise(TOPICS[0], (0, 5)), Raise(TOPICS[1], (0, 20), 1.0)]}
    genesis = tiny_genesis(40, 10)
    simulate(
        genesis,
        mind=mind,
        activation=Activation("reached"),
        changes=begun,
        rules=Rules(rounds=5),
    )
    assert any(len(one.news) == 2 for one in mind.seen)
    return mind.seen


def drawn(seen: Sequence[Observation]) -> Dice:
    agents = np.array([one.me.profile.id for one in seen], np.int64)
    rounds = np.array([one.round for one in seen], np.int64)
    return dice(3, "test", agents, rounds)


def test_a_batch_decides_as_each_of_its_members(seen: list[Observation]) -> None:
    together = react(RuleParameters(), seen, drawn(seen))
    alone = [react(RuleParameters(), [one], drawn([one]))[0] for one in seen]
    assert together == alone


def test_the_rule_mind_keeps_to_the_suite() -> None:
    check_batch_mind(RuleMind())


def test_everybody_feels_and_thinks_something_of_every_topic(seen: list[Observation]) -> None:
    for one, decision in zip(seen, react(RuleParameters(), seen, drawn(seen)), strict=True):
        felt = [act.topic for act in decision.actions if isinstance(act, a.Feel)]
        held = [act.topic for act in decision.actions if isinstance(act, a.Hold)]
        assert felt == held == [standing.number for standing in one.news]
        told = [act for act in decision.actions if isinstance(act, (a.Forward, a.Post))]
        assert len(told) <= 1


def test_nobody_passes_on_what_it_passed_on_before(seen: list[Observation]) -> None:
    p = RuleParameters(news_tell=50.0, news_write=0.0)
    forwards = 0
    for one, decision in zip(seen, react(p, seen, drawn(seen)), strict=True):
        roots = {message.post: message.root for message in one.me.inbox}
        for act in decision.actions:
            if isinstance(act, a.Forward):
                assert roots[act.post] not in one.me.passed
                forwards += 1
    assert forwards


def shares(seen: list[Observation], **given: float) -> tuple[float, float, float]:
    """Return the mean level, the share for it, and the share that tells others."""
    actions = [x for one in react(RuleParameters(**given), seen, drawn(seen)) for x in one.actions]  # type: ignore[arg-type]
    levels = [x.level for x in actions if isinstance(x, a.Feel)]
    views = [x.stance for x in actions if isinstance(x, a.Hold)]
    told = [x for x in actions if isinstance(x, (a.Forward, a.Post))]
    return sum(levels) / len(levels), views.count(1) / len(views), len(told) / len(seen)


def test_parameters_do_what_they_say(seen: list[Observation]) -> None:
    level, _, told = shares(seen)
    assert shares(seen, news_stir=3.0)[0] > level
    assert shares(seen, news_moderate=9.0, news_intense=9.0)[0] == 0.0
    assert shares(seen, news_tell=1.0)[2] > told
    assert shares(seen, news_tell=-50.0)[2] == 0.0
    swayed = [one for one in seen if all(x.stance > 0 for x in one.me.inbox)]
    if swayed:
        assert shares(swayed, news_sway=50.0, news_conviction=0.0)[1] == 1.0


def person(stance: int, side: float, count: int = 1) -> Observation:
    world = World(tiny_genesis(3, 5))
    me = world.agents[0]
    inbox = tuple(
        Message(f"1.{n}.0", n, "x", (), side, 0, n, f"r{n}", 1, 0.8) for n in range(1, count + 1)
    )
    me = replace(me, inbox=inbox, pool=inbox, situation=Situation(5, "news"))
    news = (Standing(0, TOPICS[0], 0, stance, 1, 1),)
    menu, domain = MENUS["news"], world.genesis.domain
    return Observation(me, 2, 0, "news", menu, world.catalogue, domain, news=news)


def chance(seen: Observation, kind: type, wanted: int, **given: float) -> float:
    many = [seen] * 2000
    keys = dice(1, "chance", np.arange(2000))
    p = RuleParameters(**given)  # type: ignore[arg-type]
    made = react(p, many, keys)
    found = [x for one in made for x in one.actions if isinstance(x, kind)]
    values: list[int] = [getattr(x, "level", getattr(x, "stance", 0)) for x in found]
    return values.count(wanted) / 2000


def test_views_are_swayed_by_what_is_heard_and_held_by_conviction() -> None:
    held = chance(person(1, 0.0), a.Hold, 1)
    assert chance(person(1, -1.0), a.Hold, 1) < held
    assert chance(person(-1, 0.0), a.Hold, 1) < 0.2
    assert held == pytest.approx(1 / (1 + np.exp(-RuleParameters().news_conviction)), abs=0.03)


def test_more_messages_stir_more_and_strong_ones_too() -> None:
    calm = chance(person(0, 0.0), a.Feel, 0)
    assert chance(person(0, 0.0, 4), a.Feel, 0) < calm
    assert chance(person(0, 1.0), a.Feel, 0) < calm


def test_recsim_users_read_news_and_leave_it() -> None:
    seen = person(0, 0.0)
    decision = asyncio.run(RecSimMind().decide(seen, NoMemory(), drawn([seen])))
    assert all(isinstance(x, a.Leave) for x in decision.actions)
