"""What one agent may know when it decides: nothing else reaches a mind."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from audience.world.actions import PAGE_SURFACES, PAGE_TURNS, NextPage, menu_of
from audience.world.agent import Agent, Situation
from audience.world.events import Said
from audience.world.genesis import Domain
from audience.world.items import Catalogue
from audience.world.topics import SYSTEM, Standing
from audience.world.world import View

STRANGERS = 2
"""The most strangers shown at once, which keeps prompts short."""
SURFACES = ("home", *PAGE_SURFACES, "social", "news", "conversation")
MENUS = {surface: menu_of(surface) for surface in SURFACES}
"""The actions possible on each surface."""
LAST_RESULTS = menu_of("search", without=(NextPage,))
LAST_PAGE = menu_of("recommender", without=PAGE_TURNS)


class Friend(msgspec.Struct, frozen=True, gc=False):
    """A person an agent may talk to."""

    id: int
    name: str
    kind: str
    closeness: float


class Observation(msgspec.Struct, frozen=True, gc=False):
    """One agent's view at one turn; the page is `me.situation.slate`, the inbox `me.inbox`."""

    me: Agent
    round: int
    turn: int
    surface: str
    menu: tuple[str, ...]
    catalogue: Catalogue
    """For looking up items on the page, watched or heard of; not for seeing what was not shown."""
    domain: Domain
    friends: tuple[Friend, ...] = ()
    """Those the agent may talk to, on the social surface and in conversations."""
    lines: tuple[Said, ...] = ()
    """The lines of the conversation so far."""
    at: int = 0
    """When a conversation takes place."""
    news: tuple[Standing, ...] = ()
    """What the agent feels and thinks about the topics of its inbox, on the news surface."""
    strangers: tuple[Friend, ...] = ()
    """Authors of the newest messages whom the agent does not follow, on the social surface."""

    @property
    def now(self) -> int:
        return self.at or self.me.situation.at


def observe(world: View, me: Agent, turn: int, menu: tuple[str, ...] = ()) -> Observation:
    """Return what `me` may know at this turn; the menu defaults to the surface's."""
    surface = me.situation.surface
    social = surface == "social"
    friends = friends_of(world, me) if social else ()
    strangers = _strangers(world, me, friends) if social and me.inbox else ()
    news = standings(world, me) if surface == "news" else ()
    shared = (world.catalogue, world.genesis.domain, friends)
    menu = menu or MENUS[surface]
    return Observation(
        me, world.round, turn, surface, menu, *shared, news=news, strangers=strangers
    )


def overhear(
    world: View, me: Agent, turn: int, other: Agent, lines: tuple[Said, ...], at: int
) -> Observation:
    """Return what `me` may know at this turn of a conversation with `other`."""
    shared = (world.catalogue, world.genesis.domain, (_friend(world, me, other.profile.id),))
    menu = MENUS["conversation"]
    return Observation(me, world.round, turn, "conversation", menu, *shared, lines, at)


def in_company(
    world: View, me: Agent, items: tuple[int, ...], others: Iterable[int], at: int
) -> Observation:
    """Return what `me` may know when choosing among items together with others."""
    me = replace(me, situation=Situation(at, "together", items, 0, 1, items))
    company = tuple(_friend(world, me, other) for other in others)
    shared = (world.catalogue, world.genesis.domain, company)
    return Observation(me, world.round, 0, "together", (), *shared)


def _friend(world: View, me: Agent, other: int) -> Friend:
    tie = world.graph.tie(me.profile.id, other)
    kind, closeness = (tie.kind, tie.closeness) if tie else ("", 0.0)
    return Friend(other, world.profile(other).name, kind, closeness)


def standings(world: View, me: Agent) -> tuple[Standing, ...]:
    """Return what `me` feels and thinks about each topic in its inbox, by topic id."""
    topics = sorted({message.topic for message in me.inbox if message.topic >= 0})
    return tuple([world.spread.standing(topic, me.profile.id) for topic in topics])


def _strangers(world: View, me: Agent, friends: tuple[Friend, ...]) -> tuple[Friend, ...]:
    near = {SYSTEM, me.profile.id, *(friend.id for friend in friends)}
    authors = dict.fromkeys(message.author for message in reversed(me.inbox))
    newest = [author for author in authors if author not in near][:STRANGERS]
    return tuple(Friend(author, world.profile(author).name, "", 0.0) for author in newest)


def friends_of(world: View, me: Agent) -> tuple[Friend, ...]:
    """Return those `me` follows."""
    named = world.profile
    return tuple(
        [
            Friend(tie.other, named(tie.other).name, tie.kind, tie.closeness)
            for tie in world.graph.ties(me.profile.id)
        ]
    )
