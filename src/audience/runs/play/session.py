"""A player's seat: what they see, the moves they make, and the mind that waits for them."""

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
from audience.agents.human import understood
from audience.errors import BadInput, Halt, unknown
from audience.llm import CallStore, ChatMessage, Gateway, Reply, Request, compose
from audience.memory import Memory
from audience.scenario import FILE
from audience.world import HUMAN, Dice, Friend, Item, Message, Observation, actions as a, shown

HIDDEN = ("Shift",)
"""Actions that no player may take."""


def offered(seen: Observation) -> list[str]:
    """Return the moves that a player may make now."""
    return [name for name in seen.menu if name not in HIDDEN]


class SlateCard(msgspec.Struct, frozen=True):
    """An item on the page, and why it is recommended."""

    item: int
    title: str
    about: str
    tags: tuple[str, ...]
    year: int | None
    minutes: float
    reason: str


class PickedCard(msgspec.Struct, frozen=True):
    """An item that the player picked in this visit."""

    item: int
    title: str
    stars: int


class InboxCard(Message, frozen=True, array_like=False):
    """A message in an inbox, as an object with named fields."""


class SpokenLine(msgspec.Struct, frozen=True):
    """A line of the conversation."""

    agent: int
    to: int
    text: str


class PlayerProfile(msgspec.Struct, frozen=True):
    """Whom the player plays."""

    id: int
    name: str
    age: int | None
    interests: tuple[str, ...]


class PlayerView(msgspec.Struct, frozen=True):
    """All that a player sees when a move is due."""

    round: int
    turn: int
    now: str
    surface: str
    menu: list[str]
    page: int
    slate: list[SlateCard]
    lived: list[PickedCard]
    inbox: list[InboxCard]
    friends: tuple[Friend, ...]
    lines: list[SpokenLine]
    me: PlayerProfile
    taken: list[a.AnyAction]
    """Moves made on this page that happen when it is left."""


def view(seen: Observation, taken: list[a.AnyAction]) -> PlayerView:
    """Return all that a player sees now."""
    now, catalogue, me = seen.me.situation, seen.catalogue, seen.me.profile
    reasons = (*now.reasons, *[""] * len(now.slate))
    return PlayerView(
        seen.round,
        seen.turn,
        shown(seen.now),
        seen.surface,
        offered(seen),
        now.page,
        slate=[_card(catalogue[item], why) for item, why in zip(now.slate, reasons, strict=False)],
        lived=[
            PickedCard(lived.item, catalogue[lived.item].title, lived.stars)
            for lived in seen.me.lived_now()
        ],
        inbox=[InboxCard(**msgspec.structs.asdict(message)) for message in seen.me.inbox],
        friends=seen.friends,
        lines=[SpokenLine(line.agent, line.to, line.text) for line in seen.lines],
        me=PlayerProfile(me.id, me.name, me.age, me.interests),
        taken=list(taken),
    )


def _card(item: Item, reason: str) -> SlateCard:
    return SlateCard(item.id, item.title, item.about, item.tags, item.year, item.minutes, reason)


MOVES = 60
"""Maximum number of moves on a page."""
_DECODER = msgspec.json.Decoder(a.AnyAction)


class Question(msgspec.Struct, frozen=True):
    """What a player sees while a move is due."""

    number: int
    seen: dict[str, Any]
    deadline: float | None
    """When it is too late, on the monotonic clock; None for never."""


class Seat:
    """The seat of a player. The run asks in its thread, the player moves in another."""

    def __init__(self, id_: str, agent: int, name: str, deadline: float | None) -> None:
        self.id, self.agent, self.name = id_, agent, name
        self.deadline = deadline
        self.version = 0
        """Rises whenever there is something new to show."""
        self.is_left = False
        self._lock = threading.Lock()
        self._question: Question | None = None
        self._check: Callable[[a.AnyAction], str] = lambda action: ""
        self._answer: tuple[asyncio.AbstractEventLoop, asyncio.Future[str | None]] | None = None

    @property
    def question(self) -> Question | None:
        """The open question, if there is one."""
        return self._question

    def move(self, fields: dict[str, Any], number: int | None = None) -> None:
        """Make a move; raise if it is illegal, and the question stays open."""
        action = move_of(fields)
        with self._lock:
            if self._question is None or self._answer is None:
                raise BadInput("it is not your turn; wait for the next question")
            if number is not None and number != self._question.number:
                raise BadInput("that question is over; answer the present one")
            if why := self._check(action):
                raise BadInput(why)
            self._give(msgspec.json.encode(action).decode())

    def leave(self) -> None:
        """Give the seat back: the agent's own mind takes over."""
        with self._lock:
            self.is_left = True
            self.version += 1
            self._give(None)

    def withdraw(self) -> None:
        """Give the seat back and stop the run, which asks again when it is resumed."""
        with self._lock:
            self.is_left = True
            self.version += 1
            self._give(Halt(f"{self.name} was still to move"))

    async def asked(self, seen: dict[str, Any], check: Callable[[a.AnyAction], str]) -> str | None:
        """Ask for a move and return it; None if none came in time or the seat is empty."""
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

        with suppress(RuntimeError):  # the run has ended in the meantime
            loop.call_soon_threadsafe(give)


def move_of(fields: dict[str, Any]) -> a.AnyAction:
    """Return the action that a move names by `type` and its fields."""
    known = {action.__name__ for action in get_args(a.AnyAction)} - set(HIDDEN)
    kind = fields.get("type")
    if not isinstance(kind, str) or kind not in known:
        raise unknown("move", kind, known)
    try:
        action: a.AnyAction = msgspec.convert(fields, a.AnyAction)
    except msgspec.ValidationError as error:
        raise BadInput(f"move {kind}: {str(error).replace('`', chr(39))}") from None
    return action


class PlayerGateway:
    """A gateway that asks the player; each request carries what they see."""

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
    """Decides as the player does, and as the mind it replaces if they do not."""

    def __init__(
        self, gateway: Gateway, otherwise: Mind, player: PlayerGateway | None = None
    ) -> None:
        """`player` is the end of the gateway if somebody plays now; it checks their moves."""
        self._gateway, self._otherwise, self._player = gateway, otherwise, player

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        taken: list[a.AnyAction] = []
        calls: list[str] = []
        for turn in range(MOVES):
            if self._player:
                self._player.check = lambda action: objection(seen, taken, action)
            words = msgspec.json.encode(view(seen, taken)).decode()
            salt = f"seat.{int(dice.keys[0]):016x}.{turn}"
            messages = (ChatMessage("user", words),)
            reply = await self._gateway.ask(Request("human", messages, salt=salt))
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
    """Return a move with what it implies: entering the recommender shows its first page."""
    if isinstance(action, a.Enter) and action.surface == "recommender":
        return action, a.Browse()
    return (action,)


def _spoken(seen: Observation, action: a.AnyAction) -> a.AnyAction:
    """Return a move with the items and the stance of its text, marked as the words of a human."""
    if isinstance(action, a.Post | a.Say):
        text, items, stance = understood(seen, action.text)
        items, stance = action.items or items, action.stance or stance
        return replace(action, text=text, items=items, stance=stance, voice=HUMAN)
    return replace(action, voice=HUMAN) if isinstance(action, a.Rate) else action


def objection(seen: Observation, taken: list[a.AnyAction], action: a.AnyAction) -> str:
    """Return why a move is illegal on this page, or "". The world checks it again."""
    kind = type(action).__name__
    if kind not in seen.menu:
        return f"{kind} is not possible here; possible: {', '.join(offered(seen))}"
    picked = {move.item for move in taken if isinstance(move, a.Pick)}
    match action:
        case a.Pick(item):
            if item not in seen.me.situation.slate:
                return f"item {item} is not on the page"
            return f"item {item} is already picked" * (item in picked)
        case a.Rate(item, stars):
            lived = {each.item for each in seen.me.lived_now()} | picked
            if item not in lived:
                return f"item {item} was not picked in this visit"
            return "stars go from 1 to 5" * (not 1 <= stars <= 5)
        case a.Say(to):
            return f"you cannot talk to {to}" * all(friend.id != to for friend in seen.friends)
    return ""


class PlayTable:
    """The seats of a run."""

    def __init__(self, folder: Path) -> None:
        self.seats: dict[str, Seat] = {}
        self._store = CallStore(folder / FILE, at_once=True)

    def make(self, seat: Seat) -> Callable[[Mind], Mind]:
        """Return what makes the mind of a player."""

        def made(otherwise: Mind) -> Mind:
            player = PlayerGateway(seat)
            return SeatMind(compose(player, store=self._store), otherwise, player)

        return made

    @property
    def is_waited_for(self) -> bool:
        return any(seat.question is not None for seat in self.seats.values())

    def let_go(self) -> None:
        """Stop waiting for players."""
        for seat in self.seats.values():
            seat.withdraw()

    def close(self) -> None:
        self.let_go()
        self._store.close()
