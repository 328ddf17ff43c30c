from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from msgspec.structs import replace

from audience.engine import Platform, Rules
from audience.engine.platform import feed_of
from audience.errors import BadInput
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.scenario import parse
from audience.testing import ScriptedMind, simulate, tiny_genesis
from audience.testing.worlds import Turn
from audience.world import Agent, Genesis, Message, World, actions as a, changes as c, events as e

GENESIS = tiny_genesis(8, 12)
Serving = Callable[..., AbstractContextManager[Fake]]


def world_at(round_: int) -> World:
    world = World(GENESIS)
    world.apply(e.RoundStarted(round_, 0))
    for other, closeness in ((1, 0.9), (2, 0.3), (6, 0.5), (7, 0.5)):
        world.graph.add(0, other, "friend", closeness)
    return world


def reader(world: World, *messages: Message, liking: tuple[str, ...] = ()) -> Agent:
    me = world.agents[0]
    return replace(me, inbox=messages, profile=replace(me.profile, interests=liking))


def shown(world: World, me: Agent, order: str = "ranked", length: int = 20) -> list[str]:
    return [message.post for message in feed_of(world, me, order, length)]


def test_by_time_the_newest_stands_last_and_a_feed_has_an_end() -> None:
    world = world_at(3)
    messages = [Message(f"{n}.1.0", 1, "x") for n in range(1, 6)]
    me = reader(world, *messages)
    assert shown(world, me, "time") == [message.post for message in messages]
    assert shown(world, me, "time", 2) == ["4.1.0", "5.1.0"]


@pytest.mark.parametrize("order", ["time", "ranked"])
def test_what_a_human_wrote_comes_first_in_every_feed(order: str) -> None:
    world = world_at(3)
    human = Message("1.2.0", 2, "x", voice="human")
    others = [Message(f"{n}.1.0", 1, "x") for n in range(1, 6)]
    me = reader(world, others[0], human, *others[1:])
    assert shown(world, me, order)[-1] == human.post
    assert shown(world, me, order, 2)[-1] == human.post


def test_the_closer_the_fresher_and_the_more_to_ones_taste_comes_last() -> None:
    world = world_at(9)
    near, far = Message("8.1.0", 1, "x"), Message("8.2.0", 2, "x")
    assert shown(world, reader(world, near, far)) == ["8.2.0", "8.1.0"]
    old, new = Message("2.1.0", 1, "x"), Message("8.2.0", 2, "x")
    assert shown(world, reader(world, new, old)) == ["2.1.0", "8.2.0"]
    taste = world.agents[0].taste
    fits = sorted(
        range(12),
        key=lambda item: sum(
            memoryview(taste).cast("f")[tag] / len(world.catalogue.tags_of[item])
            for tag in world.catalogue.tags_of[item]
        ),
    )
    liked, not_liked = Message("8.6.0", 6, "x", (fits[-1],)), Message("8.7.0", 7, "x", (fits[0],))
    assert shown(world, reader(world, liked, not_liked)) == ["8.7.0", "8.6.0"]
    assert shown(world, reader(world, liked, not_liked), length=1) == ["8.6.0"]


def test_what_a_friend_passed_on_is_as_near_as_the_friend() -> None:
    world = world_at(9)
    passed_on = Message("8.1.3", 5, "by a stranger, from the closest friend")
    advert, far = Message("8.system.0", -1, "x"), Message("8.2.0", 2, "x")
    assert shown(world, reader(world, passed_on, advert, far)) == ["8.2.0", "8.system.0", "8.1.3"]


@pytest.mark.parametrize("batched", [True, False])
def test_a_mind_sees_the_feed_and_may_still_pass_on_what_it_saw(batched: bool) -> None:
    minds: dict[int, Sequence[Turn]] = {
        who: [(a.Enter("social"), a.Post(f"by {who}"), a.Leave()), a.Leave()] for who in (1, 2)
    }
    minds[0] = [a.Leave(), a.Enter("social"), (a.Forward("1.1.0"), a.Leave())]
    mind = ScriptedMind(minds, otherwise=a.Leave())
    platform = Platform(feed="ranked", feed_length=1)
    rules = Rules(rounds=2, batched=batched)
    world = world_at(0)
    _, keeper = simulate(GENESIS, mind=mind, platform=platform, rules=rules, world=world)
    (message,) = mind.seen[0][-1].me.inbox
    assert message.text == "by 1"
    assert [event.author for event in keeper.events() if isinstance(event, e.Forwarded)] == [1]


def test_delivering_costs_no_model_call(serving: Serving, tmp_path: Path) -> None:
    asleep = (
        "agents = 300\nrounds = 3\nmind = 'llm'\n[activation]\nmethod = 'random'\nshare = 0.0\n"
    )
    advert = (
        "[[interventions]]\nround = {}\ndo = 'advertise'\ntext = 'Look!'\nages = [18, 60]\n"
        "[[interventions]]\nround = {}\ndo = 'announce'\ntext = 'Hear!'\n"
    )
    with serving() as fake:
        text = f"{asleep}[llm]\nurl = '{fake.url}'\nprice = 'free'\n" + advert.format(1, 2)
        done = start(parse(text), 1, tmp_path / "run")
        assert fake.requests == done.spent.calls == 0
    with Log.open(tmp_path / "run") as log:
        sent = [r.event for r in log.records() if isinstance(r.event, e.Delivered)]
    assert len(sent) == 2
    assert done.measured.totals["delivered"] == sum(len(one.to) for one in sent) > 500


def test_an_unknown_feed_is_named() -> None:
    with pytest.raises(BadInput, match="feed 'rank' is unknown"):
        parse("[platform]\nfeed = 'rank'\n")
    with pytest.raises(BadInput, match="feed_length: 0 is not between 1 and 20"):
        parse("[platform]\nfeed_length = 0\n")


def test_an_advertisement_seeks_people_by_any_field_of_theirs() -> None:
    def readers(**sought: object) -> set[int]:
        change = c.Advertise("Buy", **sought)  # type: ignore[arg-type]
        _, keeper = simulate(
            genesis,
            mind=ScriptedMind({}, otherwise=a.Leave()),
            changes={1: [change]},
            rules=Rules(rounds=1),
        )
        return {who for ev in keeper.events() if isinstance(ev, e.Delivered) for who in ev.to}

    people = list(GENESIS.profiles)
    people[2] = replace(people[2], gender="Woman", career="nurse", traits=("curious", "calm"))
    people[3] = replace(people[3], gender="woman", age=None)
    genesis = Genesis(GENESIS.catalogue, tuple(people), GENESIS.ties, GENESIS.clock)
    assert readers(gender="woman") == {2, 3}
    assert readers(gender="woman", ages=(18, 99)) == {2}
    assert readers(career="Nurse") == readers(trait="curious") == {2}
    assert readers(ages=(19, 20)) == {1, 2}
    assert readers(agents=(1, 4), ages=(19, 20)) == {1}
    assert readers(trait="bold") == set()


def test_ages_that_are_no_range_and_words_that_are_no_text_are_refused() -> None:
    for change, said in (
        (c.Advertise("Buy", ages=(40, 30)), "no range"),
        (c.Advertise("Buy", ages=(40,)), "no range"),
        (c.Announce("\ud800"), "lone surrogate"),
    ):
        with pytest.raises(BadInput, match=said):
            simulate(GENESIS, changes={1: [change]})
