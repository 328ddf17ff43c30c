"""How topics stand with everybody: who knows, how they feel, what they think. Changed by folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.world.people import Profile
from audience.world.rng import Ints, dice
from audience.world.topics import Topic, favoured

Small = NDArray[np.int8]
Rounds = NDArray[np.int32]


class Standing(msgspec.Struct, frozen=True, gc=False):
    """How one topic stands with one person."""

    number: int
    topic: Topic
    level: int
    stance: int
    """-1 against, 1 for, 0 while there is no view yet."""
    leaning: int
    """The view that its profile inclines it to, -1 or 1."""
    aware: int
    """The round in which it heard of it; 0: not yet."""


class SpreadView(Protocol):
    """The topics for everybody but the fold."""

    @property
    def topics(self) -> Sequence[Topic]: ...
    @property
    def level(self) -> Small: ...
    @property
    def stance(self) -> Small: ...
    @property
    def aware(self) -> Rounds: ...
    def standing(self, topic: int, agent: int) -> Standing: ...
    def waiting(self) -> Ints: ...


class Spread:
    """One row a topic, one column a person."""

    def __init__(self, people: int) -> None:
        self.people = people
        self.topics: tuple[Topic, ...] = ()
        self.level: Small = np.zeros((0, people), np.int8)
        self.stance: Small = np.zeros((0, people), np.int8)
        self.leaning: Small = np.zeros((0, people), np.int8)
        self.aware: Rounds = np.zeros((0, people), np.int32)
        self.read: Rounds = np.zeros((0, people), np.int32)
        """The round in which somebody last read news of it."""
        self.unread: Small = np.zeros((0, people), np.int8)

    def standing(self, topic: int, agent: int) -> Standing:
        """Return how a topic stands with somebody."""
        return Standing(
            topic,
            self.topics[topic],
            int(self.level[topic, agent]),
            int(self.stance[topic, agent]),
            int(self.leaning[topic, agent]),
            int(self.aware[topic, agent]),
        )

    def waiting(self) -> Ints:
        """Return those who have news they have not read."""
        return np.flatnonzero(self.unread.any(axis=0))

    def begin(self, topic: Topic, seed: int, profiles: Sequence[Profile]) -> None:
        """Let there be one more topic."""
        number, row = len(self.topics), np.arange(self.people)
        self.topics = (*self.topics, topic)
        for name in ("level", "stance", "leaning", "aware", "read", "unread"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros((1, self.people), old.dtype)]))
        self._lean(number, row, seed, profiles)

    def _lean(self, number: int, who: Ints, seed: int, profiles: Sequence[Profile]) -> None:
        topic = self.topics[number]
        shares = (
            np.array([favoured(topic, profiles[one]) for one in who.tolist()])
            if topic.favour_of
            else np.full(len(who), topic.favour)
        )
        draws = dice(seed, "leaning", who, number).uniform("leaning")
        self.leaning[number, who] = np.where(draws < shares, 1, -1)

    def grow(self, seed: int, profile: Profile) -> None:
        """Let there be one more person."""
        who = self.people
        self.people += 1
        for name in ("level", "stance", "leaning", "aware", "read", "unread"):
            old = getattr(self, name)
            setattr(self, name, np.pad(old, ((0, 0), (0, 1))))
        for number in range(len(self.topics)):
            self._lean(number, np.array([who]), seed, {who: profile})  # type: ignore[arg-type]

    def reach(self, topic: int, agents: Sequence[int] | Ints, round_: int) -> None:
        """Let people know of a topic."""
        heard = self.aware[topic]
        who = np.asarray(agents, np.int64)
        heard[who] = np.where(heard[who] == 0, round_, heard[who])

    def open(self, agent: int, round_: int) -> None:
        """Let somebody read its news."""
        for number in range(len(self.topics)):
            if self.unread[number, agent]:
                self.read[number, agent] = round_
                self.unread[number, agent] = 0

    def calm(self, seed: int, round_: int) -> None:
        """End a round: who felt something and had no news may calm down by one level."""
        for number, topic in enumerate(self.topics):
            who = np.flatnonzero((self.level[number] > 0) & (self.read[number] != round_))
            if len(who) and topic.decay:
                draws = dice(seed, "calm", who, round_, number).uniform("calm")
                self.level[number, who[draws < topic.decay]] -= 1

    def packed(self) -> tuple[bytes, ...]:
        """Return the columns as bytes, for a snapshot."""
        columns = (self.level, self.stance, self.leaning, self.aware, self.read, self.unread)
        return tuple(
            column.astype("<i4" if column.dtype == np.int32 else np.int8).tobytes()
            for column in columns
        )

    @classmethod
    def unpack(cls, topics: tuple[Topic, ...], people: int, packed: Sequence[bytes]) -> Spread:
        """Return what `packed` holds."""
        spread = cls(people)
        spread.topics = topics
        names = ("level", "stance", "leaning", "aware", "read", "unread")
        for name, column in zip(names, packed, strict=True):
            wide = name in ("aware", "read")
            found = np.frombuffer(column, "<i4" if wide else np.int8)
            kind = np.int32 if wide else np.int8
            setattr(spread, name, found.reshape(len(topics), people).astype(kind))
        return spread
