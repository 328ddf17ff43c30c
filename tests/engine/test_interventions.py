"""Topics in whole runs: who is woken, what is told, and that every way of running is the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import Activation, Paused, Rules
from audience.engine.interventions import cut
from audience.memory import Memory
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import (
    Dice,
    Genesis,
    Observation,
    Ties,
    Topic,
    World,
    actions as a,
    capture,
    changes as c,
    events as e,
    restore,
)

TOPIC = Topic("a tram line", "They want to build a tram line.", favour=0.4)
OTHER = Topic("a new bridge", "The bridge is to be closed.")
REACHED = Activation("reached")
EAGER = RuleMind(news_tell=0.5, news_write=0.3)
CHANGES: dict[int, Sequence[c.AnyChange]] = {
    1: [c.Raise(TOPIC, (0, 7))],
    3: [c.Raise(OTHER, (4,), -0.5)],
}


def run(**given: Any) -> tuple[World, ListKeeper]:
    parts: dict[str, Any] = {
        "mind": EAGER,
        "activation": REACHED,
        "changes": CHANGES,
        "rules": Rules(rounds=6),
    }
    return simulate(tiny_genesis(40, 20), **(parts | given))


def line(people: int) -> Genesis:
    """Return people of whom each follows the one before."""
    tiny = tiny_genesis(people, 10)
    rows = list(range(1, people))
    ties = Ties.of(people, rows, [row - 1 for row in rows], [0] * len(rows), [0.5] * len(rows))
    return Genesis(tiny.catalogue, tiny.profiles, ties, tiny.clock)


class Passing:
    """Passes on whatever comes."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.seen.append((seen.round, seen.me.profile.id))
        return Decision((a.Feel(0, 2), a.Hold(0, -1), a.Forward(seen.me.inbox[-1].post)))


def test_a_message_goes_from_followee_to_follower_one_tie_a_round() -> None:
    mind = Passing()
    rules = Rules(rounds=5)
    raise_ = {1: [c.Raise(TOPIC, (2,))]}
    world, keeper = simulate(line(8), mind=mind, activation=REACHED, changes=raise_, rules=rules)
    assert mind.seen == [(2, 3), (3, 4), (4, 5), (5, 6)]
    assert world.spread.aware[0].tolist() == [0, 0, 1, 1, 2, 3, 4, 5]
    forwards = [event for event in keeper.events() if isinstance(event, e.Forwarded)]
    assert {(one.root, one.author, one.topic) for one in forwards} == {("1.2.t0", 2, 0)}
    sources = [one.source for one in forwards]
    assert sources == ["1.2.t0", *(one.post for one in forwards[:-1])]
    assert world.spread.level[0].tolist()[6] == 2
    assert world.spread.stance[0].tolist()[3:] == [-1, -1, -1, -1, 0]


def test_only_those_who_received_something_wake_and_decide() -> None:
    world, keeper = run()
    told: set[tuple[int, int]] = set()
    for chapter in keeper.ordered():
        for entry in chapter.entries:
            if isinstance(entry.event, e.Delivered):
                told |= {(chapter.round + 1, reader) for reader in entry.event.to}
            if isinstance(entry.event, e.Woke):
                assert (chapter.round, entry.event.agent) in told
    kinds = {type(event) for event in keeper.events()}
    assert {e.MoodShifted, e.AttitudeShifted, e.Forwarded, e.Posted, e.Delivered} <= kinds
    assert not {e.Refused, e.Failed} & kinds
    assert (world.spread.aware > 0).any(axis=1).all()


@pytest.fixture(scope="module")
def straight() -> ListKeeper:
    return run()[1]


@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_coroutines_give_the_bytes_of_waves(order: str) -> None:
    waves = run(rules=Rules(rounds=6, order=order))[1]
    alone = run(rules=Rules(rounds=6, order=order, batched=False))[1]
    assert waves.digest() == alone.digest()
    assert any(isinstance(event, e.Forwarded) for event in waves.events())


@pytest.mark.parametrize("wave", [1, 3])
def test_any_wave_gives_the_same_bytes(wave: int, straight: ListKeeper) -> None:
    assert run(rules=Rules(rounds=6, wave=wave))[1].digest() == straight.digest()


@pytest.mark.parametrize("calls", [3, 9, 14])
@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_a_run_that_was_cut_gives_the_bytes_of_one_that_was_not(calls: int, order: str) -> None:
    rules = Rules(rounds=6, order=order, wave=4)
    whole = run(rules=rules)[1]
    keeper, count = ListKeeper(), iter(range(10**6))
    with pytest.raises(Paused):
        run(rules=rules, keeper=keeper, stopping=lambda: next(count) >= calls)
    kept = keeper.chapters[: keeper.committed]
    done = max((one.round for one in kept if one.phase == e.CLOSING), default=0)
    world = World(tiny_genesis(40, 20))
    for chapter in sorted(kept, key=lambda one: (one.round, one.phase, one.rank, one.agent)):
        if chapter.round <= done:
            for entry in chapter.entries:
                world.apply(entry.event)
    found = [one for one in kept if one.round > done]
    again = ListKeeper()
    again.chapters = list(kept)
    run(rules=rules, keeper=again, world=world, found=found)
    assert again.digest() == whole.digest()


def test_a_snapshot_restores_topics_and_pools() -> None:
    genesis = tiny_genesis(40, 20)
    world = run()[0]
    shot = capture(world)
    read = msgspec.msgpack.decode(msgspec.msgpack.encode(shot), type=type(shot))
    again = restore(genesis, [read.shared], read.agents)
    assert again.spread.topics == world.spread.topics
    assert (again.spread.level == world.spread.level).all()
    assert again.laws.topics == world.laws.topics
    assert again.agents[1].pool == world.agents[1].pool != ()
    further = {"world": again, "rules": Rules(rounds=8)}
    assert run(**further)[1].digest() == run(world=world, rules=Rules(rounds=8))[1].digest()


def test_a_message_is_passed_on_once() -> None:
    forwards = [event for event in run()[1].events() if isinstance(event, e.Forwarded)]
    assert len({(one.agent, one.root) for one in forwards}) == len(forwards)


class Insisting(Passing):
    """Tries everything that is not possible."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        post = seen.me.inbox[-1].post
        return Decision(
            (
                a.Forward(post),
                a.Forward(post),
                a.Feel(9, 1),
                a.Feel(0, 3),
                a.Feel(-1, 1),
                a.Hold(0, 0),
                a.Hold(1, 1),
                a.Post("no topic"),
                a.Post("x" * 3000, topic=0),
                a.Enter("recommender"),
            )
        )


def test_what_is_not_possible_is_refused() -> None:
    raise_ = {1: [c.Raise(TOPIC, (2,))]}
    keeper = simulate(
        line(4), mind=Insisting(), activation=REACHED, changes=raise_, rules=Rules(rounds=2)
    )[1]
    refused = [event for event in keeper.events() if isinstance(event, e.Refused)]
    assert [one.action for one in refused] == [
        "Forward", "Feel", "Feel", "Feel", "Hold", "Hold", "Post", "Post", "Enter",
    ]  # fmt: skip
    assert "passed on already" in refused[0].why
    assert "topic 9 does not exist" in refused[1].why
    assert "topic 1 does not exist" in refused[5].why
    assert "topic -1 does not exist" in refused[6].why


def test_those_who_come_by_themselves_read_the_news_first_and_go_on() -> None:
    keeper = run(activation=Activation("random", 1.0, 0.0), mind=RuleMind())[1]
    visits = [one for one in keeper.ordered() if one.phase == e.VISITS]
    both = 0
    for chapter in visits:
        surfaces = [x.event.surface for x in chapter.entries if isinstance(x.event, e.Entered)]
        if "news" in surfaces:
            assert surfaces[:2] == ["news", "home"]
            both += len(surfaces) > 2
    assert both
    assert any(isinstance(event, e.Watched) for event in keeper.events())


def test_a_mind_that_fails_leaves_its_topics_as_they_were() -> None:
    class Failing(Passing):
        async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
            return Decision((), failure="news: no JSON")

    raise_ = {1: [c.Raise(TOPIC, (2,))]}
    world, keeper = simulate(
        line(4), mind=Failing(), activation=REACHED, changes=raise_, rules=Rules(rounds=3)
    )
    assert world.spread.level[0, 3] == world.spread.stance[0, 3] == 0
    assert world.spread.aware[0, 3] == 1
    assert sum(isinstance(event, e.Failed) for event in keeper.events()) == 1


def test_attention_lets_news_wait() -> None:
    slow = run(activation=Activation("reached", attention=0.3), rules=Rules(rounds=3))[0]
    fast = run(rules=Rules(rounds=3))[0]
    assert len(slow.spread.waiting()) > 0
    assert (slow.spread.aware > 0).sum() < (fast.spread.aware > 0).sum()


def test_the_silent_do_not_read() -> None:
    changes: dict[int, Sequence[c.AnyChange]] = {1: [c.Raise(TOPIC, (2,)), c.Silence(3)]}
    world, keeper = simulate(
        line(5), mind=Passing(), activation=REACHED, changes=changes, rules=Rules(rounds=4)
    )
    assert not any(isinstance(event, e.Woke) for event in keeper.events())
    assert world.spread.waiting().tolist() == [3]


def test_who_listens_in_turn_is_trusted_more() -> None:
    world = run(rules=Rules(rounds=2))[0]
    trusts = {one.trust for me in world.agents.changed.values() for one in me.pool}
    assert trusts <= {0.6, 0.8, 1.0}
    assert {0.8, 1.0} <= trusts
    one_way = simulate(
        line(4),
        mind=Passing(),
        activation=REACHED,
        changes={1: [c.Raise(TOPIC, (0,))]},
        rules=Rules(rounds=3),
    )[0]
    assert {one.trust for one in one_way.agents[2].pool} == {0.6}


def test_a_long_text_is_cut_with_a_note() -> None:
    text = cut("x" * 50_000)
    assert len(text) <= 2_000
    assert text.endswith("(cut here: 50,000 characters in all)")
    assert cut("short") == "short"


def test_a_changed_neighbour_moves_nobody_elses_dice() -> None:
    raise_ = {1: [c.Raise(TOPIC, (0, 20))]}
    more = {1: [c.Raise(TOPIC, (0, 20)), c.Silence(1)]}
    first, second = (run(changes=one, rules=Rules(rounds=2))[0] for one in (raise_, more))
    differ = np.flatnonzero(first.spread.level[0] != second.spread.level[0]).tolist()
    assert set(differ) <= {1}
