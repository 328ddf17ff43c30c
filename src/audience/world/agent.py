"""An agent's state, how each event folds into it, and the table of all agents."""

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

HUMAN = "human"
"""The voice of what a human player wrote or said."""
INBOX = 20
HEARD = 20
LONGEST = 2_000
"""Characters of a message that an inbox keeps; only the platform writes longer ones."""
START_SATISFACTION = 0.5
HABITUAL = 0.5
"""Weight of the newest visit in the moving average of satisfaction."""
SAVED = 20
"""The most items that an agent keeps for later; the oldest are dropped."""
LONGEST_VISIT = 1_000_000
"""More turns, pages and posts than a visit may have."""
PASSED = 100
"""Messages on topics that an agent remembers having forwarded."""


class Lived(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An item that an agent watched: how much of it, and how it was liked."""

    item: int
    at: int
    fraction: float
    stars: int = 0
    feeling: str = ""


class Heard(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What someone said about an item, -1 to 1."""

    item: int
    who: int
    stance: float


class Situation(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where the agent is within its visit."""

    at: int = 0
    surface: str = ""
    """`home`, `recommender`, `search`, `social`, `news`, `conversation`, `together`, or empty."""
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
    """Why each item of the slate is shown, where the recommender gives reasons."""
    searched: str = ""
    """The words last searched for in this visit."""


NOWHERE = Situation()
_SHIFT = 20
_COUNT = (1 << _SHIFT) - 1


class Agent(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A simulated person as of now. Changed only by `World.apply`."""

    profile: Profile
    taste: bytes
    situation: Situation = NOWHERE
    history: tuple[Lived, ...] = ()
    heard: tuple[Heard, ...] = ()
    inbox: tuple[Message, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    satisfaction: float = START_SATISFACTION
    visits: int = 0
    thoughts_had: int = 0
    """The number of thoughts so far, which is the id of the next one."""
    brewing: float = 0.0
    """Importance accumulated in long-term memory since the last reflection."""
    pool: tuple[Message, ...] = ()
    """The most influential messages on topics; see world/topics.py."""
    passed: tuple[str, ...] = ()
    """Roots of the messages on topics that it wrote or forwarded."""
    saved: tuple[int, ...] = ()
    """Items kept for later, the newest last, until they are watched."""
    came: int = 0
    """The round of the last visit, shifted, plus the number of visits in that round so far."""

    @property
    def numbered(self) -> int:
        """Where the numbers of this visit begin: after those of earlier ones in the round.

        Turns, pages and posts are named by round, person and number, and names must not repeat.
        """
        return max((self.came & _COUNT) - 1, 0) * LONGEST_VISIT

    def lived_now(self) -> tuple[Lived, ...]:
        """Return what was watched in this visit."""
        picks = self.situation.picks
        return self.history[-picks:] if picks else ()


class Laws(msgspec.Struct, frozen=True):
    """What a fold needs besides the agent and the event."""

    catalogue: Catalogue
    drift: float
    topics: tuple[Topic, ...] = ()
    round: int = 0


def _woke(me: Agent, event: e.Woke, laws: Laws) -> Agent:
    begin = laws.round << _SHIFT
    came = me.came + 1 if me.came > begin > 0 else begin + 1
    return replace(me, situation=Situation(event.at, "home"), visits=me.visits + 1, came=came)


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
        searched=now.searched,
    )
    return replace(me, situation=here)


def _slate_annotated(me: Agent, event: e.SlateAnnotated, laws: Laws) -> Agent:
    if not event.reasons:
        return me
    return replace(me, situation=replace(me.situation, reasons=event.reasons))


def _watched(me: Agent, event: e.Watched, laws: Laws) -> Agent:
    now, item = me.situation, event.item
    here = replace(now, picks=now.picks + 1, quality=now.quality + laws.catalogue[item].quality)
    me = replace(
        me,
        situation=here,
        history=(*me.history, Lived(item, now.at, event.fraction)),
        taste=drifted(me.taste, laws.catalogue.tags_of[item], event.fraction, laws.drift),
    )
    if item in me.saved:
        return replace(me, saved=tuple([kept for kept in me.saved if kept != item]))
    return me


def _saved(me: Agent, event: e.Saved, laws: Laws) -> Agent:
    return replace(me, saved=(*me.saved, event.item)[-SAVED:])


def _annotated(me: Agent, item: int, **what: Any) -> Agent:  # noqa: ANN401
    for back in range(1, len(me.history) + 1):
        lived = me.history[-back]
        if lived.item == item:
            after = me.history[len(me.history) - back + 1 :]
            return replace(me, history=(*me.history[:-back], replace(lived, **what), *after))
    return me


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
    return with_letter(me, *letter_of(event))


def letter_of(event: e.Delivered) -> tuple[Message, tuple[Heard, ...]]:
    """Return a message that is not on a topic, and what its readers hear: the same for all."""
    text = event.text if len(event.text) <= LONGEST else event.text[:LONGEST] + "…"
    author, items, stance = event.author, event.items, event.stance
    message = Message(event.post, author, text, items, stance, voice=event.voice)
    return message, tuple(Heard(item, author, stance) for item in items)


def with_letter(me: Agent, message: Message, news: tuple[Heard, ...]) -> Agent:
    """Return the agent with a message in its inbox."""
    heard = (me.heard + news)[-HEARD:] if news else me.heard
    return replace(me, inbox=received(me.inbox, message), heard=heard)


def with_news(me: Agent, event: e.Delivered, laws: Laws, trust: float) -> Agent:
    """Return the agent with a message on a topic in its inbox and in its memory pool."""
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
        event.voice,
    )
    pool = pooled(me.pool, message, laws.round, topic)
    return replace(me, inbox=received(me.inbox, message), pool=pool)


def received(inbox: tuple[Message, ...], message: Message) -> tuple[Message, ...]:
    """Return an inbox with one more message; the oldest goes, but none that a human wrote."""
    if len(inbox) < INBOX:
        return (*inbox, message)
    oldest = next((place for place, old in enumerate(inbox) if old.voice != HUMAN), 0)
    return (*inbox[:oldest], *inbox[oldest + 1 :], message)


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


def _remembered(me: Agent, event: e.Remembered, laws: Laws) -> Agent:
    if event.store == "sensory":
        return replace(me, thoughts_had=max(me.thoughts_had, event.thought + 1))
    return with_thought(me, arisen(event), brewing=event.weight if event.store == "long" else 0.0)


def _settled(me: Agent, event: e.Settled, laws: Laws) -> Agent:
    moved = next((thought for thought in me.thoughts if thought.id == event.thought), None)
    if moved is None or moved.store == "long":
        return me
    rest = without(me.thoughts, (event.thought,))
    thoughts = (*rest, replace(moved, store="long"))
    return replace(me, thoughts=thoughts, brewing=me.brewing + moved.weight)


def _reflected(me: Agent, event: e.Reflected, laws: Laws) -> Agent:
    if event.kind == "reflection":
        return replace(with_thought(me, arising(event)), brewing=0.0)
    return with_thought(me, arising(event), brewing=event.weight)


def _merged(me: Agent, event: e.Merged, laws: Laws) -> Agent:
    merged = [thought for thought in me.thoughts if thought.id in event.sources]
    sources = (*event.sources, *(source for thought in merged for source in thought.sources))
    thought = replace(arising(event), sources=tuple(dict.fromkeys(sources)))
    return with_thought(replace(me, thoughts=without(me.thoughts, event.sources)), thought)


def with_thought(me: Agent, thought: Thought, *, brewing: float = 0.0) -> Agent:
    """Return the agent with a thought added."""
    return replace(
        me,
        thoughts=(*me.thoughts, thought),
        thoughts_had=max(me.thoughts_had, thought.id + 1),
        brewing=me.brewing + brewing,
    )


FOLDS: dict[type, Callable[[Agent, Any, Laws], Agent]] = {
    e.Woke: _woke,
    e.Entered: _entered,
    e.SlateShown: _shown,
    e.SlateAnnotated: _slate_annotated,
    e.Searched: lambda me, event, laws: replace(
        me, situation=replace(me.situation, searched=event.query)
    ),
    e.Watched: _watched,
    e.Rated: lambda me, event, laws: _annotated(me, event.item, stars=event.stars),
    e.Felt: lambda me, event, laws: _annotated(me, event.item, feeling=event.text),
    e.Saved: _saved,
    e.Posted: _posted,
    e.Forwarded: _posted,
    e.Said: _said,
    e.Delivered: _delivered,
    e.Left: _left,
    e.Gathered: _gathered,
    e.Parted: _parted,
    e.Recalled: lambda me, event, laws: replace(
        me, thoughts=thoughts.recalled(me.thoughts, event.thoughts, event.at)
    ),
    e.Remembered: _remembered,
    e.Enhanced: lambda me, event, laws: replace(
        me, thoughts=thoughts.enhanced(me.thoughts, event.thought, event.by)
    ),
    e.Settled: _settled,
    e.Reflected: _reflected,
    e.Merged: _merged,
    e.Forgot: lambda me, event, laws: replace(me, thoughts=without(me.thoughts, (event.thought,))),
    e.TasteShifted: lambda me, event, laws: replace(
        me, taste=shifted(me.taste, event.tag, event.by)
    ),
}


def fold_agent(me: Agent, event: e.AnyEvent, laws: Laws) -> Agent:
    """Return the agent after an event that concerns it. Pure."""
    fold = FOLDS.get(type(event))
    return fold(me, event, laws) if fold else me


class AgentTable(Sequence[Agent]):
    """All agents by id. One that never acted is built from its profile on access."""

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
        changed = self.changed.get(agent)
        if changed is not None:
            return changed
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
            owners = np.array([past.agent for past in self._past], np.int32)
            self._order = np.argsort(owners, kind="stable")
            self._starts = np.searchsorted(owners[self._order], np.arange(len(self._profiles) + 1))
        rows = self._order[self._starts[agent] : self._starts[agent + 1]].tolist()
        past = [self._past[row] for row in rows]
        return tuple([Lived(entry.item, entry.at, entry.fraction, entry.stars) for entry in past])

    def add(self, agent: Agent) -> None:
        self.changed[agent.profile.id] = agent
        self._added += 1
