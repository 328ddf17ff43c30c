"""Visits that are served by rankers which wait, fail or explain (engine/visit.py, drive.py)."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from audience.agents.rule import RuleMind
from audience.engine import Platform, RecommenderFault, Rules
from audience.recommenders import Context, Popular, Ranked, Ranker, RecommenderView
from audience.testing import ListKeeper, SlowMind, simulate, tiny_genesis
from audience.world import Generator, Ints, World, events as e

GENESIS = tiny_genesis(30, 60)


class Waiting:
    """Popular behind a wait; `failing` says which users get nothing, `fault` raises."""

    def __init__(self, *, failing: str = "", reasons: bool = False, fault: bool = False) -> None:
        self.failing = failing
        self.reasons = reasons
        self.fault = fault
        self.batches: list[int] = []

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        return WaitingRanker(self, Popular().fit(interactions, rng))


class WaitingRanker:
    def __init__(self, asked: Waiting, inner: Ranker) -> None:
        self.asked = asked
        self.inner = inner

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        items = np.asarray(self.inner.rank(users, k, context))
        odd = {row: self.asked.failing for row, user in enumerate(users.tolist()) if user % 2}
        reasons = [[f"item {item}" for item in row] for row in items.tolist()]
        return Ranked(
            items,
            reasons=reasons if self.asked.reasons else None,
            failures=odd if self.asked.failing else {},
        )

    async def rank_async(self, users: Ints, k: int, context: Context) -> Ranked:
        self.asked.batches.append(len(users))
        await asyncio.sleep(0.001)
        if self.asked.fault:
            raise KeyError("gone")
        return self.rank(users, k, context)


def lived(
    recommender: Waiting, *, waves: bool, explain: bool = True, reason: float = 0.0
) -> tuple[World, ListKeeper]:
    mind = RuleMind(reason=reason)
    return simulate(
        GENESIS,
        recommender=recommender,
        mind=mind if waves else SlowMind(mind),
        rules=Rules(rounds=2),
        platform=Platform(explain=explain),
    )


def test_requests_of_coroutines_are_gathered_into_batches() -> None:
    waiting = Waiting()
    _, keeper = lived(waiting, waves=False)
    assert max(waiting.batches) > 1
    assert keeper.digest() == lived(Waiting(), waves=True)[1].digest()


def test_a_fault_while_others_wait_is_told_once() -> None:
    with pytest.raises(RecommenderFault, match=r"WaitingRanker.rank raised KeyError\('gone'\)"):
        lived(Waiting(fault=True), waves=False)


@pytest.mark.parametrize("waves", [True, False])
def test_without_a_slate_the_visit_goes_on_and_the_second_time_it_ends(waves: bool) -> None:
    world, keeper = lived(Waiting(failing="nothing came"), waves=waves)
    failed: Counter[int] = Counter()
    for chapter in keeper.ordered():
        events = [entry.event for entry in chapter.entries]
        failures = [event for event in events if isinstance(event, e.Failed)]
        if chapter.phase != e.VISITS or not failures:
            continue
        assert chapter.agent % 2
        assert set(failures) == {e.Failed(chapter.agent, "recommender: nothing came")}
        failed[len(failures)] += 1
        left = next(event for event in events if isinstance(event, e.Left))
        assert (left.why == "failed") == (len(failures) == 2)
    assert set(failed) == {1, 2}
    shown = [event for event in keeper.events() if isinstance(event, e.SlateShown)]
    assert all(event.agent % 2 == 0 for event in shown if event.surface == "recommender")
    assert world.round == 2


def test_the_same_comes_of_failures_in_waves_and_in_coroutines() -> None:
    digests = {lived(Waiting(failing="no"), waves=waves)[1].digest() for waves in (True, False)}
    assert len(digests) == 1


def test_reasons_are_logged_with_the_slate_and_may_move_a_rule_mind() -> None:
    plain = lived(Waiting(), waves=True)[1]
    _, told = lived(Waiting(reasons=True), waves=True)
    events = told.events()
    for event, after in pairwise(events):
        if isinstance(event, e.SlateShown) and event.surface == "recommender":
            assert isinstance(after, e.SlateAnnotated)
            assert after.reasons == tuple(f"item {item}" for item in event.items)
            assert after.propensities == after.scores == ()
    without = [event for event in events if not isinstance(event, e.SlateAnnotated)]
    assert without == plain.events()
    assert lived(Waiting(reasons=True), waves=True, explain=False)[1].digest() == plain.digest()
    moved = lived(Waiting(reasons=True), waves=True, reason=1.0)[1].events()
    picks = [sum(isinstance(event, e.Picked) for event in some) for some in (moved, events)]
    assert picks[0] > picks[1]
