from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import RecommenderFault, Rules
from audience.engine.drivers import MindFault
from audience.errors import AudienceError, BadInput, Halt
from audience.memory import Memory
from audience.recommenders import Context, Ranker, RecommenderView
from audience.testing import Exhausted, ListKeeper, ScriptedMind, SlowMind, simulate, tiny_genesis
from audience.world import (
    Dice,
    Generator,
    Ints,
    Observation,
    actions as a,
    events as e,
)

GENESIS = tiny_genesis(9, 20)


class Odd:
    """A mind that behaves as given when agent 3 decides, and does nothing for the others."""

    def __init__(self, behave: Callable[[], Any]) -> None:
        self.behave = behave

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        if seen.me.profile.id != 3:
            return Decision((a.Nothing(),))
        given = self.behave()
        decision: Decision = await given if asyncio.iscoroutine(given) else given
        return decision


def failures(behave: Callable[[], Any], deadline: float = 60.0) -> list[e.AnyEvent]:
    rules = Rules(rounds=1, deadline=deadline)
    _, keeper = simulate(GENESIS, mind=Odd(behave), rules=rules)
    events = keeper.events()
    visits = [event for event in events if isinstance(event, e.Left)]
    assert len(visits) == 9
    assert e.Left(3, None, "failed") in visits
    return [event for event in events if isinstance(event, e.Failed)]


def test_a_mind_that_raises_becomes_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    def behave() -> Decision:
        raise KeyError("page")

    assert failures(behave) == [e.Failed(3, "the mind raised KeyError: 'page'")]
    assert "the mind of agent 3 raised" in caplog.text


def test_a_mind_beyond_its_deadline_becomes_a_failure() -> None:
    found = failures(lambda: asyncio.sleep(30), deadline=0.01)
    assert found == [e.Failed(3, "no decision within 0.01 s")]


def test_a_slow_machine_makes_no_decision_late() -> None:
    class Heavy:
        """A mind that waits for nobody, while its machine takes its time."""

        async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
            for _ in range(3):
                time.sleep(0.01)
                await asyncio.sleep(0)
            return Decision((a.Nothing(),))

    _, keeper = simulate(GENESIS, mind=Heavy(), rules=Rules(rounds=1, deadline=0.001))
    assert not [event for event in keeper.events() if isinstance(event, e.Failed)]


@pytest.mark.parametrize("given", [None, (a.Nothing(),), "leave"])
def test_a_mind_that_gives_no_decision_becomes_a_failure(given: Any) -> None:
    (found,) = failures(lambda: given)
    assert isinstance(found, e.Failed)
    assert f"the mind gave {type(given).__name__}" in found.why


def test_without_a_deadline_a_mind_may_take_its_time() -> None:
    slow = SlowMind(ScriptedMind({}, a.Nothing()), longest=0.02)
    _, keeper = simulate(GENESIS, mind=slow, rules=Rules(rounds=1, deadline=0.0))
    assert not [event for event in keeper.events() if isinstance(event, e.Failed)]


class Counting:
    """A mind that notes how many decisions are in flight."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.now -= 1
        return Decision((a.Nothing(),))


@pytest.mark.parametrize("concurrency", [1, 4, 64])
def test_no_more_decisions_are_in_flight_than_allowed(concurrency: int) -> None:
    mind = Counting()
    simulate(GENESIS, mind=mind, rules=Rules(rounds=1, concurrency=concurrency))
    assert mind.most == min(concurrency, 9)


class CountingKeeper(ListKeeper):
    """A keeper that counts commits."""

    commits = 0

    def commit(self) -> None:
        super().commit()
        self.commits += 1


def test_visits_that_end_at_once_are_committed_together() -> None:
    apart, together = CountingKeeper(), CountingKeeper()
    for keeper, concurrency in ((apart, 1), (together, 64)):
        rules = Rules(rounds=1, concurrency=concurrency)
        simulate(GENESIS, mind=Counting(), rules=rules, keeper=keeper)
        assert keeper.committed == len(keeper.chapters)
    assert apart.commits - together.commits == 8
    assert apart.digest() == together.digest()


class Faulty:
    """A recommender whose ranker gives an item that does not exist."""

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        return self

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        return np.full((len(users), k), 10_000)


@pytest.mark.parametrize("batched", [True, False])
def test_a_bad_recommender_stops_the_run_and_is_named(batched: bool) -> None:
    keeper = ListKeeper()
    with pytest.raises(RecommenderFault, match="item 10000, which is not in the catalogue"):
        simulate(
            GENESIS,
            recommender=Faulty(),
            rules=Rules(rounds=1, batched=batched),
            keeper=keeper,
        )
    assert keeper.committed >= 1


class Unfit:
    """A recommender that fits as given."""

    def __init__(self, fit: Callable[[], Any]) -> None:
        self._fit = fit

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        ranker: Ranker = self._fit()
        return ranker


def test_a_recommender_that_cannot_be_fitted_is_named() -> None:
    def raising() -> Ranker:
        raise ValueError("too few")

    with pytest.raises(RecommenderFault, match=r"raised ValueError\('too few'\) in .* on 0"):
        simulate(GENESIS, recommender=Unfit(raising))
    with pytest.raises(RecommenderFault, match=r"Unfit\.fit returned int, which has no `rank`"):
        simulate(GENESIS, recommender=Unfit(lambda: 3))


def test_an_exhausted_script_ends_the_run() -> None:
    mind = ScriptedMind({3: [a.Enter("social")]}, a.Nothing())
    with pytest.raises(Exhausted, match="agent 3 was asked for turn 2"):
        simulate(GENESIS, mind=mind, rules=Rules(rounds=1))


def test_a_simulation_runs_inside_a_running_event_loop() -> None:
    async def inside() -> str:
        return simulate(GENESIS, mind=RuleMind())[1].digest()

    assert asyncio.run(inside()) == simulate(GENESIS, mind=RuleMind())[1].digest()


def test_errors_come_out_of_a_running_event_loop() -> None:
    async def inside() -> None:
        simulate(GENESIS, recommender=Faulty())

    with pytest.raises(RecommenderFault):
        asyncio.run(inside())


class OddBatch(RuleMind):
    """A batch mind that answers as given."""

    def __init__(self, answer: Callable[[list[Decision]], Any]) -> None:
        super().__init__()
        self.answer = answer

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        given: Sequence[Decision] = self.answer(list(super().decide_many(seen, dice)))
        return given


def _raise(_: list[Decision]) -> None:
    raise ZeroDivisionError("oops")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            _raise,
            r"OddBatch.decide_many raised ZeroDivisionError\('oops'\) in .*; fix it, then resume",
        ),
        (lambda made: made[1:], "gave 8 answers for 9 observations"),
        (lambda made: [None, *made[1:]], "give one Decision each"),
    ],
)
def test_a_batch_mind_that_does_not_answer_stops_the_run_with_a_remedy(
    answer: Callable[[list[Decision]], Any], message: str
) -> None:
    with pytest.raises(MindFault, match=message):
        simulate(GENESIS, mind=OddBatch(answer), rules=Rules(rounds=1))


def test_a_halt_is_not_swallowed_as_a_failure() -> None:
    def behave() -> Decision:
        raise Halt("the budget is spent")

    with pytest.raises(Halt, match="the budget is spent"):
        simulate(GENESIS, mind=Odd(behave), rules=Rules(rounds=1))


def test_a_decision_that_failed_is_recorded_with_its_calls() -> None:
    def behave() -> Decision:
        return Decision((), "", ("abc",), failure="page: two answers")

    _, keeper = simulate(GENESIS, mind=Odd(behave), rules=Rules(rounds=1))
    entries = [entry for chapter in keeper.ordered() for entry in chapter.entries]
    assert e.Entry(e.Failed(3, "page: two answers"), "", ("abc",)) in entries


@pytest.mark.parametrize("kind", [BadInput, AudienceError])
def test_what_the_user_must_mend_stops_the_run(kind: type[AudienceError]) -> None:
    def behave() -> Decision:
        raise kind("prompt home.md: hole 'nme' is unknown")

    with pytest.raises(kind, match=r"prompt home\.md"):
        simulate(GENESIS, mind=Odd(behave), rules=Rules(rounds=1))


class Paying:
    """A mind whose second call is one too many, while others wait for theirs."""

    def __init__(self) -> None:
        self.came = 0

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        await asyncio.sleep(0.01)
        if seen.me.profile.id == 3:
            raise Halt("the budget is spent")
        await asyncio.sleep(0.05)
        self.came += 1
        return Decision((a.Nothing(),))


@pytest.mark.parametrize(("concurrency", "least"), [(64, 8), (4, 3)])
def test_what_is_under_way_when_a_run_halts_may_come(concurrency: int, least: int) -> None:
    mind, keeper = Paying(), ListKeeper()
    rules = Rules(rounds=1, concurrency=concurrency)
    with pytest.raises(Halt):
        simulate(GENESIS, mind=mind, rules=rules, keeper=keeper)
    visits = [chapter for chapter in keeper.chapters if chapter.phase == e.VISITS]
    assert mind.came == len(visits) >= least
    assert keeper.committed == len(keeper.chapters)
    assert concurrency == 64 or len(visits) < 8
