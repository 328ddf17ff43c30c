from __future__ import annotations

import pytest

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import Rules
from audience.testing import Exhausted, ScriptedMind, SlowMind, simulate, tiny_genesis
from audience.world import actions as a, events as e

GENESIS = tiny_genesis(4, 10)
ONCE = Rules(rounds=1)


def test_a_script_is_played_turn_by_turn() -> None:
    mind = ScriptedMind(
        {2: [(a.Enter("recommender"), a.Browse()), a.Pick(1), Decision((a.Leave(0.5),), "done")]},
        otherwise=a.Nothing(),
    )
    _, keeper = simulate(GENESIS, mind=mind, rules=ONCE)
    mine = [event for event in keeper.events() if getattr(event, "agent", None) == 2]
    assert [type(event).__name__ for event in mine] == [
        "Woke",
        "Entered",
        "SlateShown",
        "Picked",
        "Watched",
        "Left",
    ]
    assert mind.left() == {}
    assert [seen.surface for seen in mind.seen[2]] == ["home", "recommender", "recommender"]


def test_what_was_not_played_is_told() -> None:
    mind = ScriptedMind({2: [a.Leave(), a.Leave(), a.Leave()]}, a.Nothing())
    simulate(GENESIS, mind=mind, rules=ONCE)
    assert mind.left() == {2: 2}


def test_an_exhausted_script_ends_the_run() -> None:
    with pytest.raises(Exhausted, match=r"agent 2 was asked for turn 2 \(round 1, social\)"):
        simulate(GENESIS, mind=ScriptedMind({2: [a.Enter("social")]}, a.Nothing()), rules=ONCE)


def test_an_agent_without_a_script_ends_the_run_unless_told_otherwise() -> None:
    with pytest.raises(Exhausted, match="its script has 0"):
        simulate(GENESIS, mind=ScriptedMind({}), rules=ONCE)


def test_a_slow_mind_decides_as_the_mind_it_slows() -> None:
    quick = simulate(GENESIS, mind=RuleMind())[1]
    slow = SlowMind(RuleMind(), longest=0.002)
    assert simulate(GENESIS, mind=slow)[1].digest() == quick.digest()
    woke = sum(isinstance(event, e.Woke) for event in quick.events())
    assert len(slow.finished) >= woke


def test_slow_minds_finish_in_an_order_that_belongs_to_the_seed() -> None:
    orders = []
    for seed in (1, 2, 3):
        slow = SlowMind(ScriptedMind({}, a.Nothing()), seed=seed, longest=0.05)
        simulate(tiny_genesis(8, 5), mind=slow, rules=ONCE)
        orders.append(tuple(slow.finished))
    assert all(sorted(order) == list(range(8)) for order in orders)
    assert len(set(orders)) > 1
