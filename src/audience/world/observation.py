"""All that one agent may know when it decides. Nothing else reaches a mind."""

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
"""Of so many strangers at most one thinks at once; the prompts of models stay short."""
SURFACES = ("home", *PAGE_SURFACES, "social", "news", "conversation")
MENUS = {surface: menu_of(surface) for surface in SURFACES}
"""What can be attempted on each surface."""
LAST_RESULTS = menu_of("search", without=(NextPage,))
LAST_PAGE = menu_of("recommender", without=PAGE_TURNS)


class Friend(msgspec.Struct, frozen=True, gc=False):
    """Somebody an agent may talk to."""

    id: int
    name: str
    kind: str
    closeness: float


class Observation(msgspec.Struct, frozen=True, gc=False):
    """One agent's view at one turn. The page is `me.situation.slate`, the inbox `me.inbox`."""

    me: Agent
    round: int
    turn: int
    surface: str
    menu: tuple[str, ...]
    catalogue: Catalogue
    """To look up what is on the page, was lived or heard of; not to see what was not shown."""
    domain: Domain
    friends: tuple[Friend, ...] = ()
    """Those one may talk to; given on the social surface and in conversations."""
    lines: tuple[Said, ...] = ()
    """What was said so far in this conversation."""
    at: int = 0
    """When a conversation takes place."""
    news: tuple[Standing, ...] = ()
    """How the topics of the inbox stand with one; given on the news surface."""
    strangers: tuple[Friend, ...] = ()
    """Authors of the newest messages whom one does not listen to; on the social surface."""

    @property
    def now(self) -> int:
        return self.at or self.me.situation.at


def observe(world: View, me: Agent, turn: int, menu: tuple[str, ...] = ()) -> Observation:
    """Return all that `me` may know at this turn; the menu is the surface's unless given."""
    surface = me.situation.surface
    social = surface == "social"
    friends = friends_of(world, me) if social else ()
    strangers = _strangers(world, me, friends) if social and me.inbox else ()
    news = standings(world, me) if surface == "news" else ()
    return Observation(
        me,
        world.round,
        turn,
        surface,
        menu or MENUS[surface],
        world.catalogue,
        world.genesis.domain,
        friends,
        news=news,
        strangers=strangers,
    )


def overhear(
    world: View, me: Agent, turn: int, other: Agent, lines: tuple[Said, ...]
) -> Observation:
    """Return all that `me` may know at this turn of a conversation with `other`."""
    friend = _friend(world, me, other.profile.id)
    menu = MENUS["conversation"]
    return Observation(
        me,
        world.round,
        turn,
        "conversation",
        menu,
        world.catalogue,
        world.genesis.domain,
        (friend,),
        lines,
        world.genesis.clock.at(world.round, 1.0),
    )


def in_company(
    world: View, me: Agent, items: tuple[int, ...], others: Iterable[int], at: int
) -> Observation:
    """Return all that `me` may know when it is to choose with others among some items."""
    here = Situation(at, "together", items, 0, 1, items)
    company = tuple(_friend(world, me, other) for other in others)
    return Observation(
        replace(me, situation=here),
        world.round,
        0,
        "together",
        (),
        world.catalogue,
        world.genesis.domain,
        company,
    )


def _friend(world: View, me: Agent, other: int) -> Friend:
    tie = world.graph.tie(me.profile.id, other)
    kind, closeness = (tie.kind, tie.closeness) if tie else ("", 0.0)
    return Friend(other, world.profile(other).name, kind, closeness)


def standings(world: View, me: Agent) -> tuple[Standing, ...]:
    """Return how the topics stand with `me` of which there is news, in the order of their ids."""
    topics = sorted({message.topic for message in me.inbox if message.topic >= 0})
    return tuple([world.spread.standing(topic, me.profile.id) for topic in topics])


def _strangers(world: View, me: Agent, friends: tuple[Friend, ...]) -> tuple[Friend, ...]:
    near = {SYSTEM, me.profile.id, *(friend.id for friend in friends)}
    authors = dict.fromkeys(message.author for message in reversed(me.inbox))
    newest = [author for author in authors if author not in near][:STRANGERS]
    return tuple(Friend(author, world.profile(author).name, "", 0.0) for author in newest)


def friends_of(world: View, me: Agent) -> tuple[Friend, ...]:
    """Return those `me` listens to, by name, kind and closeness."""
    return tuple(
        Friend(tie.other, world.profile(tie.other).name, tie.kind, tie.closeness)
        for tie in world.graph.ties(me.profile.id)
    )
