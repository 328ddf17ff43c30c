"""Drivers of visits and conversations: in waves or as coroutines, with the same bytes."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from itertools import repeat
from typing import Any, Generic, TypeVar

import numpy as np

from audience.agents import BatchMind, Decision, JointMind, Mind, Scene, Scoring, Script
from audience.agents.human import MixedMind
from audience.engine.platform import PageRequest, Platform, Served
from audience.engine.visit import Answer, Need
from audience.errors import AudienceError, Halt
from audience.llm import Batcher
from audience.memory import Memory
from audience.recommenders import AsyncRanker, Ranker
from audience.user_code import LONGEST, PASSING, is_stopped, said, stepped, within
from audience.world import Dice, Failed, Observation, World, dice, key

T = TypeVar("T")
Strand = Generator[Need, Answer, T]
Done = Callable[[list[tuple[int, T]]], None]
"""Called with the strands that ended, each with its index and its result."""
_TURNS = 50
"""Turns of the event loop in which results that have arrived are still accepted."""
log = logging.getLogger(__name__)


class MindFault(AudienceError):
    """A batch mind raised an exception or did not answer for every agent."""


class DriverStage:
    """What strands are driven with: world, platform, fitted ranker, mind and memory."""

    def __init__(
        self,
        world: World,
        platform: Platform,
        ranker: Ranker,
        mind: Mind,
        memory: Memory,
        part_deadline: float = LONGEST,
    ) -> None:
        """`part_deadline`: seconds that one call of a part may work without waiting."""
        self.part_deadline = part_deadline
        self.world = world
        self.platform = platform
        self.ranker = ranker
        self.mind = mind
        self.memory = memory
        self.is_warm = False
        """Whether visits were lived with it in this process."""
        self._desk: Batcher[PageRequest, Served] | None = None
        if isinstance(ranker, AsyncRanker):
            self._desk = Batcher(partial(self._rank_async, ranker))

    def rank(self, wants: Sequence[PageRequest]) -> Sequence[Served]:
        """Return the ranked items for each request."""
        return self.platform.rank(self.world, self.ranker, wants, self.part_deadline)

    async def _rank_async(
        self, ranker: AsyncRanker, wants: Sequence[PageRequest]
    ) -> Sequence[Served]:
        return await self.platform.rank_async(self.world, ranker, wants, self.part_deadline)

    async def served(self, want: PageRequest) -> Served:
        """Return the ranked items for one request, batched with concurrent ones."""
        return await self._desk.ask(want) if self._desk else self.rank([want])[0]

    def dice_of(self, seen: Sequence[Observation]) -> Dice:
        """Return the dice of these decisions, one key each."""
        if len(seen) == 1:  # the same key by plain integers, a hundred times faster
            view = seen[0]
            names = ("decide", view.me.profile.id, self.world.round, _talk_of(view), view.turn)
            return Dice(np.array([key(self.world.seed, *names)], np.uint64))
        talking = np.array([_talk_of(view) for view in seen], np.int64)
        agents = np.array([s.me.profile.id for s in seen], np.int64)
        turns = np.array([s.turn for s in seen], np.int64)
        return dice(self.world.seed, "decide", agents, self.world.round, talking, turns)


def _talk_of(seen: Observation) -> int:
    """Return a number of the conversation by who opened it with whom; 0 outside of one."""
    if not seen.lines:
        return 0
    opening = seen.lines[0]
    return (opening.to + 1) << 31 | (opening.agent + 1)


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave out the garbage collection: waves make millions of objects and no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def in_waves(stage: DriverStage, strands: Sequence[Strand[T]], done: Done[T]) -> None:
    """Drive all strands in step: one batched decision and one batched ranking per turn."""
    mind = stage.mind
    assert isinstance(mind, BatchMind)
    ended: list[tuple[int, T]] = []
    beginning: _Waiting = [(place, None) for place in range(len(strands))]
    needs = _no_needs()
    _advance(strands, beginning, repeat(None, len(strands)), needs, ended)
    while any(needs.values()):
        seen, wants, scenes = (needs[kind] for kind in _NEEDS)
        needs = _no_needs()
        if scenes:
            scripts = _scored(stage, [scene for _, scene in scenes])
            _advance(strands, scenes, scripts, needs, ended)
        if wants:
            ranked = stage.rank([want for _, want in wants])
            _advance(strands, wants, ranked, needs, ended)
        if seen:
            decisions = _decide_many(stage, mind, [observation for _, observation in seen])
            _advance(strands, seen, decisions, needs, ended)
    done(ended)


_NEEDS = (Observation, PageRequest, Scene)
_Waiting = list[tuple[int, Any]]
"""Strands that wait, by their places, and what each needs."""


def _no_needs() -> dict[type, _Waiting]:
    return {kind: [] for kind in _NEEDS}


def _advance(
    strands: Sequence[Strand[T]],
    waiting: _Waiting,
    answers: Iterable[Answer | None],
    needs: dict[type, _Waiting],
    ended: list[tuple[int, T]],
) -> None:
    """Give strands their answers, and note what they need next or what they came to."""
    for (place, _), answer in zip(waiting, answers, strict=True):
        try:
            need = strands[place].send(answer)  # type: ignore[arg-type]
        except StopIteration as stop:
            ended.append((place, stop.value))
        else:
            needs[type(need)].append((place, need))


def _decide_many(
    stage: DriverStage, mind: BatchMind, seen: Sequence[Observation]
) -> Sequence[Decision]:
    name = type(mind).__qualname__
    try:
        with within(stage.part_deadline):
            decisions = mind.decide_many(seen, stage.dice_of(seen))
    except (AudienceError, *PASSING):
        raise
    except BaseException as error:
        raise MindFault(f"{name}.decide_many {said(error)}; fix it, then resume") from error
    if not isinstance(decisions, Sequence):
        raise MindFault(f"{name}.decide_many gave {type(decisions).__name__}; give a list")
    if len(decisions) != len(seen) or not all(
        isinstance(decision, Decision) for decision in decisions
    ):
        raise MindFault(
            f"{name}.decide_many gave {len(decisions)} answers for {len(seen)} observations; "
            "give one Decision each, and resume"
        )
    return decisions


def _scored(stage: DriverStage, scenes: Sequence[Scene]) -> list[Script]:
    """Return what agents expect of the items they choose among, for all scenes at once."""
    scoring = shared_mind(stage.mind)
    if not isinstance(scoring, Scoring):
        raise MindFault(f"{type(scoring).__qualname__} cannot choose for several people")
    seen = [view for scene in scenes for view in scene.seen]
    try:
        with within(stage.part_deadline):
            rows = list(scoring.score_many(seen, stage.dice_of(seen)))
    except (AudienceError, *PASSING):
        raise
    except BaseException as error:
        name = type(scoring).__qualname__
        raise MindFault(f"{name}.score_many {said(error)}; fix it, then resume") from error
    if len(rows) != len(seen):
        name = type(scoring).__qualname__
        raise MindFault(f"{name}.score_many gave {len(rows)} rows for {len(seen)}; give one each")
    each = iter(rows)
    return [Script(marks=tuple(next(each) for _ in scene.seen)) for scene in scenes]


def shared_mind(mind: Mind) -> Mind:
    """Return the mind of the agents that no person plays."""
    return mind.otherwise if isinstance(mind, MixedMind) else mind


VISITS = 512
"""Visits at a time where no number is given: as many calls as a batching server may want."""


async def as_coroutines(
    stage: DriverStage,
    strands: Sequence[Strand[T]],
    done: Done[T],
    *,
    concurrency: int,
    deadline: float,
    stopping: Callable[[], bool],
    allowed: Callable[[int], Awaitable[int]] | None = None,
) -> None:
    """Drive each strand at its own pace, at most `concurrency` at a time.

    `allowed` is awaited before each strand starts; 0 means not to start it. After a halt no further
    strand starts, but the others may finish, since their calls are paid for. Strands that end in
    the same turn of the event loop are done together, since a commit takes longer than a strand.
    """
    free = asyncio.Semaphore(concurrency)
    turnstile = asyncio.Lock()
    halts: list[Halt] = []
    endings = _Endings(done)

    async def may_begin() -> bool:
        if allowed is None:
            return True
        async with turnstile:
            return bool(await allowed(1))

    async def live(place: int, strand: Strand[T]) -> None:
        async with free:
            if halts or stopping() or not await may_begin() or halts:
                return
            try:
                await endings.add(place, await _live(stage, strand, deadline))
            except Halt as halt:
                halts.append(halt)

    try:
        async with asyncio.TaskGroup() as tasks:
            for place, strand in enumerate(strands):
                tasks.create_task(live(place, strand))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    if halts:
        raise halts[0]


class _Endings(Generic[T]):
    """Strands that ended in one turn of the event loop, which are done together."""

    def __init__(self, done: Done[T]) -> None:
        self._done = done
        self._ended: list[tuple[int, T]] = []

    async def add(self, place: int, result: T) -> None:
        """Add one; the first of a turn waits for the others and reports them all."""
        self._ended.append((place, result))
        if len(self._ended) > 1:
            return
        try:
            await asyncio.sleep(0)
        finally:
            together, self._ended = self._ended, []
            self._done(together)


async def _live(stage: DriverStage, strand: Strand[T], deadline: float) -> T:
    answer: Answer | None = None
    while True:
        try:
            need = next(strand) if answer is None else strand.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result
        if isinstance(need, PageRequest):
            answer = await stage.served(need)
        else:
            answer = await _decide(stage, need, deadline)


async def _asked(stage: DriverStage, need: Observation | Scene) -> object:
    if isinstance(need, Observation):
        return await stage.mind.decide(need, stage.memory, stage.dice_of([need]))
    mind = shared_mind(stage.mind)
    if isinstance(mind, JointMind):
        return await mind.play(need, stage.memory, stage.dice_of(need.seen[:1]))
    return _scored(stage, [need])[0]


@asynccontextmanager
async def _timely(seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError if something is still awaited after `seconds`; 0 disables the timeout.

    Results that have arrived by then are accepted first. So only a missing answer makes a decision
    late, not a slow machine, and stored answers give the same events again.
    """
    loop = asyncio.get_running_loop()
    handle: asyncio.Handle | None = None

    def late(turns: int) -> None:
        nonlocal handle
        if turns:
            handle = loop.call_soon(late, turns - 1)
        else:
            limit.reschedule(loop.time())

    async with asyncio.timeout(None) as limit:
        if seconds:
            handle = loop.call_later(seconds, late, _TURNS)
        try:
            yield
        finally:
            if handle is not None:
                handle.cancel()


async def _decide(
    stage: DriverStage, need: Observation | Scene, deadline: float
) -> Decision | Script | Failed:
    who = (need if isinstance(need, Observation) else need.seen[0]).me.profile.id
    wanted = Decision if isinstance(need, Observation) else Script
    try:
        async with _timely(deadline):
            decision = await stepped(_asked(stage, need), stage.part_deadline)
    except AudienceError:
        raise
    except TimeoutError:
        limit = f"within {deadline:g} s" if deadline else "before the model's own deadline"
        return Failed(who, f"no decision {limit}")
    except Exception as error:
        log.warning("the mind of agent %s %s", who, said(error))
        return Failed(who, f"the mind raised {type(error).__name__}: {error}")
    except BaseException as error:
        if is_stopped(error):
            raise
        name = type(shared_mind(stage.mind)).__qualname__
        raise MindFault(f"{name} {said(error)} for agent {who}; fix it, then resume") from error
    if not isinstance(decision, wanted):
        return Failed(
            who, f"the mind gave {type(decision).__name__} instead of a {wanted.__name__}"
        )
    return decision
