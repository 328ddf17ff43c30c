"""How messages are numbered: the round, who sent it on, and which of its messages it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.world.profile import Profile
from audience.world.randomness import Ints, dice

SYSTEM = -1
"""The author of announcements and advertisements."""


def post_id(round_: int, sender: int, number: int) -> str:
    """Return the id of a message."""
    return f"{round_}.{'system' if sender == SYSTEM else sender}.{number}"


def sent(post: str) -> tuple[int, int]:
    """Return the round in which a message was sent and who sent it; -1 for the platform."""
    round_, _, rest = post.partition(".")
    sender = rest.partition(".")[0]
    return (
        int(round_) if round_.isdecimal() else 0,
        int(sender) if sender.isdecimal() else SYSTEM,
    )


CALM, MODERATE, INTENSE = range(3)
LEVELS = ("calm", "moderate", "intense")
OWN, MUTUAL, ONE_WAY, RECOMMENDED = 1.0, 0.8, 0.6, 0.4
"""How authentic a message is: one's own, of somebody who listens in turn, of somebody one only
listens to, or shown by the platform."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_OLD = 1000
"""Rounds after which the age of a message is worth nothing."""
_STEM = 6
"""Letters that words are compared by, so that `judge` and `judges` are one."""
_COMMON = frozenset(
    "about after all also and are because been before being but can could did does for from had "
    "has have her his how into its just more most not now one only our out over said she some "
    "than that the their them then there they this those very was were what when where which who "
    "why will with would you your".split()
)


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that happened and that people may hear of, feel and have a view of."""

    name: str
    text: str
    """The first message."""
    about: str = ""
    """What it is, in a sentence or two, as everybody may know it who has heard of it."""
    appeals: tuple[str, ...] = ()
    """Interests, traits and careers to which it speaks; they count as words of its messages."""
    favour: float = 0.5
    """Share of people who would be for it at first."""
    favour_of: dict[str, float] = {}
    """The same for people of a gender, career, trait or interest; their mean where several fit."""
    decay: float = 0.3
    """Chance that somebody without news calms down by one level in a round."""
    half_life: float = 3.0
    """Rounds after which a message counts half as much by its age."""
    keep: int = 10
    """Messages in somebody's memory pool."""


class Message(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A post as it lies in an inbox or, of a topic, in a memory pool."""

    post: str
    author: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    topic: int = -1
    sender: int = -1
    """Who wrote it or passed it on."""
    root: str = ""
    round: int = 0
    trust: float = 0.0
    """How authentic it is, by who sent it."""
    relevance: float = 0.0
    """How near it is to the one who reads it, 0 to 1."""


def influence(message: Message, round_: int, half_life: float) -> float:
    """Return how much a message weighs now, 0 to 1: age, relevance and source in equal parts."""
    fading = _fading(half_life)
    age = round_ - message.round
    fresh = fading[age] if age < _OLD else 0.0
    return (fresh + message.relevance + message.trust) / 3.0


@lru_cache(maxsize=64)
def _fading(half_life: float) -> tuple[float, ...]:
    """Return what the age of a message is worth, by age."""
    return tuple(float(0.5 ** (age / half_life)) for age in range(_OLD))


def pooled(
    pool: tuple[Message, ...], message: Message, round_: int, topic: Topic
) -> tuple[Message, ...]:
    """Return a memory pool with one more message: the most influential of them, in their order.

    What is heard again is no second message; it is as fresh and as authentic as its best source.
    """
    for place, old in enumerate(pool):
        if old.root == message.root:
            if old.trust > message.trust:
                message = msgspec.structs.replace(message, trust=old.trust, sender=old.sender)
            return (*pool[:place], *pool[place + 1 :], message)
    kept = (*pool, message)
    if len(kept) <= topic.keep:
        return kept
    fading = _fading(topic.half_life)
    scores = [
        (fading[round_ - one.round] if round_ - one.round < _OLD else 0.0)
        + one.relevance
        + one.trust
        for one in kept
    ]
    least = scores.index(min(scores))
    return (*kept[:least], *kept[least + 1 :])


def relevance(profile: Profile, topic: Topic, text: str) -> float:
    """Return the cosine of somebody's attributes and a message, each as a set of words."""
    said = _told(text, topic.about, topic.appeals)
    mine = attributes(profile.interests, profile.traits, profile.career, profile.gender)
    if not said or not mine:
        return 0.0
    return float(len(said & mine) / (len(said) * len(mine)) ** 0.5)


@lru_cache(maxsize=4096)
def _told(text: str, about: str, appeals: tuple[str, ...]) -> frozenset[str]:
    return words_of(" ".join((text, about, *appeals)))


@lru_cache(maxsize=65536)
def attributes(
    interests: Sequence[str], traits: Sequence[str], career: str, gender: str
) -> frozenset[str]:
    """Return the words that somebody's profile is made of."""
    return words_of(" ".join((*interests, *traits, career, gender)))


def words_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something."""
    found = _WORD.findall(text.lower())
    return frozenset(word[:_STEM] for word in found if word not in _COMMON)


def favoured(topic: Topic, profile: Profile) -> float:
    """Return the chance that somebody is for a topic at first, from its profile."""
    if not topic.favour_of:
        return topic.favour
    mine = {*profile.interests, *profile.traits, profile.career, profile.gender}
    found = [share for word, share in topic.favour_of.items() if word in mine]
    return sum(found) / len(found) if found else topic.favour


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
