"""The rules: which events an attempted action leads to, and which titles are unfounded.

A title that an agent names is founded if the item was watched, heard of, remembered or shown in
this visit, or if the title is in a message, a line or a thought that the agent saw. Others are
flagged, not fixed. A human player may speak of any item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from audience.world import (
    CALM,
    HUMAN,
    INTENSE,
    MENUS,
    MODERATE,
    Agent,
    Catalogue,
    View,
    actions as a,
    covers,
    events as e,
    mentioned,
    post_id,
    same,
    titled,
)


def flagged(
    world: View, me: Agent, told: a.Post | a.Say | a.Rate, lines: Sequence[e.Said] = ()
) -> tuple[e.Unfounded, ...]:
    """Return a flag for titles that `me` names without having met them; `lines` came before."""
    said = mentioned(told.feeling[:LONGEST_TEXT] if isinstance(told, a.Rate) else told.text)
    if not said or told.voice == HUMAN or _is_own(me, world.catalogue, said):
        return ()
    known = {same(title) for title in _met(world.catalogue, me, lines)}
    strange = tuple(title for title in said if not covers(known, title))
    if not strange:
        return ()
    there = titled(world.catalogue)
    items = [item for title in strange for item in there.get(same(title), ())[:1]]
    return (e.Unfounded(me.profile.id, strange, tuple(items)),)


def _is_own(me: Agent, catalogue: Catalogue, said: Sequence[str]) -> bool:
    """Return True if all titles were watched or heard of recently, the usual case."""
    near = [entry.item for entry in me.history[-3:]] + [mention.item for mention in me.heard[-3:]]
    titles = {catalogue[item].title for item in near}
    return all(title in titles for title in said)


def _met(catalogue: Catalogue, me: Agent, lines: Sequence[e.Said]) -> Iterator[str]:
    items = {
        *me.situation.shown,
        *(entry.item for entry in me.history),
        *(h.item for h in me.heard),
    }
    for thought in me.thoughts:
        items.update(thought.items)
        yield from mentioned(thought.text)
    for line in lines:
        items.update(line.items)
        yield from mentioned(line.text)
    for message in me.inbox:
        items.update(message.items)
        yield from mentioned(message.text)
    for reason in me.situation.reasons:
        yield from mentioned(reason)
    yield from (catalogue[item].title for item in items)


SURFACES = ("recommender", "social")
LONGEST_TEXT = 2_000
"""The most characters of a text; longer ones would flood inboxes."""


def resolve(world: View, me: Agent, action: a.AnyAction) -> list[e.AnyEvent]:
    """Return what happens when `me` attempts `action` in its visit.

    Pages (Browse, NextPage, Search) are shown by engine/visit.py.
    """
    kind = type(action)
    if kind.__name__ not in MENUS[me.situation.surface]:
        return [refuse(me, action, f"not possible on the {me.situation.surface} surface")]
    events: list[e.AnyEvent] = _RULES[kind](world, me, action)
    return events


def refuse(me: Agent, action: a.AnyAction, why: str) -> e.Refused:
    """Return the event of a refused action."""
    return e.Refused(me.profile.id, type(action).__name__, why)


def knows(me: Agent, item: int) -> bool:
    """Return True if `me` may mention an item: watched, heard of, remembered, or shown now."""
    return (
        item in me.situation.shown
        or any(lived.item == item for lived in me.history)
        or any(heard.item == item for heard in me.heard)
        or any(item in thought.items for thought in me.thoughts)
    )


def is_text(words: str) -> bool:
    """Return True if a text can be encoded, which lone surrogates cannot."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


def speech(world: View, me: Agent, action: a.Post | a.Say) -> str:
    """Return why a text may not be said, or empty if it may."""
    if not action.text.strip():
        return "there are no words"
    if not is_text(action.text):
        return "the words are no text"
    if len(action.text) > LONGEST_TEXT:
        return f"{len(action.text)} characters are more than {LONGEST_TEXT}"
    if not -1.0 <= action.stance <= 1.0:
        return f"stance {action.stance} is not in [-1, 1]"
    for item in action.items:
        if not 0 <= item < len(world.catalogue):
            return f"item {item} does not exist"
        if action.voice != HUMAN and not knows(me, item):
            return f"item {item} was neither seen nor heard of"
    return ""


def _enter(world: View, me: Agent, action: a.Enter) -> list[e.AnyEvent]:
    if action.surface not in SURFACES:
        return [
            refuse(me, action, f"surface {action.surface!r} is not one of {', '.join(SURFACES)}")
        ]
    return [e.Entered(me.profile.id, action.surface)]


def _pick(world: View, me: Agent, action: a.Pick) -> list[e.AnyEvent]:
    slate, item = me.situation.slate, action.item
    if item not in slate:
        return [refuse(me, action, f"item {item} is not on the page")]
    if not 0.0 <= action.fraction <= 1.0:
        return [refuse(me, action, f"fraction {action.fraction} is not in [0, 1]")]
    if any(lived.item == item for lived in me.lived_now()):
        return [refuse(me, action, f"item {item} was picked already in this visit")]
    who = me.profile.id
    return [e.Picked(who, item, slate.index(item)), e.Watched(who, item, action.fraction)]


def _rate(world: View, me: Agent, action: a.Rate) -> list[e.AnyEvent]:
    item = action.item
    if not any(lived.item == item for lived in me.lived_now()):
        return [refuse(me, action, f"item {item} was not lived in this visit")]
    if not is_text(action.feeling):
        return [refuse(me, action, "the feeling is no text")]
    if action.stars not in range(6) or not (action.stars or action.feeling):
        return [refuse(me, action, f"{action.stars} is not 1, 2, 3, 4 or 5 stars")]
    who = me.profile.id
    rated: list[e.AnyEvent] = [e.Rated(who, item, action.stars)] if action.stars else []
    if action.feeling:
        rated.append(e.Felt(who, item, action.feeling[:LONGEST_TEXT], action.voice))
        rated += flagged(world, me, action)
    return rated


def _save(world: View, me: Agent, action: a.Save) -> list[e.AnyEvent]:
    item = action.item
    if item not in me.situation.slate:
        return [refuse(me, action, f"item {item} is not on the page")]
    if item in me.saved or any(lived.item == item for lived in me.lived_now()):
        return [refuse(me, action, f"item {item} was saved or picked already")]
    return [e.Saved(me.profile.id, item)]


def _post(world: View, me: Agent, action: a.Post) -> list[e.AnyEvent]:
    if why := speech(world, me, action):
        return [refuse(me, action, why)]
    speaks = action.topic != -1 or me.situation.surface == "news"
    if speaks and (why := _subject(world, me, action.topic)):
        return [refuse(me, action, why)]
    who = me.profile.id
    post = _post_id(world, me)
    told = (action.text, action.items, action.stance, action.voice, action.topic)
    return [e.Posted(who, post, *told), *flagged(world, me, action)]


def _forward(world: View, me: Agent, action: a.Forward) -> list[e.AnyEvent]:
    source = next((message for message in me.inbox if message.post == action.post), None)
    if source is None:
        return [refuse(me, action, f"post {action.post!r} is not in the inbox")]
    if source.topic >= 0 and source.root in me.passed:
        return [refuse(me, action, f"post {action.post!r} was passed on already")]
    who, post = me.profile.id, _post_id(world, me)
    told = (source.text, source.items, source.stance, source.topic, source.root)
    return [e.Forwarded(who, post, source.post, source.author, *told)]


def _subject(world: View, me: Agent, topic: int) -> str:
    """Return why `me` may not mention a topic, or empty if it may."""
    if not 0 <= topic < len(world.spread.topics):
        return f"topic {topic} does not exist"
    heard = world.spread.aware[topic, me.profile.id] > 0
    return "" if heard else f"topic {topic} was not heard of"


def _post_id(world: View, me: Agent) -> str:
    return post_id(world.round, me.profile.id, me.numbered + me.situation.posts)


def _say(world: View, me: Agent, action: a.Say) -> list[e.AnyEvent]:
    if world.graph.tie(me.profile.id, action.to) is None:
        return [refuse(me, action, f"{action.to} is not among the people it listens to")]
    if why := speech(world, me, action):
        return [refuse(me, action, why)]
    who = me.profile.id
    wished = e.Wished(who, action.to, action.text, action.items, action.stance, action.voice)
    return [wished, *flagged(world, me, action)]


def _follow(world: View, me: Agent, action: a.Follow) -> list[e.AnyEvent]:
    who = me.profile.id
    if not 0 <= action.who < len(world.agents):
        return [refuse(me, action, f"person {action.who} does not exist")]
    if action.who == who:
        return [refuse(me, action, "nobody follows itself")]
    if world.graph.tie(who, action.who) is not None:
        return [refuse(me, action, f"person {action.who} is followed already")]
    return [e.Followed(who, action.who)]


def _unfollow(world: View, me: Agent, action: a.Unfollow) -> list[e.AnyEvent]:
    if world.graph.tie(me.profile.id, action.who) is None:
        return [refuse(me, action, f"person {action.who} is not followed")]
    return [e.Unfollowed(me.profile.id, action.who)]


def _shift(world: View, me: Agent, action: a.Shift) -> list[e.AnyEvent]:
    if not 0 <= action.tag < len(world.catalogue.tags):
        return [refuse(me, action, f"tag {action.tag} does not exist")]
    if not -2.0 <= action.by <= 2.0:
        return [refuse(me, action, f"a taste cannot move by {action.by}")]
    return [e.TasteShifted(me.profile.id, action.tag, action.by)]


def _feel(world: View, me: Agent, action: a.Feel) -> list[e.AnyEvent]:
    if why := _subject(world, me, action.topic):
        return [refuse(me, action, why)]
    if action.level not in (CALM, MODERATE, INTENSE):
        return [refuse(me, action, f"{action.level} is not 0, 1 or 2: calm, moderate or intense")]
    if world.spread.level[action.topic, me.profile.id] == action.level:
        return []
    return [e.MoodShifted(me.profile.id, action.topic, action.level)]


def _hold(world: View, me: Agent, action: a.Hold) -> list[e.AnyEvent]:
    if why := _subject(world, me, action.topic):
        return [refuse(me, action, why)]
    if action.stance not in (-1, 1):
        return [refuse(me, action, f"{action.stance} is not -1 or 1: against or for")]
    if world.spread.stance[action.topic, me.profile.id] == action.stance:
        return []
    return [e.AttitudeShifted(me.profile.id, action.topic, action.stance)]


def _leave(world: View, me: Agent, action: a.Leave) -> list[e.AnyEvent]:
    told = action.satisfaction
    if told is not None and not 0.0 <= told <= 1.0:
        return [refuse(me, action, f"satisfaction {told} is not in [0, 1]")]
    return [e.Left(me.profile.id, told, action.why if is_text(action.why) else "")]


def _nothing(world: View, me: Agent, action: a.Nothing) -> list[e.AnyEvent]:
    return [e.Left(me.profile.id, None, "nothing to do")]


_RULES: dict[type, Callable[[View, Agent, Any], list[e.AnyEvent]]] = {
    a.Enter: _enter,
    a.Pick: _pick,
    a.Rate: _rate,
    a.Save: _save,
    a.Post: _post,
    a.Forward: _forward,
    a.Say: _say,
    a.Follow: _follow,
    a.Unfollow: _unfollow,
    a.Shift: _shift,
    a.Feel: _feel,
    a.Hold: _hold,
    a.Leave: _leave,
    a.Nothing: _nothing,
}
