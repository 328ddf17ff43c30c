"""Replay of rounds that somebody played, from the stored moves, without asking.

A played agent wakes in those rounds as it did then. A stored move is made again; where there
is none (the deadline passed, the seat was given back), the agent's own mind decides, as then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from audience.agents import Decision, Mind
from audience.agents.human import HumanMind
from audience.engine import MakeMind
from audience.errors import AudienceError
from audience.llm import CallStore, Reply, Request
from audience.log import Log
from audience.memory import Memory
from audience.runs.play.session import SeatMind
from audience.scenario import FILE, PAGE, TERMINAL, Played, seated, with_round, write_played
from audience.world import Dice, Observation


class _Unasked(AudienceError):
    """No move is stored."""


class _Moves:
    """A gateway that returns stored moves and asks nobody."""

    def __init__(self, store: CallStore | None, *, only_replies: bool) -> None:
        self._store, self._only_replies = store, only_replies

    async def ask(self, request: Request) -> Reply:
        reply = None
        if self._store is not None:
            reply = self._store.find(request.key, only_replies=self._only_replies)
        if reply is None and not self._only_replies:
            raise _Unasked
        return reply or Reply(request.key, "timeout", why="no move is kept", model="human")

    async def close(self) -> None: ...


class _Typed:
    """Decides as was typed, and as the mind it replaces if nothing was."""

    def __init__(self, moves: _Moves, otherwise: Mind) -> None:
        self._human, self._otherwise = HumanMind(moves), otherwise

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        try:
            return await self._human.decide(seen, memory, dice)
        except _Unasked:
            return await self._otherwise.decide(seen, memory, dice)


class Seating:
    """Who is played in each round of a run, before and now."""

    def __init__(
        self,
        log: Log,
        played: tuple[Played, ...],
        *,
        source: Path | None = None,
        typing: Collection[int] = (),
    ) -> None:
        """`source` is a run that is replayed; `typing` are agents played at a terminal now."""
        self._log, self._played = log, played
        self._typing = frozenset(typing)
        self._store: CallStore | None = None
        self._paths = [one / FILE for one in (log.folder, source) if one]

    def of(self, round_: int) -> Mapping[int, MakeMind]:
        """Return those who were played in a round, and how the mind of each is made."""
        ways = seated(self._played, round_)
        return {
            agent: self._typed if way == TERMINAL else self._moved
            for agent, way in ways.items()
            if agent not in self._typing
        }

    def note(self, round_: int, playing: Collection[int]) -> None:
        """Store who plays in a round, before it goes on."""
        noted = with_round(self._played, round_, playing, PAGE)
        noted = with_round(noted, round_, self._typing, TERMINAL)
        if noted != self._played:
            self._played = noted
            write_played(self._log, noted)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _typed(self, otherwise: Mind) -> Mind:
        return _Typed(_Moves(self._kept(), only_replies=False), otherwise)

    def _moved(self, otherwise: Mind) -> Mind:
        return SeatMind(_Moves(self._kept(), only_replies=True), otherwise)

    def _kept(self) -> CallStore | None:
        if self._store is None:
            path = next((one for one in self._paths if one.is_file()), None)
            self._store = CallStore(path, read_only=True) if path else None
        return self._store
