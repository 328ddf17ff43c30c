from __future__ import annotations

import pytest

from audience.engine import LivedRound, Parts, Platform, Rules, Simulation, run, run_sync
from audience.engine.consolidation import MemoryFault
from audience.errors import AudienceError
from audience.memory import Life
from audience.recommenders import Popular
from audience.testing import Diary, ListKeeper, ScriptedMind, simulate, tiny_genesis
from audience.testing.worlds import ALWAYS
from audience.world import Dice, World, actions as a, events as e

TALK = ScriptedMind(
    {
        0: [(a.Enter("social"), a.Post("Hello"), a.Say(1, "Hi"), a.Leave())],
        1: [a.Nothing(), a.Leave()],
    },
    a.Nothing(),
)


def test_what_was_lived_becomes_thoughts() -> None:
    world, keeper = simulate(tiny_genesis(6, 5), mind=TALK, memory=Diary(), rules=Rules(rounds=1))
    assert [one.text for one in world.agents[0].thoughts] == [
        "Woke Entered Posted Wished Left Said"
    ]
    assert [one.text for one in world.agents[1].thoughts] == ["Woke Left Said Delivered"]
    assert [one.text for one in world.agents[3].thoughts] == ["Woke Left"]
    chapters = [one for one in keeper.ordered() if one.phase == e.MEMORY]
    assert [one.agent for one in chapters] == [0, 1, 2, 3, 4, 5]


def test_thoughts_fade_and_each_round_is_its_own() -> None:
    idle = ScriptedMind({}, a.Nothing())
    world, keeper = simulate(tiny_genesis(3, 5), mind=idle, memory=Diary(), rules=Rules(rounds=5))
    for agent in world.agents:
        assert [thought.id for thought in agent.thoughts] == [3, 4]
        assert {thought.text for thought in agent.thoughts} == {"Woke Left"}
    moments = [thought.at for thought in world.agents[0].thoughts]
    assert moments == [world.genesis.clock.at(4, 1.0), world.genesis.clock.at(5, 1.0)]
    assert sum(isinstance(event, e.Forgot) for event in keeper.events()) == 3 * 3


def test_the_dice_of_a_memory_belong_to_agent_and_round() -> None:
    idle = ScriptedMind({}, a.Nothing())
    world, _ = simulate(tiny_genesis(4, 5), mind=idle, memory=Diary(), rules=Rules(rounds=3))
    weights = [thought.weight for agent in world.agents for thought in agent.thoughts]
    assert len(set(weights)) == len(weights)


def test_lives_forget_the_round_before() -> None:
    lives = LivedRound()
    first = e.Chapter(1, e.VISITS, 0, 0, (e.Entry(e.Woke(0, 1)),))
    opening = e.Chapter(2, e.OPENING, 0, -1, (e.Entry(e.RoundStarted(2, 9)),))
    lives.add(first)
    assert list(lives.events) == [0]
    lives.add(opening)
    assert not lives.events


def test_a_simulation_needs_no_listener_to_remember() -> None:
    parts = Parts(
        ScriptedMind({}, a.Nothing()),
        Diary(),
        lambda swap: ("popular", Popular()),
        Platform(),
        ALWAYS,
        {},
    )
    world = World(tiny_genesis(3, 5))
    sim = Simulation(world, ListKeeper(), parts, Rules(rounds=1), 7)
    run_sync(lambda: run(sim))
    assert [one.text for one in world.agents[0].thoughts] == ["Woke Left"]


def test_a_line_is_lived_by_both_and_a_delivery_by_its_readers() -> None:
    lives = LivedRound()
    said, told = e.Said(0, 1, "Hi"), e.Delivered("p", 3, (1, 2), "Look")
    lives.add(e.Chapter(1, e.CONVERSATIONS, 0, 0, (e.Entry(said), e.Entry(told))))
    assert dict(lives.events) == {0: [said], 1: [said, told], 2: [told]}


class Broken(Diary):
    async def consolidate(self, life: Life, dice: Dice) -> list[e.Entry]:
        raise KeyError("thought")


def test_a_memory_that_raises_stops_the_run_with_a_remedy() -> None:
    idle = ScriptedMind({}, a.Nothing())
    with pytest.raises(MemoryFault, match=r"Broken.consolidate raised KeyError.*agent 0; fix it"):
        simulate(tiny_genesis(3, 5), mind=idle, memory=Broken(), rules=Rules(rounds=1))
    assert issubclass(MemoryFault, AudienceError)
