"""Steering a run that goes on in another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from audience.agents import Decision, Mind
from audience.agents.rule import RuleMind
from audience.engine import Control, Paused, Queued, Rules
from audience.errors import BadInput
from audience.memory import Memory
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import Dice, Observation, World, actions as a, changes as c, events as e

GENESIS = tiny_genesis(25, 105)
RULES = Rules(rounds=4)
WAYS = pytest.mark.parametrize("rules", [RULES, Rules(rounds=4, batched=False)])


class Run:
    """A run in a thread of its own."""

    def __init__(self, control: Control, rules: Rules = RULES, **given: Any) -> None:
        self.control, self.keeper = control, ListKeeper()
        self.kept: list[Queued] = []
        self.failure: BaseException | None = None
        self._given = {"rules": rules, "keeper": self.keeper, "control": control, **given}
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self) -> None:
        try:
            simulate(GENESIS, keep=self.kept.extend, **self._given)
        except BaseException as failure:
            self.failure = failure

    def visits(self) -> int:
        return sum(one.phase == e.VISITS for one in self.keeper.chapters[: self.keeper.committed])

    def until(self, fits: Callable[[], bool]) -> None:
        end = time.monotonic() + 120.0
        while not fits():
            assert time.monotonic() < end, self.failure
            time.sleep(0.002)

    def end(self) -> None:
        self._thread.join(120.0)
        assert not self._thread.is_alive()


@contextmanager
def going(control: Control, rules: Rules = RULES, **given: Any) -> Iterator[Run]:
    run = Run(control, rules, **given)
    try:
        yield run
    finally:
        control.stop()
        run.end()


def rounds_of(run: Run) -> int:
    return sum(one.phase == e.CLOSING for one in run.keeper.chapters[: run.keeper.committed])


@WAYS
def test_a_steered_run_has_the_bytes_of_one_left_alone(rules: Rules) -> None:
    alone = simulate(GENESIS, rules=rules)[1]
    control = Control(paused=True)
    with going(control, rules) as run:
        control.step_visit()
        run.until(lambda: run.visits() == 1)
        control.set_speed(400.0)
        control.step_round()
        run.until(lambda: rounds_of(run) == 1)
        control.play()
        control.pause()
        control.set_speed(0.0)
        control.play()
        run.end()
        assert run.failure is None
    assert run.keeper.digest() == alone.digest()


@WAYS
def test_a_paused_run_begins_nothing(rules: Rules) -> None:
    control = Control(paused=True)
    with going(control, rules) as run:
        time.sleep(0.05)
        assert run.keeper.chapters == []
        assert not control.steering.going
        for count in (1, 2, 3):
            control.step_visit()
            run.until(lambda wanted=count: run.visits() >= wanted)  # type: ignore[misc]
            time.sleep(0.02)
            assert run.visits() == count
    assert isinstance(run.failure, Paused)


def test_a_round_is_stepped_to_its_end_and_several_in_a_row() -> None:
    control = Control(paused=True)
    with going(control) as run:
        control.step_visit()
        run.until(lambda: run.visits() == 1)
        control.step_round()
        run.until(lambda: rounds_of(run) == 1 and not control.steering.going)
        time.sleep(0.02)
        assert (rounds_of(run), control.steering.going) == (1, False)
        control.step_round()
        control.step_round()
        run.until(lambda: rounds_of(run) == 3)
        assert control.steering.round == 3


def test_a_change_is_made_when_the_next_round_opens_and_is_written_down_before() -> None:
    control = Control(paused=True)
    with going(control) as run:
        assert control.queue(c.Announce("First"), {"do": "announce", "text": "First"}) == 1
        control.step_visit()
        run.until(lambda: run.visits() == 1)
        assert control.queue(c.Announce("Second"), {"do": "announce", "text": "Second"}) == 2
        assert [one.round for one in control.pending] == [2]
        control.play()
        run.end()
    made = [
        (one.round, entry.event.change)
        for one in run.keeper.ordered()
        for entry in one.entries
        if isinstance(entry.event, e.Intervened)
    ]
    assert made == [(1, c.Announce("First")), (2, c.Announce("Second"))]
    assert [one.written["round"] for one in run.kept] == [1, 2]
    assert control.pending == ()
    assert len(control.made) == 2
    planned = {1: [c.Announce("First")], 2: [c.Announce("Second")]}
    assert run.keeper.digest() == simulate(GENESIS, rules=RULES, changes=planned)[1].digest()


def test_who_listens_and_raises_does_not_stop_the_run() -> None:
    heard: list[int] = []

    def broken(chapter: e.Chapter, world: object) -> None:
        raise RuntimeError("I cannot hear")

    def listening(chapter: e.Chapter, world: object) -> None:
        assert isinstance(world, World)
        heard.append(chapter.round)

    control = Control()
    control.listen(broken)
    control.listen(listening)
    run = Run(control)
    run.end()
    assert run.failure is None
    assert len(heard) == len(run.keeper.chapters)


class Silent:
    """A mind that does nothing, and says so."""

    def __init__(self) -> None:
        self.asked = 0

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.asked += 1
        return Decision((a.Nothing(),))


def test_who_is_seated_comes_from_the_next_round_on_until_it_goes() -> None:
    control, silent = Control(paused=True), Silent()
    given: list[Mind] = []

    def make(otherwise: Mind) -> Mind:
        given.append(otherwise)
        return silent

    with going(control) as run:
        control.step_round()
        run.until(lambda: rounds_of(run) == 1)
        control.seat(7, make)
        control.step_round()
        run.until(lambda: rounds_of(run) == 2)
        control.unseat(7)
        control.play()
        run.end()
    assert silent.asked >= 1, "in its visit, and where somebody wished to talk"
    assert isinstance(given[0], RuleMind)
    mine = [one for one in run.keeper.ordered() if one.agent == 7 and one.phase == e.VISITS]
    left = [one.entries[-1].event for one in mine if one.round == 2]
    assert len(mine[0].entries) > 1
    assert isinstance(left[0], e.Left)


def test_a_run_taken_up_knows_which_round_is_next() -> None:
    control = Control(paused=True, opened=3)
    assert control.queue(c.Announce("Later"), {}) == 4
    assert control.next_round == 4


@pytest.mark.parametrize("speed", [-1.0, float("nan"), float("inf"), 2e6])
def test_a_speed_is_a_number_of_visits(speed: float) -> None:
    with pytest.raises(BadInput, match="visits a second"):
        Control(speed=speed)
