"""Taking a person's place from a browser, or joining as somebody new."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Path as InPath
from starlette.responses import Response, StreamingResponse

from audience.errors import BadInput
from audience.runs.play import PlayTable, Seat
from audience.web.changes import ChangeDesk
from audience.web.log_reader import frame
from audience.web.replies import Conflict, Missing, encoded, told
from audience.web.requests import Move, Play, RunId
from audience.web.run_registry import Hall
from audience.web.stream import QUIET, TICK, Streams
from audience.world import AddPerson

SEATS = 64
SeatId = Annotated[str, InPath(max_length=100)]


class PlayTables:
    """Those who play, run by run."""

    def __init__(self, hall: Hall, door: ChangeDesk) -> None:
        self._hall, self._door = hall, door
        self._tables: dict[Path, PlayTable] = {}
        self._lock = threading.Lock()

    def sit(self, folder: Path, body: Play) -> Seat:
        """Give somebody a place from the next round on."""
        if (body.agent is None) == (body.person is None):
            raise BadInput("say whom to play: an agent by id, or a person that joins")
        here = self._hall.take_up(folder, paused=True)
        agent, name = self._who(folder, body)
        with self._lock:
            table = self._tables.get(folder)
            if table is None:
                table = self._tables[folder] = PlayTable(folder)
            taken = [one for one in table.seats.values() if not one.is_left]
            if any(one.agent == agent for one in taken):
                raise Conflict(f"somebody plays {name} already")
            if len(taken) >= SEATS:
                raise Conflict(f"{SEATS} people play in this run already")
            seat = Seat(secrets.token_urlsafe(12), agent, name, body.deadline_s)
            table.seats[seat.id] = seat
        here.waits, here.let_go = (lambda: table.is_waited_for), table.let_go
        here.watch.control.seat(agent, table.make(seat))
        return seat

    def _who(self, folder: Path, body: Play) -> tuple[int, str]:
        if body.person is not None:
            given = {"activity": 1.0, **body.person}
            given.setdefault("name", "You")
            friends = given.pop("friends", [])
            change = {"type": "AddPerson", "profile": given, "friends": friends}
            _, made = self._door.change(folder, change)
            assert isinstance(made, AddPerson)
            return made.profile.id, made.profile.name
        with self._hall.readers.reading(folder) as reader:
            world = reader.world()
            if body.agent is None or body.agent >= len(world.agents):
                raise Missing(f"person {body.agent} does not exist; there are {len(world.agents)}")
            return body.agent, world.profile(body.agent).name or f"person {body.agent}"

    def find(self, folder: Path, id_: str) -> Seat:
        table = self._tables.get(folder)
        if table is None or id_ not in table.seats or table.seats[id_].is_left:
            raise Missing("there is no such place any more")
        return table.seats[id_]

    def leave(self, folder: Path, id_: str) -> None:
        """Give a place back."""
        seat = self.find(folder, id_)
        if here := self._hall.live(folder):
            here.watch.control.unseat(seat.agent)
        seat.leave()

    def close(self) -> None:
        for folder, table in self._tables.items():
            if not self._hall.live(folder):  # one that would not end may still ask
                table.close()

    def goes_on(self, folder: Path) -> bool:
        return self._hall.live(folder) is not None


def router(hall: Hall, tables: PlayTables, streams: Streams) -> APIRouter:
    """Return the ways to play."""
    api = APIRouter()

    @api.post("/runs/{run}/play", response_class=Response, status_code=201)
    def sit(run: RunId, body: Play) -> Response:
        """Take a person's place, or join as somebody new, from the next round on."""
        folder = hall.shelf.folder_of(run)
        seat = tables.sit(folder, body)
        return told({"seat": seat.id, "agent": seat.agent, "name": seat.name}, 201)

    @api.get("/runs/{run}/play/{seat}", response_class=Response)
    async def watch(run: RunId, seat: SeatId) -> Response:
        """Stream what one who plays sees whenever it is asked for a move."""
        folder = await asyncio.to_thread(hall.shelf.folder_of, run)
        found = tables.find(folder, seat)
        asked = _asked(tables, folder, found, streams.is_ending)
        return StreamingResponse(asked, media_type="text/event-stream")

    @api.post("/runs/{run}/play/{seat}", response_class=Response)
    def move(run: RunId, seat: SeatId, body: Move) -> Response:
        """Make a move."""
        tables.find(hall.shelf.folder_of(run), seat).move(body.action, body.number)
        return told({"ok": True})

    @api.delete("/runs/{run}/play/{seat}", response_class=Response)
    def leave(run: RunId, seat: SeatId) -> Response:
        """Give the place back; its own mind goes on."""
        tables.leave(hall.shelf.folder_of(run), seat)
        return told({"ok": True})

    return api


async def _asked(
    tables: PlayTables, folder: Path, seat: Seat, is_ending: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Yield an observation whenever a move is wanted, and when none is any more."""
    version, quiet = -1, time.monotonic()
    while not seat.is_left and not is_ending():
        if seat.version != version:
            version, quiet = seat.version, time.monotonic()
            yield _told(seat)
        elif time.monotonic() - quiet > QUIET:
            quiet = time.monotonic()
            yield b": still here\n\n"
        if not tables.goes_on(folder):
            break
        await asyncio.sleep(TICK)
    yield frame("over", encoded({"left": seat.is_left}))


def _told(seat: Seat) -> bytes:
    question = seat.question
    if question is None:
        return frame("waiting", encoded({"agent": seat.agent, "name": seat.name}))
    left = None if question.deadline is None else question.deadline - time.monotonic()
    seen: dict[str, Any] = {"number": question.number, "deadline": left, **question.seen}
    return frame("observation", encoded(seen))
