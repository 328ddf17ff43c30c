"""The world: all that is true now, its read-only view, and how events fold into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from msgspec import convert, to_builtins
from msgspec.structs import replace
from numpy.typing import NDArray

from audience.world import changes as c, events as e
from audience.world.agent import (
    FOLDS,
    Agent,
    AgentTable,
    Laws,
    letter_of,
    with_letter,
    with_news,
    with_thought,
)
from audience.world.genesis import Genesis
from audience.world.graph import SocialGraph, Tie
from audience.world.impressions import Impressions
from audience.world.interactions import Interactions
from audience.world.items import Catalogue
from audience.world.profile import Profile, taste_of
from audience.world.randomness import Floats, Ints
from audience.world.shared_changes import SharedChanges, gathered
from audience.world.thoughts import Thought
from audience.world.topics import MUTUAL, ONE_WAY, RECOMMENDED, Spread, SpreadView, sent

TALKED, PASSED_ON, READ = 1.0, 0.5, 0.25
"""Weights of contacts: a line said or heard or an evening together, a message forwarded, a message
read."""


class GraphView(Protocol):
    """A read-only social graph."""

    def ties(self, agent: int) -> tuple[Tie, ...]: ...
    def neighbours(self, agent: int) -> tuple[int, ...]: ...
    def followers(self, agent: int) -> tuple[int, ...]: ...
    def tie(self, agent: int, other: int) -> Tie | None: ...
    def __len__(self) -> int: ...


class View(Protocol):
    """A read-only world, for everything but the fold."""

    @property
    def genesis(self) -> Genesis: ...
    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def agents(self) -> Sequence[Agent]: ...
    @property
    def graph(self) -> GraphView: ...
    def profile(self, agent: int) -> Profile: ...
    @property
    def round(self) -> int: ...
    @property
    def now(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def silent(self) -> frozenset[int]: ...
    @property
    def recommender(self) -> c.SwapRecommender | None: ...
    @property
    def spread(self) -> SpreadView: ...


class World:
    """All that is true now."""

    def __init__(self, genesis: Genesis) -> None:
        people = len(genesis.profiles)
        self.genesis = genesis
        self.catalogue = genesis.catalogue
        self.agents = AgentTable(genesis)
        self.graph = SocialGraph(genesis.ties)
        self.interactions = Interactions(genesis.catalogue, people, genesis.past, self.graph)
        self.impressions = Impressions()
        self.round = 0
        self.now = 0
        self.seed = 0
        self.silent: frozenset[int] = frozenset()
        self.recommender: c.SwapRecommender | None = None
        self.fitted: tuple[int, e.RecommenderFitted] | None = None
        self.fitted_shown = 0
        """How many impressions the last fit knew."""
        self.outbox: list[e.Posted | e.Forwarded] = []
        self.wishes: list[e.Wished] = []
        self.tie_changes: list[e.Followed | e.Unfollowed] = []
        self.contacts: list[tuple[int, int, float]] = []
        # Shared state that visits read changes only when the round ends: visits must not see each
        # other, whatever the order of their commits.
        self.activity: Floats = np.array([p.activity for p in genesis.profiles], np.float64)
        self.satisfaction: Floats = np.full(people, 0.5)
        self.last_visit: NDArray[np.int32] = np.zeros(people, np.int32)
        self.came_at: Ints = np.full(people, genesis.clock.at(1), np.int64)
        """When everybody was here last, or when they could come for the first time."""
        self.spread = Spread(people)
        self.laws = Laws(genesis.catalogue, 0.0)

    def apply(self, event: e.AnyEvent) -> None:
        """Apply one event."""
        kind = type(event)
        if kind in _OWN:
            me = event.agent  # type: ignore[union-attr]
            self.agents[me] = FOLDS[kind](self.agents[me], event, self.laws)
        shared = _SHARED.get(kind)
        if shared is not None:
            shared(self, event)

    def apply_all(self, entries: Sequence[e.Entry]) -> None:
        """Apply entries in order, as `apply` does one by one, but store each agent only once."""
        agents, who = self.agents, -1
        me: Agent | None = None
        for entry in entries:
            event: Any = entry.event
            kind = type(event)
            if kind in _OWN:
                if me is None or event.agent != who:
                    if me is not None:
                        agents[who] = me
                    who = event.agent
                    me = agents[who]
                me = FOLDS[kind](me, event, self.laws)
            shared = _SHARED.get(kind)
            if shared is not None:
                if me is not None and kind not in _ALOOF:
                    agents[who], me = me, None
                shared(self, event)
        if me is not None:
            agents[who] = me

    def profile(self, agent: int) -> Profile:
        """Return a person's profile, without building an agent for one who never acted."""
        changed = self.agents.changed.get(agent)
        return self.genesis.profiles[agent] if changed is None else changed.profile

    def profiles(self) -> list[Profile]:
        """Return everybody's profile."""
        added = range(len(self.genesis.profiles), len(self.agents))
        profiles = [*self.genesis.profiles, *(self.agents[who].profile for who in added)]
        for who, me in self.agents.changed.items():
            profiles[who] = me.profile
        return profiles

    def absorb(self, me: Agent, entries: Sequence[e.Entry]) -> None:
        """Apply a visit whose own agent has been folded already."""
        self.agents[me.profile.id] = me
        for entry in entries:
            shared = _SHARED.get(type(entry.event))
            if shared is not None:
                shared(self, entry.event)

    def shared_changes(self, visits: Iterable[tuple[Agent, Sequence[e.Entry]]]) -> SharedChanges:
        """Return what `absorb` would change besides the agents, to be applied elsewhere."""
        return gathered(visits, self.catalogue, self.now, _SHARED)

    def share(self, changes: SharedChanges) -> None:
        """Apply what visits changed besides their agents."""
        visitors, at = changes.visitors()
        self.last_visit[visitors] = self.round
        self.came_at[visitors] = at
        self.impressions.extend(changes.impressions, self.impressions.count)
        self.interactions.extend(changes.interactions)
        who, satisfaction = changes.satisfied()
        self.satisfaction[who] = satisfaction
        for event in changes.others:
            _SHARED[type(event)](self, event)


def _run_started(world: World, event: e.RunStarted) -> None:
    world.seed = event.seed
    world.laws = replace(world.laws, drift=event.drift)


def _round_started(world: World, event: e.RoundStarted) -> None:
    world.round = world.graph.round = event.round
    world.laws = replace(world.laws, round=event.round)
    world.now = event.at


def _ties_enlivened(world: World, event: e.TiesEnlivened) -> None:
    world.graph.grow, world.graph.fade = event.grow, event.fade


def _woke(world: World, event: e.Woke) -> None:
    world.last_visit[event.agent] = world.round
    world.came_at[event.agent] = event.at


def _shown(world: World, event: e.SlateShown) -> None:
    searched = event.surface == "search"
    world.impressions.show(event.agent, event.items, world.now, searched=searched)


def _posted(world: World, event: e.Posted | e.Forwarded) -> None:
    world.outbox.append(event)
    if event.topic >= 0:
        world.spread.reach(event.topic, (event.agent,), world.round)
    if world.graph.grow and isinstance(event, e.Forwarded):
        world.contacts.append((event.agent, event.author, PASSED_ON))


def _said(world: World, event: e.Said) -> None:
    world.agents[event.to] = FOLDS[e.Said](world.agents[event.to], event, world.laws)
    if world.graph.grow:
        speaker, listener = event.agent, event.to
        world.contacts += ((speaker, listener, TALKED), (listener, speaker, TALKED))


def _delivered(world: World, event: e.Delivered) -> None:
    if event.topic >= 0:
        _news_delivered(world, event)
        return
    agents, letter = world.agents, letter_of(event)
    for reader in event.to:
        agents[reader] = with_letter(agents[reader], *letter)
    _, sender = sent(event.post)
    if world.graph.grow and sender >= 0:
        world.contacts += [(reader, sender, READ) for reader in event.to]


def _left(world: World, event: e.Left) -> None:
    world.satisfaction[event.agent] = world.agents[event.agent].satisfaction


def _gathered(world: World, event: e.Gathered) -> None:
    fold = FOLDS[e.Gathered]
    for member in event.members:
        world.agents[member] = fold(world.agents[member], event, world.laws)
        world.came_at[member] = event.at


def _parted(world: World, event: e.Parted) -> None:
    world.satisfaction[event.agent] = world.agents[event.agent].satisfaction
    if world.graph.grow:
        world.contacts += [(event.agent, other, TALKED) for other in event.company]


def _rated(world: World, event: e.Rated) -> None:
    world.interactions.rate(event.agent, event.item, event.stars)


def _fitted(world: World, event: e.RecommenderFitted) -> None:
    world.fitted = (world.round, event)
    world.fitted_shown = world.impressions.count


def _round_ended(world: World, event: e.RoundEnded) -> None:
    world.spread.calm(world.seed, event.round)
    for agent, other, weight in world.contacts:
        world.graph.meet(agent, other, weight)
    world.contacts.clear()
    for change in world.tie_changes:
        if isinstance(change, e.Followed):
            world.graph.add(change.agent, change.who, change.kind, 0.2)
        else:
            world.graph.cut(change.agent, change.who)
    world.tie_changes.clear()
    world.outbox.clear()
    world.wishes.clear()


def _news_delivered(world: World, event: e.Delivered) -> None:
    """Deliver a message on a topic; how much each reader trusts it follows from their tie."""
    agents, laws, sender = world.agents, world.laws, event.sender
    followed = set(world.graph.neighbours(sender)) if sender >= 0 else ()
    otherwise = ONE_WAY if sender >= 0 else RECOMMENDED
    for reader in event.to:
        trust = MUTUAL if reader in followed else otherwise
        agents[reader] = with_news(agents[reader], event, laws, trust)
    world.spread.reach(event.topic, event.to, world.round)
    world.spread.unread[event.topic, list(event.to)] = 1


def _entered(world: World, event: e.Entered) -> None:
    if event.surface == "news":
        world.spread.open(event.agent, world.round)


def _mood_shifted(world: World, event: e.MoodShifted) -> None:
    world.spread.level[event.topic, event.agent] = event.level


def _attitude_shifted(world: World, event: e.AttitudeShifted) -> None:
    world.spread.stance[event.topic, event.agent] = event.stance


def _raise(world: World, change: c.Raise) -> None:
    if change.topic in world.spread.topics:  # raised again: a second wave of the same topic
        return
    everybody = [world.profile(agent) for agent in range(len(world.agents))]
    world.spread.begin(change.topic, world.seed, everybody)
    world.laws = replace(world.laws, topics=world.spread.topics)


def _intervened(world: World, event: e.Intervened) -> None:
    """Apply a change from outside; announcements only cause a later Delivered."""
    apply = _CHANGES.get(type(event.change))
    if apply is not None:
        apply(world, event.change)


def _add_item(world: World, change: c.AddItem) -> None:
    world.catalogue = world.catalogue.plus(change.item)
    world.interactions.catalogue = world.catalogue
    world.laws = replace(world.laws, catalogue=world.catalogue)


def _swap(world: World, change: c.SwapRecommender) -> None:
    world.recommender = change


def _silence(world: World, change: c.Silence) -> None:
    agent = {change.agent}
    world.silent = world.silent | agent if change.silent else world.silent - agent


def _remind(world: World, change: c.Remind) -> None:
    me = world.agents[change.agent]
    thought = Thought(me.thoughts_had, change.text, change.weight, world.now, "reminder")
    world.agents[change.agent] = with_thought(me, thought, brewing=change.weight)


def _change_profile(world: World, change: c.ChangeProfile) -> None:
    agent, fields = change.agent, change.fields
    if "interests" in fields:
        fields = {"leaning": ()} | fields
    me = world.agents[agent]
    profile = convert(to_builtins(me.profile) | fields, type(me.profile), strict=False)
    taste = taste_of(profile, world.catalogue.tag_ids) if "interests" in fields else me.taste
    world.agents[agent] = replace(me, profile=profile, taste=taste)
    world.activity[agent] = profile.activity


def _add_person(world: World, change: c.AddPerson) -> None:
    profile = change.profile
    world.agents.add(Agent(profile, taste_of(profile, world.catalogue.tag_ids)))
    world.interactions.people = len(world.agents)
    world.activity = np.append(world.activity, profile.activity)
    world.satisfaction = np.append(world.satisfaction, 0.5)
    world.last_visit = np.append(world.last_visit, np.int32(0))
    world.came_at = np.append(world.came_at, world.now)
    world.spread.grow(world.seed, profile)
    for friend in change.friends:
        world.graph.add(profile.id, friend, "friend", 0.5)
        world.graph.add(friend, profile.id, "friend", 0.5)


_CHANGES: dict[type, Callable[[World, Any], None]] = {
    c.AddItem: _add_item,
    c.AddPerson: _add_person,
    c.AddTie: lambda world, tie: world.graph.add(tie.agent, tie.other, tie.kind, tie.closeness),
    c.ChangeProfile: _change_profile,
    c.CutTie: lambda world, tie: world.graph.cut(tie.agent, tie.other),
    c.Raise: _raise,
    c.Remind: _remind,
    c.Silence: _silence,
    c.SwapRecommender: _swap,
}


_OWN = frozenset(FOLDS) - {e.Said, e.Delivered, e.Gathered}
_SHARED: dict[type, Callable[[World, Any], None]] = {
    e.RunStarted: _run_started,
    e.RoundStarted: _round_started,
    e.Woke: _woke,
    e.Entered: _entered,
    e.SlateShown: _shown,
    e.Picked: lambda world, picked: world.impressions.pick(picked.agent, picked.item),
    e.Watched: lambda world, watched: world.interactions.add(
        watched.agent, watched.item, world.now, watched.fraction
    ),
    e.Rated: _rated,
    e.Posted: _posted,
    e.Forwarded: _posted,
    e.Wished: lambda world, wish: world.wishes.append(wish),
    e.Said: _said,
    e.Delivered: _delivered,
    e.Followed: lambda world, followed: world.tie_changes.append(followed),
    e.Unfollowed: lambda world, unfollowed: world.tie_changes.append(unfollowed),
    e.Left: _left,
    e.Gathered: _gathered,
    e.Parted: _parted,
    e.MoodShifted: _mood_shifted,
    e.AttitudeShifted: _attitude_shifted,
    e.RecommenderFitted: _fitted,
    e.Intervened: _intervened,
    e.RoundEnded: _round_ended,
    e.TiesEnlivened: _ties_enlivened,
}
_ALOOF = frozenset(
    {
        e.Woke,
        e.Entered,
        e.SlateShown,
        e.Picked,
        e.Watched,
        e.Rated,
        e.Posted,
        e.Forwarded,
        e.Wished,
        e.Followed,
        e.Unfollowed,
        e.MoodShifted,
        e.AttitudeShifted,
    }
)
"""Events whose effect on what is shared neither reads nor changes an agent."""
