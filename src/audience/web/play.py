"""Endpoints of play: take a person's place in a run, or join it as somebody new."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Path as InPath
from starlette.responses import Response

from audience.errors import BadInput
from audience.log import arrivals_of
from audience.runs.play import PlayTable, Seat
from audience.web.changes import ChangeDesk
from audience.web.log_reader import frame
from audience.web.people import deed, name_of
from audience.web.readers import Reader
from audience.web.receipts import Acknowledged
from audience.web.replies import Conflict, Missing, json_reply, to_json
from audience.web.reply_types import SeatReply
from audience.web.requests import Agent, Move, Play, RunId
from audience.web.run_registry import RunRegistry
from audience.web.stream import QUIET, STILL_HERE, TICK, CountedStream, Streams
from audience.web.voice_types import FriendDeed, FriendNews
from audience.world import AddPerson, Posted, Rated, Said, Watched

SEATS = 64
FRIENDS, DEEDS, VISITS_TOLD = 12, 3, 3
SeatId = Annotated[str, InPath(max_length=100)]


class PlayTables:
    """The players of each run."""

    def __init__(self, registry: RunRegistry, desk: ChangeDesk) -> None:
        self._registry, self._desk = registry, desk
        self._tables: dict[Path, PlayTable] = {}
        self._lock = threading.Lock()

    def sit(self, folder: Path, body: Play) -> Seat:
        """Give a player a seat from the next round on."""
        if (body.agent is None) == (body.person is None):
            raise BadInput("name whom to play: an agent by id, or a person who joins")
        run = self._registry.take_up(folder, paused=True)
        agent, name = self._who(folder, body)
        with self._lock:
            table = self._tables.get(folder)
            if table is None:
                table = self._tables[folder] = PlayTable(folder)
            taken = [seat for seat in table.seats.values() if not seat.is_left]
            if any(seat.agent == agent for seat in taken):
                raise Conflict(f"somebody already plays {name}")
            if len(taken) >= SEATS:
                raise Conflict(f"{SEATS} people already play in this run")
            seat = Seat(secrets.token_urlsafe(12), agent, name, body.deadline_s)
            table.seats[seat.id] = seat
        run.waits, run.let_go = (lambda: table.is_waited_for), table.let_go
        run.watch.control.seat(agent, table.make(seat))
        return seat

    def _who(self, folder: Path, body: Play) -> tuple[int, str]:
        if body.person is not None:
            profile = {"activity": 1.0, "name": "You", **body.person}
            friends = profile.pop("friends", [])
            request = {"type": "AddPerson", "profile": profile, "friends": friends}
            _, change = self._desk.change(folder, request)
            assert isinstance(change, AddPerson)
            return change.profile.id, change.profile.name
        with self._registry.readers.reading(folder) as reader:
            world = reader.world()
            if body.agent is None or body.agent >= len(world.agents):
                raise Missing(f"person {body.agent} does not exist; there are {len(world.agents)}")
            return body.agent, name_of(world, body.agent)

    def find(self, folder: Path, id_: str) -> Seat:
        table = self._tables.get(folder)
        if table is None or id_ not in table.seats or table.seats[id_].is_left:
            raise Missing("this seat does not exist any more")
        return table.seats[id_]

    def leave(self, folder: Path, id_: str) -> None:
        """Give a seat back."""
        seat = self.find(folder, id_)
        if run := self._registry.live(folder):
            run.watch.control.unseat(seat.agent)
        seat.leave()

    def close(self) -> None:
        for folder, table in self._tables.items():
            if not self._registry.live(folder):  # a run that did not stop in time may still ask
                table.close()


def router(registry: RunRegistry, tables: PlayTables, streams: Streams) -> APIRouter:
    """Return the endpoints of play."""
    api = APIRouter()

    @api.get("/runs/{run}/people/{agent}/friends", response_class=Response)
    def friends(run: RunId, agent: Agent) -> Response:
        """Return whom a person listens to, the closest first, and what each did lately."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            return json_reply(_friends(reader, agent))

    @api.post("/runs/{run}/play", response_class=Response, status_code=201)
    def sit(run: RunId, body: Play) -> Response:
        """Take a person's place, or join as somebody new, from the next round on."""
        seat = tables.sit(registry.folders.folder_of(run), body)
        return json_reply(SeatReply(seat.id, seat.agent, seat.name), 201)

    @api.get("/runs/{run}/play/{seat}", response_class=Response)
    async def watch(run: RunId, seat: SeatId) -> Response:
        """Stream what a player sees whenever a move is due."""
        folder = await asyncio.to_thread(registry.folders.folder_of, run)
        taken = tables.find(folder, seat)

        def is_over() -> bool:
            return streams.is_ending() or registry.live(folder) is None

        return CountedStream(streams, _questions(taken, is_over))

    @api.post("/runs/{run}/play/{seat}", response_class=Response)
    def move(run: RunId, seat: SeatId, body: Move) -> Response:
        """Make a move."""
        tables.find(registry.folders.folder_of(run), seat).move(body.action, body.number)
        return json_reply(Acknowledged())

    @api.delete("/runs/{run}/play/{seat}", response_class=Response)
    def leave(run: RunId, seat: SeatId) -> Response:
        """Give the seat back; the agent's own mind takes over."""
        tables.leave(registry.folders.folder_of(run), seat)
        return json_reply(Acknowledged())

    return api


def _friends(reader: Reader, who: int) -> list[FriendNews]:
    world = reader.world()
    if who >= len(world.agents):
        raise Missing(f"person {who} does not exist; there are {len(world.agents)}")
    ties = sorted(world.graph.ties(who), key=lambda tie: -tie.closeness)[:FRIENDS]
    return [
        FriendNews(tie.other, name_of(world, tie.other), tie.kind, _lately(reader, tie.other))
        for tie in ties
    ]


def _lately(reader: Reader, who: int) -> list[FriendDeed]:
    """Return what a person did in their last visits, newest first."""
    deeds: list[FriendDeed] = []
    teller, name = reader.teller(), name_of(reader.world(), who)
    for seq in arrivals_of(reader.log, who, VISITS_TOLD):
        for _, chapter in reader.log.follow(seq - 1, limit=1):
            events = (entry.event for entry in chapter.entries)
            told = (event for event in events if isinstance(event, Watched | Rated | Posted | Said))
            mine = (event for event in told if event.agent == who)
            lines = (deed(teller, event, name, who) for event in mine)
            deeds += [FriendDeed(chapter.round, line) for line in lines if line]
    return deeds[::-1][:DEEDS]


async def _questions(seat: Seat, is_over: Callable[[], bool]) -> AsyncGenerator[bytes]:
    """Yield an observation whenever a move is due, and `waiting` when none is."""
    version, quiet = -1, time.monotonic()
    while not seat.is_left:
        if seat.version != version:
            version, quiet = seat.version, time.monotonic()
            yield _question(seat)
        elif time.monotonic() - quiet > QUIET:
            quiet = time.monotonic()
            yield STILL_HERE
        if is_over():
            break
        await asyncio.sleep(TICK)
    yield frame("over", to_json({"left": seat.is_left}))


def _question(seat: Seat) -> bytes:
    question = seat.question
    if question is None:
        return frame("waiting", to_json({"agent": seat.agent, "name": seat.name}))
    left = None if question.deadline is None else question.deadline - time.monotonic()
    seen: dict[str, Any] = {"number": question.number, "deadline": left, **question.seen}
    return frame("observation", to_json(seen))
