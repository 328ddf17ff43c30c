"""The social graph. A tie goes from a person to someone they follow; a friendship is two ties.

Where ties live, a contact of weight w moves closeness c to c + grow w (1 - c), and without contact
it halves every `fade` rounds. Stored are the closeness after the last contact and its round, so
that fading needs no updates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.world.randomness import Ints

Int32 = NDArray[np.int32]


class Tie(msgspec.Struct, frozen=True, gc=False):
    """A directed tie to another person."""

    other: int
    kind: str
    closeness: float
    since: int = 0
    """The round of the last contact, at whose end `closeness` was measured."""


class Ties(msgspec.Struct, frozen=True):
    """The ties of a genesis as columns sorted by their first person, compact for millions."""

    starts: Int32
    """The row at which each person's ties begin; one more entry than people."""
    others: Int32
    kinds: NDArray[np.uint8]
    closeness: NDArray[np.float32]
    names: tuple[str, ...] = ("friend",)

    @classmethod
    def of(
        cls,
        people: int,
        firsts: Sequence[int] | Ints,
        others: Sequence[int] | Ints,
        kinds: Sequence[int] | Ints | NDArray[np.uint8],
        closeness: Sequence[float] | NDArray[np.float32],
        names: tuple[str, ...] = ("friend",),
    ) -> Ties:
        """Return ties from unsorted columns, one row per direction."""
        first = np.asarray(firsts, np.int64)
        order = np.lexsort((np.asarray(others), first))
        counts = np.bincount(first, minlength=people)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return cls(
            starts,
            np.asarray(others, np.int32)[order],
            np.asarray(kinds, np.uint8)[order],
            np.asarray(closeness, np.float32)[order],
            names,
        )

    def reversed(self) -> Ties:
        """Return the same ties with their direction reversed."""
        people = len(self.starts) - 1
        firsts = np.repeat(np.arange(people), np.diff(self.starts))
        return Ties.of(
            people, self.others.astype(np.int64), firsts, self.kinds, self.closeness, self.names
        )


class SocialGraph:
    """The ties of a genesis and all changes since."""

    def __init__(self, ties: Ties) -> None:
        self._ties = ties
        self._back: Ties | None = None
        self._changed: dict[int, dict[int, Tie]] = {}
        self._changed_back: dict[int, dict[int, Tie]] = {}
        self.grow = 0.0
        self.fade = 0.0
        self.round = 0

    def ties(self, agent: int) -> tuple[Tie, ...]:
        """Return the ties to those `agent` follows, with their closeness in this round."""
        changed = self._changed.get(agent)
        ties = _slice(self._ties, agent) if changed is None else tuple(changed.values())
        return tuple([self._faded(tie) for tie in ties]) if self.fade else ties

    def neighbours(self, agent: int) -> tuple[int, ...]:
        """Return the ids of those `agent` follows."""
        changed = self._changed.get(agent)
        return tuple(changed) if changed is not None else _ids(self._ties, agent)

    def followers(self, agent: int) -> tuple[int, ...]:
        """Return the ids of those who follow `agent`."""
        changed = self._changed_back.get(agent)
        return tuple(changed) if changed is not None else _ids(self._reversed(), agent)

    def tie(self, agent: int, other: int) -> Tie | None:
        """Return the tie from `agent` to `other`, if any."""
        return next((tie for tie in self.ties(agent) if tie.other == other), None)

    def add(
        self, agent: int, other: int, kind: str, closeness: float, since: int | None = None
    ) -> None:
        """Make `agent` follow `other`, as of this round unless `since` is given."""
        forward, back = self._own(agent), self._own_back(other)
        since = self.round if since is None else since
        forward[other] = Tie(other, kind, closeness, since)
        back[agent] = Tie(agent, kind, closeness, since)

    def meet(self, agent: int, other: int, weight: float) -> None:
        """Bring `other` closer to `agent` by a contact, if there is a tie."""
        tie = self.tie(agent, other)
        if tie is not None:
            nearer = round(tie.closeness + self.grow * weight * (1.0 - tie.closeness), 6)
            self.add(agent, other, tie.kind, nearer)

    def _faded(self, tie: Tie) -> Tie:
        away = self.round - tie.since
        if away < 1:
            return tie
        return Tie(tie.other, tie.kind, tie.closeness * 0.5 ** (away / self.fade), tie.since)

    def cut(self, agent: int, other: int) -> None:
        """Make `agent` unfollow `other`."""
        self._own(agent).pop(other, None)
        self._own_back(other).pop(agent, None)

    def pairs(self) -> tuple[Ints, Ints]:
        """Return all ties as two columns: who follows, and whom."""
        firsts = np.repeat(np.arange(len(self._ties.starts) - 1), np.diff(self._ties.starts))
        others = self._ties.others.astype(np.int64)
        is_old = ~np.isin(firsts, list(self._changed))
        new = [(who, other) for who, ties in self._changed.items() for other in ties]
        columns = np.array(new, np.int64).reshape(-1, 2).T
        return (
            np.concatenate([firsts[is_old], columns[0]]),
            np.concatenate([others[is_old], columns[1]]),
        )

    def changes(self) -> dict[int, tuple[Tie, ...]]:
        """Return the current ties of everyone whose ties changed since genesis."""
        return {agent: tuple(ties.values()) for agent, ties in self._changed.items()}

    def restore(self, changes: dict[int, Iterable[Tie]]) -> None:
        """Replace the ties of the given people."""
        for agent, ties in changes.items():
            by_other = {tie.other: tie for tie in ties}
            for other in [other for other in self.neighbours(agent) if other not in by_other]:
                self.cut(agent, other)
            self._own(agent).clear()
            for tie in by_other.values():
                self.add(agent, tie.other, tie.kind, tie.closeness, tie.since)

    def __len__(self) -> int:
        base = len(self._ties.others)
        return base + sum(len(t) - len(_ids(self._ties, a)) for a, t in self._changed.items())

    def _own(self, agent: int) -> dict[int, Tie]:
        if agent not in self._changed:
            self._changed[agent] = {tie.other: tie for tie in _slice(self._ties, agent)}
        return self._changed[agent]

    def _own_back(self, agent: int) -> dict[int, Tie]:
        if agent not in self._changed_back:
            ties = _slice(self._reversed(), agent)
            self._changed_back[agent] = {tie.other: tie for tie in ties}
        return self._changed_back[agent]

    def _reversed(self) -> Ties:
        if self._back is None:
            self._back = self._ties.reversed()
        return self._back


def _bounds(ties: Ties, agent: int) -> tuple[int, int]:
    if agent + 1 >= len(ties.starts):
        return 0, 0
    return int(ties.starts[agent]), int(ties.starts[agent + 1])


def _ids(ties: Ties, agent: int) -> tuple[int, ...]:
    begin, end = _bounds(ties, agent)
    return tuple(ties.others[begin:end].tolist())


def _slice(ties: Ties, agent: int) -> tuple[Tie, ...]:
    begin, end = _bounds(ties, agent)
    rows = zip(
        ties.others[begin:end].tolist(),
        ties.kinds[begin:end].tolist(),
        ties.closeness[begin:end].tolist(),
        strict=True,
    )
    names = ties.names
    return tuple([Tie(other, names[kind], closeness) for other, kind, closeness in rows])
