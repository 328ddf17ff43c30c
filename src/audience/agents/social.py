"""How a rule mind behaves among friends: posts, forwards, wishes to talk, answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audience.agents import words
from audience.agents.mind import Decision
from audience.agents.parameters import RuleParameters
from audience.world import actions as a
from audience.world.agent import Agent, Lived
from audience.world.observe import Friend, Observation
from audience.world.taste import tastes

_FORWARD = 0.25
_SILENT = Decision((a.Leave(),))


def socialise(p: RuleParameters, seen: Observation, draws: Sequence[float]) -> Decision:
    """Return what somebody does on the social surface: speak by habit, then go on or leave."""
    me, habits = seen.me, seen.me.profile.habits
    actions: list[a.AnyAction] = []
    lived = me.history[-1] if me.history else None
    if lived and draws[0] < p.talkative * habits.poster:
        title, stance = seen.catalogue[lived.item].title, stance_on(lived)
        text = words.post(stance, draws[5], title, seen.domain)
        actions.append(a.Post(text, (lived.item,), stance))
    elif me.inbox and draws[1] < _FORWARD * habits.poster:
        actions.append(a.Forward(me.inbox[-1].post))
    if lived and seen.friends and draws[2] < p.talkative * habits.chatter:
        title, stance = seen.catalogue[lived.item].title, stance_on(lived)
        friend = _closest(seen.friends, draws[3])
        text = words.opening(stance, draws[5], title, seen.domain)
        actions.append(a.Say(friend.id, text, (lived.item,), stance))
    if p.follow or p.unfollow:
        actions += _turning(p, seen, draws)
    if not me.situation.pages and draws[4] < 0.4 * (1.0 + bool(me.heard)):
        actions += (a.Enter("recommender"), a.Browse())
    else:
        actions.append(a.Leave(_satisfied(me)))
    return Decision(tuple(actions))


def _turning(
    p: RuleParameters, seen: Observation, draws: Sequence[float]
) -> Iterator[a.Follow | a.Unfollow]:
    """Yield whom to listen to from now on, and whom no more."""
    strangers = {one.id for one in seen.strangers}
    liked = [
        message.author
        for message in seen.me.inbox
        if message.author in strangers
        and message.stance > 0.0
        and any(_opinion(seen, item, 0.0) > 0.0 for item in message.items)
    ]
    if liked and draws[6] < p.follow:
        yield a.Follow(liked[-1])
    loose = [one for one in seen.friends if one.kind != "family" and one.closeness < p.distant]
    if loose and draws[7] < p.unfollow:
        yield a.Unfollow(min(loose, key=lambda one: (one.closeness, one.id)).id)


def converse(seen: Observation, draws: Sequence[float]) -> Decision:
    """Return an answer in a conversation, or leave it."""
    last, me = seen.lines[-1], seen.me
    if not last.items or draws[0] > 0.35 + 0.6 * me.profile.habits.chatter:
        return _SILENT
    item = last.items[0]
    stance = _opinion(seen, item, last.stance)
    say = words.reply if _lived(me, item) is None else words.answer
    text = say(stance, draws[1], seen.catalogue[item].title, seen.domain)
    return Decision((a.Say(last.agent, text, (item,), stance),))


def stance_on(lived: Lived) -> float:
    """Return -1 to 1 for what was made of an item: its stars, or how much of it was lived."""
    if lived.stars:
        return (lived.stars - 3) / 2.0
    return round(min(1.0, max(-1.0, 1.6 * lived.fraction - 1.0)), 3)


def _closest(friends: Sequence[Friend], draw: float) -> Friend:
    """Return a friend, the closer the likelier."""
    place = draw * sum(friend.closeness for friend in friends)
    for friend in friends:
        place -= friend.closeness
        if place < 0.0:
            return friend
    return friends[-1]


def _lived(me: Agent, item: int) -> Lived | None:
    """Return the last time that somebody lived an item."""
    return next((one for one in reversed(me.history) if one.item == item), None)


def _opinion(seen: Observation, item: int, told: float) -> float:
    """Return what one thinks of an item: from living it, or from taste and what was just said."""
    lived = _lived(seen.me, item)
    if lived is not None:
        return stance_on(lived)
    match = float((tastes([seen.me.taste])[0] * seen.catalogue.weights[item]).sum())
    return round(min(1.0, max(-1.0, match + 0.4 * told)), 3)


def _satisfied(me: Agent) -> float | None:
    """Return the visit's satisfaction as far as one can tell from what was lived in it."""
    lived = me.lived_now()
    if not lived:
        return None
    marks = [(one.stars - 0.5) / 5.0 if one.stars else 0.2 + 0.5 * one.fraction for one in lived]
    return round(sum(marks) / len(marks), 4)
