"""What one who plays sees: the page, the menu and the messages, as plain values."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from audience.agents import Decision, Mind
from audience.agents.language import items_in
from audience.errors import BadInput, Halt, unknown
from audience.llm import CallStore, ChatMessage, Gateway, Reply, Request, compose
from audience.memory import Memory
from audience.scenario import FILE
from audience.world import Agent, Dice, Observation, actions as a, shown

HIDDEN = ("Shift",)
"""What no player may do: only the world moves minds."""


def offered(seen: Observation) -> list[str]:
    """Return the moves that one who plays may make now."""
    return [name for name in seen.menu if name not in HIDDEN]


def view(seen: Observation, taken: list[a.AnyAction]) -> dict[str, Any]:
    """Return all that somebody sees now, as plain values."""
    now, titles = seen.me.situation, seen.catalogue
    reasons = now.reasons
    return {
        "round": seen.round,
        "turn": seen.turn,
        "now": shown(seen.now),
        "surface": seen.surface,
        "menu": offered(seen),
        "page": now.page,
        "slate": [
            {**_item(seen, item), "reason": reasons[place] if place < len(reasons) else ""}
            for place, item in enumerate(now.slate)
        ],
        "lived": [
            {"item": one.item, "title": titles[one.item].title, "stars": one.stars}
            for one in seen.me.lived_now()
        ],
        "inbox": [msgspec.structs.asdict(one) for one in seen.me.inbox],
        "friends": [msgspec.structs.asdict(one) for one in seen.friends],
        "lines": [{"agent": one.agent, "to": one.to, "text": one.text} for one in seen.lines],
        "me": _me(seen.me),
        "taken": [msgspec.to_builtins(one) for one in taken],
    }


def _item(seen: Observation, item: int) -> dict[str, Any]:
    one = seen.catalogue[item]
    return {
        "item": item,
        "title": one.title,
        "about": one.about,
        "tags": one.tags,
        "year": one.year,
        "minutes": one.minutes,
    }


def _me(me: Agent) -> dict[str, Any]:
    one = me.profile
    return {"id": one.id, "name": one.name, "age": one.age, "interests": one.interests}


MOVES = 60
"""Moves that one page may take."""
"""Moves after which one is still on the same page; they happen when it is left."""
_DECODER = msgspec.json.Decoder(a.AnyAction)


class Question(msgspec.Struct, frozen=True):
    """What somebody sees while it is asked for a move."""

    number: int
    seen: dict[str, Any]
    deadline: float | None
    """When it is too late, on the machine's own clock; None: never."""


class Seat:
    """The place of one who plays. The run asks in its thread, the player moves in another."""

    def __init__(self, id_: str, agent: int, name: str, deadline: float | None) -> None:
        self.id, self.agent, self.name = id_, agent, name
        self.deadline = deadline
        self.version = 0
        """Counts what there is to show anew."""
        self.is_left = False
        self._lock = threading.Lock()
        self._question: Question | None = None
        self._check: Callable[[a.AnyAction], str] = lambda action: ""
        self._answer: tuple[asyncio.AbstractEventLoop, asyncio.Future[str | None]] | None = None

    @property
    def question(self) -> Question | None:
        """Return what is asked now, if anything."""
        return self._question

    def move(self, given: dict[str, Any], number: int | None = None) -> None:
        """Make a move; raise what is wrong with it, and the question stands."""
        action = move_of(given)
        with self._lock:
            if self._question is None or self._answer is None:
                raise BadInput("nothing is asked now; wait for your turn")
            if number is not None and number != self._question.number:
                raise BadInput("that question is over; look at the one that is asked now")
            if why := self._check(action):
                raise BadInput(why)
            self._give(msgspec.json.encode(action).decode())

    def leave(self) -> None:
        """Give the place back: its own mind goes on."""
        with self._lock:
            self.is_left = True
            self.version += 1
            self._give(None)

    def withdraw(self) -> None:
        """Give the place back and end the run's waiting: what is under way is asked for again."""
        with self._lock:
            self.is_left = True
            self.version += 1
            self._give(Halt(f"{self.name} was still to move"))

    async def asked(self, seen: dict[str, Any], check: Callable[[a.AnyAction], str]) -> str | None:
        """Ask for a move and return it; None when none came in time or nobody is there."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if self.is_left:
                return None
            future: asyncio.Future[str | None] = loop.create_future()
            end = time.monotonic() + self.deadline if self.deadline else None
            self._answer, self._check = (loop, future), check
            self.version += 1
            self._question = Question(self.version, seen, end)
        try:
            async with asyncio.timeout(self.deadline):
                return await future
        except TimeoutError:
            return None
        finally:
            with self._lock:
                self._question, self._answer = None, None
                self.version += 1

    def _give(self, answer: str | Halt | None) -> None:
        if self._answer is None:
            return
        loop, future = self._answer
        self._answer = None

        def give() -> None:
            if future.done():
                return
            if isinstance(answer, Halt):
                future.set_exception(answer)
            else:
                future.set_result(answer)

        with suppress(RuntimeError):  # the run has ended meanwhile
            loop.call_soon_threadsafe(give)


def move_of(given: dict[str, Any]) -> a.AnyAction:
    """Return the action that a move names by `type` and its fields."""
    known = {one.__name__ for one in get_args(a.AnyAction)} - set(HIDDEN)
    kind = given.get("type")
    if not isinstance(kind, str) or kind not in known:
        raise unknown("move", kind, known)
    try:
        action: a.AnyAction = msgspec.convert(given, a.AnyAction)
    except msgspec.ValidationError as error:
        raise BadInput(f"move {kind}: {str(error).replace('`', chr(39))}") from None
    return action


class PlayerGateway:
    """A gateway behind which one who plays sits; what it is shown comes with each request."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.check: Callable[[a.AnyAction], str] = lambda action: ""

    async def ask(self, request: Request) -> Reply:
        seen = msgspec.json.decode(request.messages[-1].content)
        answer = await self.seat.asked(seen, self.check)
        if answer is None:
            return Reply(request.key, "timeout", why="no move in time", model="human")
        return Reply(request.key, "reply", (answer,), model="human")

    async def close(self) -> None: ...


class SeatMind:
    """Decides as one who plays does; where that one does not, as the mind it stands for."""

    def __init__(self, door: Gateway, otherwise: Mind, asked: PlayerGateway | None = None) -> None:
        """`asked` sits behind the door, where somebody does, and is told what cannot be moved."""
        self._door, self._otherwise, self._asked = door, otherwise, asked

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        taken: list[a.AnyAction] = []
        calls: list[str] = []
        for turn in range(MOVES):
            if self._asked:
                self._asked.check = lambda action: objection(seen, taken, action)
            words = msgspec.json.encode(view(seen, taken)).decode()
            salt = f"seat.{int(dice.keys[0]):016x}.{turn}"
            reply = await self._door.ask(Request("human", (ChatMessage("user", words),), salt=salt))
            if reply.outcome != "reply":
                break
            calls.append(reply.key)
            action = _spoken(seen, _DECODER.decode(reply.text))
            if _stays(seen, action):
                taken.append(action)
                continue
            return Decision((*taken, *_followed(action)), "", tuple(calls))
        if taken:
            return Decision((*taken, a.Leave()), "", tuple(calls))
        return await self._otherwise.decide(seen, memory, dice)


def _stays(seen: Observation, action: a.AnyAction) -> bool:
    wishes = isinstance(action, a.Say) and seen.surface != "conversation"
    return wishes or action.stays


def _followed(action: a.AnyAction) -> tuple[a.AnyAction, ...]:
    """Return a move with what it means: who enters the recommender sees its first page."""
    if isinstance(action, a.Enter) and action.surface == "recommender":
        return action, a.Browse()
    return (action,)


def _spoken(seen: Observation, action: a.AnyAction) -> a.AnyAction:
    """Return a move with the items its words name, and whose words they are."""
    if isinstance(action, a.Post | a.Say):
        items = action.items or items_in(seen, action.text)
        return replace(action, items=items, voice="human")
    return replace(action, voice="human") if isinstance(action, a.Rate) else action


def objection(seen: Observation, taken: list[a.AnyAction], action: a.AnyAction) -> str:
    """Return why a move cannot be made on this page, or nothing. The world checks it again."""
    kind = type(action).__name__
    if kind not in seen.menu:
        return f"{kind} is not possible here; possible: {', '.join(offered(seen))}"
    picked = {one.item for one in taken if isinstance(one, a.Pick)}
    match action:
        case a.Pick(item):
            if item not in seen.me.situation.slate:
                return f"item {item} is not on the page"
            return f"item {item} is picked already" * (item in picked)
        case a.Rate(item, stars):
            lived = {one.item for one in seen.me.lived_now()} | picked
            if item not in lived:
                return f"item {item} was not picked in this visit"
            return "stars go from 1 to 5" * (not 1 <= stars <= 5)
        case a.Say(to):
            return f"{to} is nobody you can talk to" * all(one.id != to for one in seen.friends)
    return ""


class PlayTable:
    """All who play in one run."""

    def __init__(self, folder: Path) -> None:
        self.seats: dict[str, Seat] = {}
        self._store = CallStore(folder / FILE, at_once=True)

    def make(self, seat: Seat) -> Callable[[Mind], Mind]:
        """Return what makes the mind of one who plays."""

        def made(otherwise: Mind) -> Mind:
            asked = PlayerGateway(seat)
            return SeatMind(compose(asked, store=self._store), otherwise, asked)

        return made

    @property
    def is_waited_for(self) -> bool:
        return any(one.question is not None for one in self.seats.values())

    def let_go(self) -> None:
        """Wait for nobody any more."""
        for seat in self.seats.values():
            seat.withdraw()

    def close(self) -> None:
        self.let_go()
        self._store.close()
