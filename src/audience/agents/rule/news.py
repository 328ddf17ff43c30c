"""How a rule mind takes news of a topic: what it feels, what it thinks, whether it tells others.

Rows are pairs of a person and a topic. Only elementwise numpy and sums in a fixed order, so that a
batch gives the bits of singles.
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
)

_MOST = 8
"""Topics that somebody takes in at once; those beyond are as they were."""
_DRAWS = 5


class _Rows(msgspec.Struct, frozen=True):
    """What came, one entry per pair of a person and a topic."""

    owner: Ints
    """The place of the person in the batch."""
    place: Ints
    """Which of its topics it is."""
    level: Floats
    view: Floats
    """The present stance or, before there is one, what the profile inclines to."""
    first: Floats
    """1 where it is heard of for the first time."""
    told: Floats
    """Summed trust of what came now."""
    side: Floats
    """Mean stance of what came now, weighed by trust."""
    charge: Floats
    """Mean strength of those stances."""
    relevance: Floats
    past: Floats
    """Mean stance of the memory pool, weighed by influence."""


def react(p: RuleParameters, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
    """Return what each person makes of its news: feelings, views, and at most one message."""
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
    columns = np.array(found, np.float64).reshape(len(found), 10).T
    whole = columns[:2].astype(np.int64)
    return _Rows(whole[0], whole[1], *(np.ascontiguousarray(column) for column in columns[2:]))


def _heard(seen: Observation, standing: Standing) -> tuple[float, ...]:
    """Return what came to one person of one topic, as numbers."""
    told = side = charge = near = 0.0
    number = standing.number
    for message in seen.me.inbox:
        if message.topic == number:
            told += message.trust
            side += message.trust * message.stance
            charge += message.trust * abs(message.stance)
            near = max(near, message.relevance)
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
    )


def _levels(p: RuleParameters, rows: _Rows, bell: Floats) -> Ints:
    """Return how each feels now: 0, 1 or 2."""
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
    """Return what each thinks now: -1 or 1. The first view is the profile's, then it is swayed."""
    heard = 0.5 * (rows.side + rows.past)
    wish = p.news_conviction * rows.view + p.news_sway * heard
    return np.where(draw < 1.0 / (1.0 + np.exp(-wish)), 1, -1)


def _chance(p: RuleParameters, rows: _Rows, level: Ints, poster: Floats) -> Floats:
    """Return the chance to tell others."""
    wish = (
        p.news_tell
        + p.news_tell_level * level
        + p.news_near * rows.relevance
        + p.news_tell_poster * (poster - 0.5)
        - p.news_stale * (1.0 - rows.first)
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
        # One message a visit: of what moves it most, the first among equals.
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
    """Return what is told: the most telling message not passed on yet, or words of one's own."""
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
