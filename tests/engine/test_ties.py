from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest

from audience.agents.rule import RuleMind
from audience.engine import Rules, TieRules
from audience.engine.ties import STRANGER, rewired
from audience.errors import BadInput
from audience.scenario import parse
from audience.testing import ListKeeper, ScriptedMind, simulate, tiny_genesis
from audience.testing.worlds import Turn
from audience.world import Genesis, World, actions as a, capture, events as e, restore, tastes

GENESIS = tiny_genesis(30, 20)
Scripts = Mapping[int, Sequence[Turn]]
ALIVE = TieRules(grow=0.2, fade=4.0)
SOCIABLE = RuleMind(talkative=1.0, to_social=1.0, follow=0.8, unfollow=0.8)


def closeness(world: World, one: int, other: int) -> float:
    tie = world.graph.tie(one, other)
    assert tie is not None
    return tie.closeness


def tie_events(keeper: ListKeeper) -> list[e.Entry]:
    return [
        entry
        for chapter in keeper.ordered()
        for entry in chapter.entries
        if isinstance(entry.event, e.Followed | e.Unfollowed)
    ]


def test_closeness_grows_with_a_talk_and_halves_without() -> None:
    talk = [(a.Enter("social"), a.Say(1, "Hi"), a.Leave())]
    minds: Scripts = {0: [*talk, *[a.Leave()] * 20], 1: [a.Leave()] * 20}
    mind = ScriptedMind(minds, otherwise=a.Leave())
    before = closeness(World(GENESIS), 0, 1)
    aside = closeness(World(GENESIS), 2, 3)
    world, _ = simulate(GENESIS, mind=mind, rules=Rules(rounds=5, max_lines=1), ties=ALIVE)
    # One line in round 1, four rounds of silence; the world as it is in round 5.
    faded = before * 0.5 ** (1 / 4)
    met = faded + 0.2 * (1.0 - faded)
    assert closeness(world, 0, 1) == pytest.approx(met * 0.5, abs=1e-6)
    assert closeness(world, 1, 0) == pytest.approx(met * 0.5, abs=1e-6)
    assert closeness(world, 2, 3) == pytest.approx(aside * 0.5 ** (5 / 4))


def test_reading_and_passing_on_bring_closer_too_and_only_where_there_is_a_tie() -> None:
    post = (a.Enter("social"), a.Post("Hello"), a.Leave())
    forward = (a.Enter("social"), a.Forward("1.0.0"), a.Leave())
    minds: Scripts = {0: [post, a.Leave()], 1: [a.Leave(), forward]}
    mind = ScriptedMind(minds, otherwise=a.Leave())
    plain = World(GENESIS)
    world, _ = simulate(GENESIS, mind=mind, rules=Rules(rounds=2), ties=TieRules(grow=0.4))
    start = closeness(plain, 1, 0)
    read = start + 0.1 * (1 - start)
    assert closeness(world, 1, 0) == pytest.approx(read + 0.2 * (1 - read), abs=1e-5)
    assert closeness(world, 0, 1) == closeness(plain, 0, 1)
    # 3 follows 1 and 2, not 0: it read what 1 passed on and grew closer to 1.
    assert closeness(world, 3, 1) > closeness(plain, 3, 1)
    assert world.graph.tie(3, 0) is None


def test_as_it_stands_nothing_moves() -> None:
    _, plain = simulate(GENESIS, mind=RuleMind(talkative=1.0))
    _, given = simulate(GENESIS, mind=RuleMind(talkative=1.0), ties=TieRules())
    assert plain.digest() == given.digest()
    assert not any(isinstance(event, e.TiesEnlivened) for event in plain.events())


@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_a_run_with_living_ties_is_the_same_in_waves_alone_and_taken_up(order: str) -> None:
    ties = TieRules(grow=0.3, fade=3.0, random_k=2, rewire=0.3)
    rules = Rules(rounds=5, order=order)
    straight, keeper = simulate(GENESIS, mind=SOCIABLE, rules=rules, ties=ties)
    alone = Rules(rounds=5, order=order, batched=False, concurrency=3)
    _, other = simulate(GENESIS, mind=SOCIABLE, rules=alone, ties=ties)
    assert other.digest() == keeper.digest()
    before, first = simulate(GENESIS, mind=SOCIABLE, rules=Rules(rounds=2, order=order), ties=ties)
    shot = capture(before)
    again = restore(GENESIS, [shot.shared], shot.agents)
    after, rest = simulate(GENESIS, mind=SOCIABLE, rules=rules, ties=ties, world=again)
    assert first.events() + rest.events() == keeper.events()
    for agent in range(30):
        assert after.graph.ties(agent) == straight.graph.ties(agent)
        assert after.graph.followers(agent) == straight.graph.followers(agent)


def similarity(world: World) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    taste = tastes([me.taste for me in world.agents])
    unit = taste / np.sqrt((taste * taste).sum(axis=1, keepdims=True))
    found: np.ndarray[tuple[int, int], np.dtype[np.float64]] = unit @ unit.T
    return found


def mean_similarity(world: World, kinds: tuple[str, ...] = ()) -> float:
    alike = similarity(world)
    return float(
        np.mean(
            [
                alike[one, tie.other]
                for one in range(len(world.agents))
                for tie in world.graph.ties(one)
                if not kinds or tie.kind in kinds
            ]
        )
    )


def test_friends_of_other_tastes_are_k_are_other_and_change() -> None:
    ties = TieRules(random_k=2)
    world, keeper = simulate(GENESIS, rules=Rules(rounds=3), ties=ties)
    for agent in range(30):
        strangers = [tie for tie in world.graph.ties(agent) if tie.kind == STRANGER]
        assert len(strangers) == 2
        assert agent not in {tie.other for tie in strangers}
    everybody = similarity(world).mean()
    assert mean_similarity(world, (STRANGER,)) < everybody - 0.2
    entries = tie_events(keeper)
    assert {type(entry.event) for entry in entries} == {e.Followed, e.Unfollowed}
    assert all("other taste" in entry.cause for entry in entries if entry.cause)
    assert all(entry.cause for entry in entries)
    rare, few = simulate(GENESIS, rules=Rules(rounds=3), ties=TieRules(random_k=2, every=3))
    assert len(tie_events(few)) == 60
    assert mean_similarity(rare, (STRANGER,)) < everybody - 0.2


def test_rewiring_brings_people_together_who_are_alike() -> None:
    world, keeper = simulate(GENESIS, rules=Rules(rounds=6), ties=TieRules(rewire=0.8))
    still, _ = simulate(GENESIS, rules=Rules(rounds=6))
    assert mean_similarity(world) > mean_similarity(still) + 0.1
    assert len(world.graph) == len(still.graph)
    entries = tie_events(keeper)
    for gone, come in pairwise(entries):
        if isinstance(gone.event, e.Unfollowed):
            assert isinstance(come.event, e.Followed)
            assert come.event.agent == gone.event.agent
    assert all("more alike" in entry.cause for entry in entries)


def test_one_persons_draws_do_not_hang_on_how_many_others_there_are() -> None:
    def changes(genesis: Genesis) -> list[e.Entry]:
        world = World(genesis)
        for event in (e.RunStarted(5, "", 0.0), e.RoundStarted(1, 0)):
            world.apply(event)
        return rewired(world, TieRules(rewire=0.5))

    movers = {entry.event.agent for entry in changes(tiny_genesis(20, 20))}  # type: ignore[union-attr]
    more = {entry.event.agent for entry in changes(tiny_genesis(24, 20))}  # type: ignore[union-attr]
    inner = set(range(4, 16))  # whose friends of friends are the same in both rings
    assert movers & inner == more & inner != set()


def test_rule_minds_follow_authors_they_like_and_leave_those_far_away() -> None:
    ties = TieRules(fade=1.0)
    world, keeper = simulate(GENESIS, mind=SOCIABLE, rules=Rules(rounds=8), ties=ties)
    events = [entry.event for entry in tie_events(keeper)]
    assert {type(event) for event in events} == {e.Followed, e.Unfollowed}
    refused = [event.action for event in keeper.events() if isinstance(event, e.Refused)]
    assert not {"Follow", "Unfollow"} & set(refused)
    assert len(world.graph) != len(World(GENESIS).graph)
    _, calm = simulate(GENESIS, mind=RuleMind(talkative=1.0, to_social=1.0), rules=Rules(rounds=8))
    assert tie_events(calm) == []


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("grow = 1.5", "grow: 1.5 is not between 0 and 1"),
        ("fade = -1", "fade: -1.0 is negative"),
        ("random_k = 30", "give a larger sample"),
        ("every = 0", "every: 0 is too small"),
        ("grew = 0.5", "'grew' is unknown (did you mean 'grow'?)"),
    ],
)
def test_a_mistake_is_named(written: str, said: str) -> None:
    with pytest.raises(BadInput) as told:
        parse(f"[ties]\n{written}\n")
    assert said in str(told.value)
    assert "(line 2)" in str(told.value)
