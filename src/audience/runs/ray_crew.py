"""A crew of Ray actors: followers of one run on the nodes of a cluster, which live its visits.

An actor begins with the world at the end of a round and is sent every chapter once. One that dies,
alone or with its node, is replaced as soon as there is a core; the new one begins with the last
complete round of the log and the chapters since. What the dead one had not sent is lived again.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

import msgspec
from threadpoolctl import threadpool_limits

from audience.engine import (
    Blocks,
    DriverStage,
    Follower,
    Plan,
    Row,
    Simulation,
    Told,
    can_share,
    cuts_of,
    pickled,
    plans_of,
)
from audience.errors import AudienceError, BadInput
from audience.log import Log, decoded, encoded, world_at
from audience.scenario import parse, parts_of
from audience.world import (
    CLOSING,
    Agent,
    Chapter,
    Genesis,
    Shared,
    View,
    World,
    capture,
    restore,
)

_AT_ONCE = 2
"""Blocks that an actor holds: one that it lives and one that waits."""
_DEATHS = 5
"""How often actors may die in one phase before the run stops."""
_POLL = 0.2
"""Seconds between two looks at whether the run is to stop or a core is free."""

_ROWS = msgspec.msgpack.Decoder(list[tuple[int, int, int, int, bytes]])
_PLANS = msgspec.msgpack.Decoder(list[Plan])


class CrewFault(AudienceError):
    """The actors of a run died again and again."""


class Departure(msgspec.Struct, frozen=True):
    """What an actor begins with: a run at the end of a round."""

    audience: str
    """The version that the driver has."""
    scenario: str
    seed: int
    genesis: bytes
    shared: Shared | None = None
    """None before the first round."""
    agents: dict[int, Agent] = {}


class Report(msgspec.Struct, frozen=True):
    """What an actor says: what plans came to, or the exception that was raised."""

    packed: bytes = b""
    error: bytes = b""


def departure_of(log: Log, world: World) -> bytes:
    """Return what an actor begins with at the end of a round."""
    begin = Departure(version("audience"), log.scenario, log.seed, world.genesis.packed)
    if world.round:
        snapshot = capture(world)
        begin = msgspec.structs.replace(begin, shared=snapshot.shared, agents=snapshot.agents)
    return msgspec.msgpack.encode(begin)


def news_of(chapters: Sequence[Chapter]) -> bytes:
    """Return chapters as bytes for followers."""
    return msgspec.msgpack.encode(
        [
            (each.round, each.phase, each.rank, each.agent, encoded(each.entries))
            for each in chapters
        ]
    )


class Member:
    """The actor: a follower on a node. Its calls are done in the order they were sent."""

    def __init__(self) -> None:
        self._follower: Follower | None = None

    def begin(self, departure: bytes) -> bytes:
        """Make the world; reply with an error if this node cannot."""
        return _report(lambda: self._begin(msgspec.msgpack.decode(departure, type=Departure)))

    def _begin(self, departure: Departure) -> bytes:
        if (own := version("audience")) != departure.audience:
            raise BadInput(
                f"a node has audience {own} and the driver {departure.audience}; "
                "install the same everywhere"
            )
        threadpool_limits(limits=1)
        genesis = Genesis.unpack(departure.genesis)
        shared = departure.shared
        world = restore(genesis, [shared], departure.agents) if shared else World(genesis)
        scenario = parse(departure.scenario, "the run")
        parts = parts_of(scenario, genesis)
        self._follower = Follower(world, parts, scenario.run, departure.seed)
        return b""

    def follow(self, news: bytes) -> None:
        """Apply the next chapters of the run; after a failed start, nothing."""
        if self._follower:
            self._follower.follow(
                [Chapter(*row[:4], decoded(row[4])) for row in _ROWS.decode(news)]
            )

    def live(self, plans: bytes) -> bytes:
        """Report with what plans came to."""
        assert self._follower is not None
        live = self._follower.live
        return _report(lambda: live(_PLANS.decode(plans)))


def _report(work: Callable[[], bytes]) -> bytes:
    try:
        return msgspec.msgpack.encode(Report(work()))
    except Exception as error:
        return msgspec.msgpack.encode(Report(error=pickled(error)))


def _read(sent: bytes) -> bytes:
    report = msgspec.msgpack.decode(sent, type=Report)
    if report.error:
        raise pickle.loads(report.error)  # noqa: S301 (from an actor of this run)
    return report.packed


class _Seat:
    """An actor as the driver sees it."""

    def __init__(self, actor: Any, beginning: Any) -> None:  # noqa: ANN401
        self.actor = actor
        self.beginning = beginning
        self.is_ready = False
        self.busy: dict[Any, int] = {}
        """What it was asked to live, with the block."""


class RayCrew:
    """The actors of one run; hears its chapters, so that they can follow."""

    def __init__(self, ray: Any, log: Log, world: World, size: Callable[[], int]) -> None:  # noqa: ANN401
        """`world` is that of the last complete round; `size` tells how many actors there may be."""
        self._ray, self._log, self._size = ray, log, size
        self._make: Any = ray.remote(num_cpus=1, max_restarts=0)(Member)
        self._seats: list[_Seat] = []
        self._unsent: list[Chapter] = []
        self._round: list[Any] = []
        """The news of the round under way, for actors that begin within it."""
        self._departure: tuple[int, Any] = (world.round, ray.put(departure_of(log, world)))
        self._deaths = 0
        self._looked = 0.0

    def hear(self, chapter: Chapter, _: View) -> None:
        """Note a chapter that happened; a listener of the run."""
        self._unsent.append(chapter)

    def can_live(self, stage: DriverStage) -> bool:
        """Return True if visits can be lived elsewhere."""
        return can_share(stage)

    def lived(
        self, sim: Simulation, phase: int, rows: Sequence[Row], *, in_columns: bool
    ) -> Iterator[Sequence[Told]]:
        """Yield what rows came to, block after block; nothing while it waits.

        All are told by their events, which the other actors have to be told as well.
        """
        del phase, in_columns
        self._send_news()
        self._deaths, self._looked = 0, 0.0
        blocks = Blocks(sim, plans_of(rows), cuts_of(len(rows), self._size()))
        left, ready = deque(range(len(blocks))), dict[int, bytes]()
        following = 0
        while following < len(blocks):
            self._fill_seats()
            self._hand_out(blocks, left)
            arrived = self._arrived(left)
            ready |= arrived
            if not arrived:
                yield ()
            while following in ready:
                yield blocks.unpack(ready.pop(following))
                following += 1

    def close(self) -> None:
        """End the actors."""
        for seat in self._seats:
            self._ray.kill(seat.actor)
        self._seats = []

    def _send_news(self) -> None:
        """Send all that happened since the last time, round by round."""
        while self._unsent:
            ends = (at for at, each in enumerate(self._unsent) if each.phase == CLOSING)
            end = next(ends, len(self._unsent) - 1) + 1
            some, self._unsent = self._unsent[:end], self._unsent[end:]
            news = self._ray.put(news_of(some))
            for seat in self._seats:
                seat.actor.follow.remote(news)
            self._round = [] if some[-1].phase == CLOSING else [*self._round, news]

    def _fill_seats(self) -> None:
        """Start actors where cores are free; not more often than it takes to see one."""
        now = time.monotonic()
        if now - self._looked < _POLL:
            return
        self._looked = now
        missing = self._size() - len(self._seats)
        free = int(self._ray.available_resources().get("CPU", 0)) if missing > 0 else 0
        for _ in range(min(missing, free)):
            actor = self._make.remote()
            seat = _Seat(actor, actor.begin.remote(self._latest_departure()))
            for news in self._round:
                actor.follow.remote(news)
            self._seats.append(seat)

    def _latest_departure(self) -> Any:  # noqa: ANN401
        complete = self._log.complete_rounds()
        if self._departure[0] != complete:
            world = world_at(self._log, complete)
            self._departure = (complete, self._ray.put(departure_of(self._log, world)))
        return self._departure[1]

    def _hand_out(self, blocks: Blocks, left: deque[int]) -> None:
        """Give the next blocks to those who have least to do."""
        seats = [seat for seat in self._seats if seat.is_ready]
        while left and seats:
            seat = min(seats, key=lambda each: len(each.busy))
            if len(seat.busy) >= _AT_ONCE:
                return
            block = left.popleft()
            plans = msgspec.msgpack.encode(blocks.plans(block))
            seat.busy[seat.actor.live.remote(plans)] = block

    def _arrived(self, left: deque[int]) -> dict[int, bytes]:
        """Wait a little and return the blocks that are done; those of the dead are left again."""
        refs = {ref: seat for seat in self._seats for ref in seat.busy}
        refs |= {seat.beginning: seat for seat in self._seats if not seat.is_ready}
        if not refs:
            time.sleep(_POLL)
            return {}
        ready, _ = self._ray.wait(list(refs), num_returns=1, timeout=_POLL)
        arrived: dict[int, bytes] = {}
        for ref in ready:
            seat = refs[ref]
            try:
                sent = _read(self._ray.get(ref))
            except self._ray.exceptions.RayError as error:
                self._bury(seat, left, error)
                continue
            if seat.is_ready:
                arrived[seat.busy.pop(ref)] = sent
            seat.is_ready = True
        return arrived

    def _bury(self, seat: _Seat, left: deque[int], error: Exception) -> None:
        self._seats.remove(seat)
        self._ray.kill(seat.actor)
        left.extendleft(sorted(seat.busy.values(), reverse=True))
        self._deaths += 1
        if self._deaths == _DEATHS:
            why = str(error).strip().splitlines()[0]
            raise CrewFault(
                f"actors of the run died {_DEATHS} times in one phase ({type(error).__name__}: "
                f"{why}); look at the nodes with `ray status`, then run `audience resume`"
            ) from error
