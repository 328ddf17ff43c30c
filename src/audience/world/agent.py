"""What remembering does to a person: the parts of its fold that memory needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.world import events as e, thoughts
from audience.world.genesis import Genesis
from audience.world.items import Catalogue
from audience.world.profile import Profile, drifted, shifted, taste_of
from audience.world.randomness import Ints
from audience.world.thoughts import Thought, arisen, arising, without
from audience.world.topics import OWN, Message, Topic, pooled, relevance


def recalled(me: Agent, event: e.Recalled, laws: Laws) -> Agent:
    return replace(me, thoughts=thoughts.recalled(me.thoughts, event.thoughts, event.at))


def remembered(me: Agent, event: e.Remembered, laws: Laws) -> Agent:
    if event.store == "sensory":
        return replace(me, thoughts_had=max(me.thoughts_had, event.thought + 1))
    return thinking(me, arisen(event), brewing=event.weight if event.store == "long" else 0.0)


def enhanced(me: Agent, event: e.Enhanced, laws: Laws) -> Agent:
    return replace(me, thoughts=thoughts.enhanced(me.thoughts, event.thought, event.by))


def settled(me: Agent, event: e.Settled, laws: Laws) -> Agent:
    moved = next((one for one in me.thoughts if one.id == event.thought), None)
    if moved is None or moved.store == "long":
        return me
    rest = without(me.thoughts, (event.thought,))
    settled = replace(moved, store="long")
    return replace(me, thoughts=(*rest, settled), brewing=me.brewing + moved.weight)


def reflected(me: Agent, event: e.Reflected, laws: Laws) -> Agent:
    if event.kind == "reflection":
        return replace(thinking(me, arising(event)), brewing=0.0)
    return thinking(me, arising(event), brewing=event.weight)


def merged(me: Agent, event: e.Merged, laws: Laws) -> Agent:
    merged = [one for one in me.thoughts if one.id in event.sources]
    sources = (*event.sources, *(source for one in merged for source in one.sources))
    thought = replace(arising(event), sources=tuple(dict.fromkeys(sources)))
    return thinking(replace(me, thoughts=without(me.thoughts, event.sources)), thought)


def forgot(me: Agent, event: e.Forgot, laws: Laws) -> Agent:
    return replace(me, thoughts=without(me.thoughts, (event.thought,)))


def thinking(me: Agent, thought: Thought, *, brewing: float = 0.0) -> Agent:
    """Return the agent with one more thought."""
    return replace(
        me,
        thoughts=(*me.thoughts, thought),
        thoughts_had=max(me.thoughts_had, thought.id + 1),
        brewing=me.brewing + brewing,
    )


INBOX = 20
HEARD = 20
LONGEST = 2_000
"""Characters of a message that an inbox keeps; only the platform can write longer ones."""
HABITUAL = 0.5
"""Share of the last satisfaction that a new one replaces."""
SAVED = 20
"""Items that somebody keeps for later at most; the oldest give way."""
PASSED = 100
"""Messages on topics that somebody remembers to have passed on."""


class Lived(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An item somebody took up: how much of it, and what was made of it."""

    item: int
    at: int
    fraction: float
    stars: int = 0
    feeling: str = ""


class Heard(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What somebody said of an item, -1 to 1."""

    item: int
    who: int
    stance: float


class Situation(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where somebody is inside its visit."""

    at: int = 0
    surface: str = ""
    """Where it is: nowhere, `home`, `recommender`, `search`, `social`, `news`, `conversation` or
    `together`."""
    slate: tuple[int, ...] = ()
    page: int = -1
    pages: int = 0
    """Pages seen in this visit."""
    shown: tuple[int, ...] = ()
    """Everything shown in this visit."""
    picks: int = 0
    quality: float = 0.0
    """Summed quality of what was picked in this visit."""
    posts: int = 0
    reasons: tuple[str, ...] = ()
    """Why each item of the slate is shown, where the recommender says so."""


NOWHERE = Situation()


class Agent(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A person now. Changed only by `World.apply`."""

    profile: Profile
    taste: bytes
    situation: Situation = NOWHERE
    history: tuple[Lived, ...] = ()
    heard: tuple[Heard, ...] = ()
    inbox: tuple[Message, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    satisfaction: float = 0.5
    visits: int = 0
    thoughts_had: int = 0
    """How many thoughts ever had an id; the next one gets this number."""
    brewing: float = 0.0
    """Importance gathered in long-term memory since the last reflection."""
    pool: tuple[Message, ...] = ()
    """The most influential messages on topics; see world/topics.py."""
    passed: tuple[str, ...] = ()
    """Roots of the messages on topics that it passed on or wrote."""
    saved: tuple[int, ...] = ()
    """Items kept for later, the newest last; what is taken up is kept no longer."""

    def lived_now(self) -> tuple[Lived, ...]:
        """Return what was taken up in this visit."""
        picks = self.situation.picks
        return self.history[-picks:] if picks else ()


class Laws(msgspec.Struct, frozen=True):
    """What a fold needs besides the agent and the event."""

    catalogue: Catalogue
    drift: float
    topics: tuple[Topic, ...] = ()
    round: int = 0


def _woke(me: Agent, event: e.Woke, laws: Laws) -> Agent:
    return replace(me, situation=Situation(event.at, "home"), visits=me.visits + 1)


def _entered(me: Agent, event: e.Entered, laws: Laws) -> Agent:
    here = replace(me.situation, surface=event.surface, slate=(), page=-1, reasons=())
    return replace(me, situation=here)


def _shown(me: Agent, event: e.SlateShown, laws: Laws) -> Agent:
    now = me.situation
    here = Situation(
        now.at,
        event.surface,
        event.items,
        event.page,
        now.pages + 1,
        now.shown + event.items,
        now.picks,
        now.quality,
        now.posts,
    )
    return replace(me, situation=here)


def _slate_annotated(me: Agent, event: e.SlateAnnotated, laws: Laws) -> Agent:
    if not event.reasons:
        return me
    return replace(me, situation=replace(me.situation, reasons=event.reasons))


def _watched(me: Agent, event: e.Watched, laws: Laws) -> Agent:
    now, item = me.situation, event.item
    here = replace(now, picks=now.picks + 1, quality=now.quality + laws.catalogue[item].quality)
    return replace(
        me,
        situation=here,
        history=(*me.history, Lived(item, now.at, event.fraction)),
        taste=drifted(me.taste, laws.catalogue.tags_of[item], event.fraction, laws.drift),
        saved=tuple([kept for kept in me.saved if kept != item]) if me.saved else (),
    )


def _saved(me: Agent, event: e.Saved, laws: Laws) -> Agent:
    return replace(me, saved=(*me.saved, event.item)[-SAVED:])


def _annotated(me: Agent, item: int, **what: Any) -> Agent:  # noqa: ANN401
    for back in range(1, len(me.history) + 1):
        lived = me.history[-back]
        if lived.item == item:
            after = me.history[len(me.history) - back + 1 :]
            return replace(me, history=(*me.history[:-back], replace(lived, **what), *after))
    return me


def _rated(me: Agent, event: e.Rated, laws: Laws) -> Agent:
    return _annotated(me, event.item, stars=event.stars)


def _felt(me: Agent, event: e.Felt, laws: Laws) -> Agent:
    return _annotated(me, event.item, feeling=event.text)


def _posted(me: Agent, event: e.Posted | e.Forwarded, laws: Laws) -> Agent:
    me = replace(me, situation=replace(me.situation, posts=me.situation.posts + 1))
    if event.topic < 0:
        return me
    if isinstance(event, e.Forwarded):
        return replace(me, passed=(*me.passed, event.root)[-PASSED:])
    topic, who = laws.topics[event.topic], me.profile
    near = relevance(who, topic, event.text)
    own = Message(event.post, who.id, event.text, event.items, event.stance, event.topic)
    own = replace(own, sender=who.id, root=event.post, round=laws.round, trust=OWN, relevance=near)
    pool = pooled(me.pool, own, laws.round, topic)
    return replace(me, pool=pool, passed=(*me.passed, event.post)[-PASSED:])


def _said(me: Agent, event: e.Said, laws: Laws) -> Agent:
    if event.to != me.profile.id:
        return me
    return _hearing(me, event.agent, event.items, event.stance)


def _hearing(me: Agent, who: int, items: tuple[int, ...], stance: float) -> Agent:
    if not items:
        return me
    news = tuple(Heard(item, who, stance) for item in items)
    return replace(me, heard=(me.heard + news)[-HEARD:])


def _delivered(me: Agent, event: e.Delivered, laws: Laws) -> Agent:
    text = event.text if len(event.text) <= LONGEST else event.text[:LONGEST] + "…"
    message = Message(event.post, event.author, text, event.items, event.stance)
    me = replace(me, inbox=(*me.inbox, message)[-INBOX:])
    return _hearing(me, event.author, event.items, event.stance)


def told(me: Agent, event: e.Delivered, laws: Laws, trust: float) -> Agent:
    """Return the agent with news of a topic in its inbox and in its memory pool."""
    topic = laws.topics[event.topic]
    message = Message(
        event.post,
        event.author,
        event.text,
        event.items,
        event.stance,
        event.topic,
        event.sender,
        event.root,
        laws.round,
        trust,
        relevance(me.profile, topic, event.text),
    )
    pool = pooled(me.pool, message, laws.round, topic)
    return replace(me, inbox=(*me.inbox, message)[-INBOX:], pool=pool)


def _left(me: Agent, event: e.Left, laws: Laws) -> Agent:
    satisfaction = me.satisfaction
    if event.satisfaction is not None:
        satisfaction += HABITUAL * (event.satisfaction - satisfaction)
    return replace(me, situation=NOWHERE, inbox=(), satisfaction=satisfaction)


def _gathered(me: Agent, event: e.Gathered, laws: Laws) -> Agent:
    shown = event.items
    return replace(me, situation=Situation(event.at, "together", shown, 0, 1, shown))


def _parted(me: Agent, event: e.Parted, laws: Laws) -> Agent:
    satisfaction = me.satisfaction + HABITUAL * (event.satisfaction - me.satisfaction)
    return replace(me, situation=NOWHERE, satisfaction=satisfaction)


def _taste_shifted(me: Agent, event: e.TasteShifted, laws: Laws) -> Agent:
    return replace(me, taste=shifted(me.taste, event.tag, event.by))


FOLDS: dict[type, Callable[[Agent, Any, Laws], Agent]] = {
    e.Woke: _woke,
    e.Entered: _entered,
    e.SlateShown: _shown,
    e.SlateAnnotated: _slate_annotated,
    e.Watched: _watched,
    e.Rated: _rated,
    e.Felt: _felt,
    e.Saved: _saved,
    e.Posted: _posted,
    e.Forwarded: _posted,
    e.Said: _said,
    e.Delivered: _delivered,
    e.Left: _left,
    e.Gathered: _gathered,
    e.Parted: _parted,
    e.Recalled: recalled,
    e.Remembered: remembered,
    e.Enhanced: enhanced,
    e.Settled: settled,
    e.Reflected: reflected,
    e.Merged: merged,
    e.Forgot: forgot,
    e.TasteShifted: _taste_shifted,
}


def fold_agent(me: Agent, event: e.AnyEvent, laws: Laws) -> Agent:
    """Return the agent after an event that concerns it. Pure."""
    fold = FOLDS.get(type(event))
    return fold(me, event, laws) if fold else me


class AgentTable(Sequence[Agent]):
    """Everybody by id. Somebody who never acted is made from its profile when looked at."""

    def __init__(self, genesis: Genesis) -> None:
        self._profiles = genesis.profiles
        self._tag_ids = genesis.catalogue.tag_ids
        self._past = genesis.past
        self._starts: Ints | None = None
        self.changed: dict[int, Agent] = {}
        self._added = 0

    def __len__(self) -> int:
        return len(self._profiles) + self._added

    def __getitem__(self, agent: int) -> Agent:  # type: ignore[override]
        found = self.changed.get(agent)
        if found is not None:
            return found
        if agent < 0 or agent >= len(self._profiles):
            raise IndexError(agent)
        profile = self._profiles[agent]
        taste = taste_of(profile, self._tag_ids)
        return Agent(profile, taste, history=self._lived(agent) if self._past else ())

    def __setitem__(self, agent: int, value: Agent) -> None:
        self.changed[agent] = value

    def __iter__(self) -> Iterator[Agent]:
        return (self[agent] for agent in range(len(self)))

    def _lived(self, agent: int) -> tuple[Lived, ...]:
        if self._starts is None:
            owners = np.fromiter((one.agent for one in self._past), np.int64, len(self._past))
            self._order = np.argsort(owners, kind="stable")
            self._starts = np.searchsorted(owners[self._order], np.arange(len(self._profiles) + 1))
        rows = self._order[self._starts[agent] : self._starts[agent + 1]].tolist()
        past = [self._past[row] for row in rows]
        return tuple(Lived(one.item, one.at, one.fraction, one.stars) for one in past)

    def add(self, agent: Agent) -> None:
        self.changed[agent.profile.id] = agent
        self._added += 1
