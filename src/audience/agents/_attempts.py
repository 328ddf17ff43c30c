"""From a reply to what is attempted, in order."""

from __future__ import annotations

from audience.agents._naming import NOBODY, items_in
from audience.agents.replies import AnyReply, HomeReply, PageReply, SocialReply, TalkReply
from audience.agents.social import stance_on
from audience.world import actions as a
from audience.world.observe import Observation

_VOICE = "model"
_BROWSE = (a.Enter("recommender"), a.Browse())


def actions_of(seen: Observation, reply: AnyReply) -> tuple[a.AnyAction, ...]:
    """Return what somebody attempts who answered an observation so."""
    if isinstance(reply, HomeReply):
        return _home(reply)
    if isinstance(reply, PageReply):
        return _page(reply)
    if isinstance(reply, SocialReply):
        return _social(seen, reply)
    return _talk(seen, reply)


def _home(reply: HomeReply) -> tuple[a.AnyAction, ...]:
    match reply.do:
        case "recommender":
            return _BROWSE
        case "search":
            return (a.Enter("recommender"), a.Search(reply.query))
        case "social":
            return (a.Enter("social"),)
    return (a.Nothing(),)


def _page(reply: PageReply) -> tuple[a.AnyAction, ...]:
    actions: list[a.AnyAction] = []
    for pick in reply.picks:
        actions.append(a.Pick(pick.item, round(pick.watched / 100.0, 3)))
        if pick.stars:
            actions.append(
                a.Rate(pick.item, pick.stars, pick.feeling, _VOICE if pick.feeling else "")
            )
    if reply.next == "next_page":
        return (*actions, a.NextPage())
    if reply.next == "search":
        return (*actions, a.Search(reply.query))
    told = round((reply.satisfaction - 1.0) / 9.0, 4) if reply.satisfaction else None
    return (*actions, a.Leave(told))


def _social(seen: Observation, reply: SocialReply) -> tuple[a.AnyAction, ...]:
    actions: list[a.AnyAction] = []
    if reply.post:
        items = items_in(seen, reply.post)
        actions.append(a.Post(reply.post, items, stance_in(seen, items), _VOICE))
    if reply.forward:
        actions.append(a.Forward(reply.forward))
    if reply.say and reply.say_to != NOBODY:
        items = items_in(seen, reply.say)
        actions.append(a.Say(reply.say_to, reply.say, items, stance_in(seen, items), _VOICE))
    if reply.follow != NOBODY:
        actions.append(a.Follow(reply.follow))
    if reply.unfollow != NOBODY:
        actions.append(a.Unfollow(reply.unfollow))
    if reply.next == "recommender":
        return (*actions, *_BROWSE)
    return (*actions, a.Leave())


def _talk(seen: Observation, reply: TalkReply) -> tuple[a.AnyAction, ...]:
    if not reply.say:
        return (a.Leave(),)
    items = items_in(seen, reply.say)
    stance = stance_in(seen, items, float(reply.stance))
    return (a.Say(seen.friends[0].id, reply.say, items, stance, _VOICE),)


def stance_in(seen: Observation, items: tuple[int, ...], otherwise: float = 0.0) -> float:
    """Return what was made of the first of the items that was lived."""
    for item in items:
        for lived in reversed(seen.me.history):
            if lived.item == item:
                return stance_on(lived)
    return otherwise
