"""Topics and messages: their ids and influence, and how topics spread through an audience."""

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
    """Return the id of a message: its round, its sender and its number among the sender's."""
    return f"{round_}.{'system' if sender == SYSTEM else sender}.{number}"


def sent(post: str) -> tuple[int, int]:
    """Return the round in which a message was sent and its sender, -1 for the platform."""
    round_, _, rest = post.partition(".")
    sender = rest.partition(".")[0]
    number = int(round_) if round_.isdecimal() else 0
    return number, int(sender) if sender.isdecimal() else SYSTEM


CALM, MODERATE, INTENSE = range(3)
LEVELS = ("calm", "moderate", "intense")
OWN, MUTUAL, ONE_WAY, RECOMMENDED = 1.0, 0.8, 0.6, 0.4
"""How much a message is trusted by its source: the reader, someone who follows them back, someone
they only follow, or the platform."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_OLD = 1000
"""Rounds after which a message's freshness is 0."""
_STEM = 6
"""Letters by which words are compared, so that `judge` and `judges` are the same."""
_COMMON = frozenset(
    "about after all also and are because been before being but can could did does for from had "
    "has have her his how into its just more most not now one only our out over said she some "
    "than that the their them then there they this those very was were what when where which who "
    "why will with would you your".split()
)


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of news that people may hear of, feel something about and have an opinion on."""

    name: str
    text: str
    """The first message."""
    about: str = ""
    """What it is, in a sentence or two, known to everyone who has heard of it."""
    appeals: tuple[str, ...] = ()
    """Interests, traits and careers it appeals to; they count as words of its messages."""
    favour: float = 0.5
    """Share of people who initially support it."""
    favour_of: dict[str, float] = {}
    """The same for a gender, career, trait or interest; the mean where several match."""
    decay: float = 0.3
    """Chance per round that someone without news calms down by one level."""
    half_life: float = 3.0
    """Rounds after which the freshness of a message halves."""
    keep: int = 10
    """Messages that an agent's memory pool keeps."""


class Message(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A post in an inbox or, if on a topic, in a memory pool."""

    post: str
    author: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    topic: int = -1
    sender: int = -1
    """Who wrote or forwarded it."""
    root: str = ""
    round: int = 0
    trust: float = 0.0
    """How much it is trusted, by its sender."""
    relevance: float = 0.0
    """How much it concerns its reader, 0 to 1."""
    voice: str = ""
    """Who worded it; see events.Felt."""


def influence(message: Message, round_: int, half_life: float) -> float:
    """Return the weight of a message now, 0 to 1: the mean of freshness, relevance and trust."""
    return _influence(message, round_, _freshness(half_life)) / 3.0


def _influence(message: Message, round_: int, freshness: tuple[float, ...]) -> float:
    age = round_ - message.round
    return (freshness[age] if age < _OLD else 0.0) + message.relevance + message.trust


@lru_cache(maxsize=64)
def _freshness(half_life: float) -> tuple[float, ...]:
    """Return the freshness of a message by its age in rounds."""
    return tuple(float(0.5 ** (age / half_life)) for age in range(_OLD))


def pooled(
    pool: tuple[Message, ...], message: Message, round_: int, topic: Topic
) -> tuple[Message, ...]:
    """Return a memory pool with a message added, reduced to the most influential, in order.

    A message heard again replaces the earlier one and keeps the most trusted source.
    """
    for place, old in enumerate(pool):
        if old.root == message.root:
            if old.trust > message.trust:
                message = msgspec.structs.replace(message, trust=old.trust, sender=old.sender)
            return (*pool[:place], *pool[place + 1 :], message)
    kept = (*pool, message)
    if len(kept) <= topic.keep:
        return kept
    freshness = _freshness(topic.half_life)
    scores = [_influence(candidate, round_, freshness) for candidate in kept]
    least = scores.index(min(scores))
    return (*kept[:least], *kept[least + 1 :])


def relevance(profile: Profile, topic: Topic, text: str) -> float:
    """Return the cosine similarity of a profile and a message, each as a set of words."""
    theirs = _message_words(text, topic.about, topic.appeals)
    mine = attributes(profile.interests, profile.traits, profile.career, profile.gender)
    if not theirs or not mine:
        return 0.0
    return float(len(theirs & mine) / (len(theirs) * len(mine)) ** 0.5)


@lru_cache(maxsize=4096)
def _message_words(text: str, about: str, appeals: tuple[str, ...]) -> frozenset[str]:
    return words_of(" ".join((text, about, *appeals)))


@lru_cache(maxsize=65536)
def attributes(
    interests: Sequence[str], traits: Sequence[str], career: str, gender: str
) -> frozenset[str]:
    """Return the words of a profile."""
    return words_of(" ".join((*interests, *traits, career, gender)))


def words_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, without stop words."""
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower()) if word not in _COMMON)


def favoured(topic: Topic, profile: Profile) -> float:
    """Return the probability that a person initially supports a topic."""
    if not topic.favour_of:
        return topic.favour
    mine = {*profile.interests, *profile.traits, profile.career, profile.gender}
    shares = [share for word, share in topic.favour_of.items() if word in mine]
    return sum(shares) / len(shares) if shares else topic.favour


Small = NDArray[np.int8]
Rounds = NDArray[np.int32]
_COLUMNS = ("level", "stance", "leaning", "aware", "read", "unread")


class Standing(msgspec.Struct, frozen=True, gc=False):
    """What one person feels and thinks about one topic."""

    number: int
    topic: Topic
    level: int
    stance: int
    """-1 against, 1 for, 0 for no opinion yet."""
    leaning: int
    """The opinion that the profile suggests, -1 or 1."""
    aware: int
    """The round in which the person heard of it; 0: not yet."""


class SpreadView(Protocol):
    """A read-only view of `Spread`."""

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
    """The state of every topic for everybody: one row per topic, one column per person."""

    def __init__(self, people: int) -> None:
        self.people = people
        self.topics: tuple[Topic, ...] = ()
        self.level: Small = np.zeros((0, people), np.int8)
        self.stance: Small = np.zeros((0, people), np.int8)
        self.leaning: Small = np.zeros((0, people), np.int8)
        self.aware: Rounds = np.zeros((0, people), np.int32)
        self.read: Rounds = np.zeros((0, people), np.int32)
        """The round in which each person last read news of it."""
        self.unread: Small = np.zeros((0, people), np.int8)

    def standing(self, topic: int, agent: int) -> Standing:
        """Return what a person feels and thinks about a topic."""
        columns = (self.level, self.stance, self.leaning, self.aware)
        return Standing(
            topic, self.topics[topic], *(int(column[topic, agent]) for column in columns)
        )

    def waiting(self) -> Ints:
        """Return the people with unread news."""
        return np.flatnonzero(self.unread.any(axis=0))

    def begin(self, topic: Topic, seed: int, profiles: Sequence[Profile]) -> None:
        """Add a topic."""
        self.topics = (*self.topics, topic)
        for name in _COLUMNS:
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros((1, self.people), old.dtype)]))
        self._lean(len(self.topics) - 1, np.arange(self.people), seed, profiles)

    def _lean(self, number: int, who: Ints, seed: int, profiles: Sequence[Profile]) -> None:
        topic = self.topics[number]
        shares = (
            np.array([favoured(topic, profiles[person]) for person in who.tolist()])
            if topic.favour_of
            else np.full(len(who), topic.favour)
        )
        draws = dice(seed, "leaning", who, number).uniform("leaning")
        self.leaning[number, who] = np.where(draws < shares, 1, -1)

    def grow(self, seed: int, profile: Profile) -> None:
        """Add a person."""
        who = self.people
        self.people += 1
        for name in _COLUMNS:
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, 1))))
        for number in range(len(self.topics)):
            self._lean(number, np.array([who]), seed, {who: profile})  # type: ignore[arg-type]

    def reach(self, topic: int, agents: Sequence[int] | Ints, round_: int) -> None:
        """Note that people have heard of a topic."""
        heard = self.aware[topic]
        who = np.asarray(agents, np.int64)
        heard[who] = np.where(heard[who] == 0, round_, heard[who])

    def open(self, agent: int, round_: int) -> None:
        """Mark a person's news as read."""
        for number in range(len(self.topics)):
            if self.unread[number, agent]:
                self.read[number, agent] = round_
                self.unread[number, agent] = 0

    def calm(self, seed: int, round_: int) -> None:
        """End a round: people with an emotion but no news may calm down by one level."""
        for number, topic in enumerate(self.topics):
            who = np.flatnonzero((self.level[number] > 0) & (self.read[number] != round_))
            if len(who) and topic.decay:
                draws = dice(seed, "calm", who, round_, number).uniform("calm")
                self.level[number, who[draws < topic.decay]] -= 1

    def packed(self) -> tuple[bytes, ...]:
        """Return the columns as bytes, for a snapshot."""
        columns = (getattr(self, name) for name in _COLUMNS)
        return tuple(
            column.astype("<i4" if column.dtype == np.int32 else np.int8).tobytes()
            for column in columns
        )

    @classmethod
    def unpack(cls, topics: tuple[Topic, ...], people: int, packed: Sequence[bytes]) -> Spread:
        """Return the spread that `packed` stored."""
        spread = cls(people)
        spread.topics = topics
        for name, column in zip(_COLUMNS, packed, strict=True):
            kind = getattr(spread, name).dtype
            values = np.frombuffer(column, kind.newbyteorder("<"))
            setattr(spread, name, values.reshape(len(topics), people).astype(kind))
        return spread
