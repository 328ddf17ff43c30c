"""What rule minds do among friends, and their template texts, with items as `<title>`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audience.agents.mind import Decision
from audience.agents.rule.parameters import RuleParameters
from audience.world import Agent, Domain, Friend, Lived, Observation, actions as a, tastes

_FEELINGS = {
    1: ("What a waste of an evening, <{t}>.", "<{t}> lost me within minutes."),
    2: ("<{t}> was not for me.", "I expected more of <{t}>."),
    3: ("<{t}> was all right.", "<{t}> had its moments."),
    4: ("I liked <{t}>.", "<{t}> was time well spent."),
    5: ("I loved <{t}>.", "<{t}> will stay with me."),
}
_POSTS = {
    -1: ("Just {v} <{t}>. I would skip it.", "<{t}> is not worth your time."),
    0: ("Just {v} <{t}>. It has its moments.", "<{t}>: fine, nothing more."),
    1: ("Just {v} <{t}> and want everybody to know it.", "You should not miss <{t}>."),
}
_OPENINGS = {
    -1: ("I {v} <{t}> and it let me down.", "Stay away from <{t}>, I {v} it for you."),
    0: ("I {v} <{t}>, not sure about it.", "Have you heard of <{t}>? It was so-so."),
    1: ("You must try <{t}>, I {v} it and loved it.", "I {v} <{t}>, it is right up your street."),
}
_REPLIES = {
    -1: ("<{t}>? Not my kind of {n}.", "I would not like <{t}>, I think."),
    0: ("<{t}>? Maybe one day.", "I have not made up my mind about <{t}>."),
    1: ("<{t}> sounds just right for me.", "Then I will look for <{t}>."),
}
_ANSWERS = {
    -1: ("I {v} <{t}> too, and it was not for me.", "I {v} <{t}>. Never again."),
    0: ("I {v} <{t}>, it has its moments.", "<{t}> was all right, nothing more."),
    1: ("I would not have missed <{t}>.", "I {v} <{t}> and would again."),
}


_NEWS = {
    (-1, 0): ("Read about {t}. I do not agree with it.", "Not convinced by {t}."),
    (-1, 1): ("{t} worries me.", "I am annoyed about {t}, to be honest."),
    (-1, 2): ("I am furious about {t}! This is outrageous.", "{t} is a disgrace and I am shocked!"),
    (1, 0): ("Read about {t}. Seems reasonable to me.", "{t}: fine by me."),
    (1, 1): ("I am glad about {t}.", "{t} moves me, and I am for it."),
    (1, 2): ("I am thrilled about {t}! At last.", "So proud and overjoyed about {t}!"),
}


def news(name: str, level: int, stance: int, draw: float) -> str:
    """Return a text on a topic that fits an emotion and an opinion."""
    choices = _NEWS[stance, level]
    return choices[int(draw * len(choices))].replace("{t}", " ".join(name.split())[:200])


def _fill(choices: tuple[str, ...], draw: float, title: str, domain: Domain) -> str:
    words = choices[int(draw * len(choices))]
    return words.format(t=title, v=domain.past, n=domain.noun)


def side(stance: float) -> int:
    """Return -1, 0 or 1 for against, undecided, for."""
    return (stance > 0.2) - (stance < -0.2)


def feeling(stars: int, draw: float, title: str, domain: Domain) -> str:
    return _fill(_FEELINGS[stars], draw, title, domain)


def post(stance: float, draw: float, title: str, domain: Domain) -> str:
    return _fill(_POSTS[side(stance)], draw, title, domain)


def opening(stance: float, draw: float, title: str, domain: Domain) -> str:
    return _fill(_OPENINGS[side(stance)], draw, title, domain)


def answer(stance: float, draw: float, title: str, domain: Domain) -> str:
    """Return what an agent says about an item that it has watched."""
    return _fill(_ANSWERS[side(stance)], draw, title, domain)


def reply(stance: float, draw: float, title: str, domain: Domain) -> str:
    """Return what an agent says about an item that it only heard of."""
    return _fill(_REPLIES[side(stance)], draw, title, domain)


_FORWARD = 0.25
_SILENT = Decision((a.Leave(),))


def socialise(p: RuleParameters, seen: Observation, draws: Sequence[float]) -> Decision:
    """Return what an agent does on the social surface: speak by habit, then go on or leave."""
    me, habits = seen.me, seen.me.profile.habits
    actions: list[a.AnyAction] = []
    lived = me.history[-1] if me.history else None
    if lived and draws[0] < p.talkative * habits.poster:
        title, stance = seen.catalogue[lived.item].title, stance_on(lived)
        text = post(stance, draws[5], title, seen.domain)
        actions.append(a.Post(text, (lived.item,), stance))
    elif me.inbox and draws[1] < _FORWARD * habits.poster:
        actions.append(a.Forward(me.inbox[-1].post))
    if lived and seen.friends and draws[2] < p.talkative * habits.chatter:
        title, stance = seen.catalogue[lived.item].title, stance_on(lived)
        friend = _closest(seen.friends, draws[3])
        text = opening(stance, draws[5], title, seen.domain)
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
    """Yield whom to follow and whom to unfollow."""
    strangers = {stranger.id for stranger in seen.strangers}
    liked = [
        message.author
        for message in seen.me.inbox
        if message.author in strangers
        and message.stance > 0.0
        and any(_opinion(seen, item, 0.0) > 0.0 for item in message.items)
    ]
    if liked and draws[6] < p.follow:
        yield a.Follow(liked[-1])
    loose = [
        friend
        for friend in seen.friends
        if friend.kind != "family" and friend.closeness < p.distant
    ]
    if loose and draws[7] < p.unfollow:
        yield a.Unfollow(min(loose, key=lambda friend: (friend.closeness, friend.id)).id)


def converse(seen: Observation, draws: Sequence[float]) -> Decision:
    """Return an answer in a conversation, or the decision to leave it."""
    last, me = seen.lines[-1], seen.me
    if not last.items or draws[0] > 0.35 + 0.6 * me.profile.habits.chatter:
        return _SILENT
    item = last.items[0]
    stance = _opinion(seen, item, last.stance)
    say = reply if _lived(me, item) is None else answer
    text = say(stance, draws[1], seen.catalogue[item].title, seen.domain)
    return Decision((a.Say(last.agent, text, (item,), stance),))


def stance_on(lived: Lived) -> float:
    """Return the stance on a watched item, -1 to 1, from its stars or the watched fraction."""
    if lived.stars:
        return (lived.stars - 3) / 2.0
    return round(min(1.0, max(-1.0, 1.6 * lived.fraction - 1.0)), 3)


def _closest(friends: Sequence[Friend], draw: float) -> Friend:
    """Return a friend drawn by closeness."""
    place = draw * sum(friend.closeness for friend in friends)
    for friend in friends:
        place -= friend.closeness
        if place < 0.0:
            return friend
    return friends[-1]


def _lived(me: Agent, item: int) -> Lived | None:
    """Return the last time that an agent watched an item, if any."""
    return next((entry for entry in reversed(me.history) if entry.item == item), None)


def _opinion(seen: Observation, item: int, told: float) -> float:
    """Return the opinion on an item: from watching it, or from taste and what was just said."""
    lived = _lived(seen.me, item)
    if lived is not None:
        return stance_on(lived)
    match = float((tastes([seen.me.taste])[0] * seen.catalogue.weights[item]).sum())
    return round(min(1.0, max(-1.0, match + 0.4 * told)), 3)


def _satisfied(me: Agent) -> float | None:
    """Return the satisfaction with the visit from what was watched in it, if anything."""
    lived = me.lived_now()
    if not lived:
        return None
    marks = [
        (entry.stars - 0.5) / 5.0 if entry.stars else 0.2 + 0.5 * entry.fraction for entry in lived
    ]
    return round(sum(marks) / len(marks), 4)
