"""How a rule mind reacts to news of a topic: emotion, opinion, and telling others.

Rows are pairs of an agent and a topic. Only elementwise numpy and sums in a fixed order are used,
so that a batch equals single decisions bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.agents.mind import Decision
from audience.agents.rule import social as words
from audience.agents.rule.parameters import RuleParameters
from audience.world import (
    Bools,
    Dice,
    Floats,
    Ints,
    Message,
    Observation,
    Standing,
    actions as a,
    influence,
    sent,
)

_MOST = 8
"""The most topics processed in one visit; further ones stay unchanged."""
_DRAWS = 5


class _Rows(msgspec.Struct, frozen=True):
    """The news, one entry per pair of an agent and a topic."""

    owner: Ints
    """The index of the agent in the batch."""
    place: Ints
    """The index of the topic among the agent's."""
    level: Floats
    view: Floats
    """The current stance or, before there is one, that suggested by the profile."""
    first: Floats
    """1 if the topic is new to the agent."""
    told: Floats
    """Summed trust of the new messages."""
    side: Floats
    """Mean stance of the new messages, weighted by trust."""
    charge: Floats
    """Mean strength of their stances."""
    relevance: Floats
    past: Floats
    """Mean stance of the memory pool, weighted by influence."""
    age: Floats
    """Rounds since the newest of the messages was first written."""


def react(p: RuleParameters, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
    """Return each agent's reaction to its news: emotions, opinions, at most one message."""
    rows = _rows(seen)
    draws = dice.uniforms("news", _MOST * _DRAWS).reshape(len(seen), _MOST, _DRAWS)
    bells = dice.bell("stirred", _MOST)
    draw = draws[rows.owner, rows.place]
    level = _levels(p, rows, bells[rows.owner, rows.place])
    stance = _stances(p, rows, draw[:, 0])
    poster = np.array([view.me.profile.habits.poster for view in seen])[rows.owner]
    speaking = draw[:, 1] < _chance(p, rows, level, poster)
    writing = draw[:, 2] < np.clip(p.news_write * level, 0.0, 1.0)
    return _decisions(seen, rows, level.tolist(), stance.tolist(), speaking, writing, draw)


def _rows(seen: Sequence[Observation]) -> _Rows:
    found: list[tuple[float, ...]] = []
    for owner, view in enumerate(seen):
        for place, standing in enumerate(view.news[:_MOST]):
            found.append((owner, place, *_heard(view, standing)))
    columns = np.array(found, np.float64).reshape(len(found), 11).T
    whole = columns[:2].astype(np.int64)
    return _Rows(whole[0], whole[1], *(np.ascontiguousarray(column) for column in columns[2:]))


def _heard(seen: Observation, standing: Standing) -> tuple[float, ...]:
    """Return the news of one agent on one topic, as numbers."""
    told = side = charge = near = 0.0
    number, written = standing.number, 0
    for message in seen.me.inbox:
        if message.topic == number:
            told += message.trust
            side += message.trust * message.stance
            charge += message.trust * abs(message.stance)
            near = max(near, message.relevance)
            written = max(written, sent(message.root or message.post)[0])
    weight = leaned = 0.0
    for message in seen.me.pool:
        if message.topic == number:
            score = influence(message, seen.round, standing.topic.half_life)
            weight += score
            leaned += score * message.stance
    return (
        float(standing.level),
        float(standing.stance or standing.leaning),
        float(standing.stance == 0),
        told,
        side / told if told else 0.0,
        charge / told if told else 0.0,
        near,
        leaned / weight if weight else 0.0,
        float(max(seen.round - written, 0)),
    )


def _levels(p: RuleParameters, rows: _Rows, bell: Floats) -> Ints:
    """Return the emotion of each row: 0, 1 or 2."""
    pressure = 1.0 - np.exp(-rows.told)
    arousal = (
        p.news_stir * pressure
        + p.news_charge * rows.charge
        + p.news_near * rows.relevance
        + p.news_lasting * rows.level / 2.0
        - p.news_used * (1.0 - rows.first)
        + p.news_noise * bell
    )
    return (arousal >= p.news_moderate).astype(np.int64) + (arousal >= p.news_intense)


def _stances(p: RuleParameters, rows: _Rows, draw: Floats) -> Ints:
    """Return the opinion of each row, -1 or 1: at first the profile's, then swayed by news."""
    heard = 0.5 * (rows.side + rows.past)
    wish = p.news_conviction * rows.view + p.news_sway * heard
    return np.where(draw < 1.0 / (1.0 + np.exp(-wish)), 1, -1)


def _chance(p: RuleParameters, rows: _Rows, level: Ints, poster: Floats) -> Floats:
    """Return the probability of telling others."""
    wish = (
        p.news_tell
        + p.news_tell_level * level
        + p.news_near * rows.relevance
        + p.news_tell_poster * (poster - 0.5)
        - p.news_stale * (1.0 - rows.first)
        - p.news_wane * rows.age
    )
    chance: Floats = 1.0 / (1.0 + np.exp(-wish))
    return chance


def _decisions(
    seen: Sequence[Observation],
    rows: _Rows,
    level: list[int],
    stance: list[int],
    speaking: Bools,
    writing: Bools,
    draw: Floats,
) -> list[Decision]:
    actions: list[list[a.AnyAction]] = [[] for _ in seen]
    words_: list[a.AnyAction | None] = [None] * len(seen)
    best = [-1] * len(seen)
    speaks, writes, tells = speaking.tolist(), writing.tolist(), draw[:, 3].tolist()
    owners, places = rows.owner.tolist(), rows.place.tolist()
    for row, owner in enumerate(owners):
        view = seen[owner]
        standing = view.news[places[row]]
        number = standing.number
        actions[owner] += (a.Feel(number, level[row]), a.Hold(number, stance[row]))
        # One message per visit, on the topic with the strongest emotion, first among equals.
        if speaks[row] and level[row] > best[owner]:
            message = _message(view, standing, level[row], stance[row], writes[row], tells[row])
            if message is not None:
                words_[owner], best[owner] = message, level[row]
    return [
        Decision((*mine, said) if said is not None else tuple(mine))
        for mine, said in zip(actions, words_, strict=True)
    ]


def _message(
    seen: Observation, standing: Standing, level: int, stance: int, writes: bool, draw: float
) -> a.AnyAction | None:
    """Return the message to send: the best one not yet forwarded, or a post of its own."""
    if not writes:
        source = _worth(seen, standing.number)
        return a.Forward(source.post) if source is not None else None
    text = words.news(standing.topic.name, level, stance, draw)
    return a.Post(text, (), round(stance * (1 + level) / 3.0, 3), "", standing.number)


def _worth(seen: Observation, topic: int) -> Message | None:
    me = seen.me
    best: Message | None = None
    for message in me.inbox:
        if message.topic == topic and message.root not in me.passed:
            weight = message.trust + message.relevance
            if best is None or weight > best.trust + best.relevance:
                best = message
    return best
