"""A model judge looked at closely: does it say the same when the order is turned, and as people?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from audience.experiments.judging.answers import MODEL, PEOPLE, Answered, choices_in, twice
from audience.experiments.judging.kinds import Chosen, Key, Paired, Scored

_EQUAL = 3


class Turned(msgspec.Struct, frozen=True):
    """How steady a model judge is, and how near to people. Shares of nothing are None."""

    who: str
    pairs: int
    """Asked twice, with the sides exchanged."""
    other_side: int
    """Of them, where the side that is better changed with the order."""
    other_point: int
    """Of them, where the point on the scale changed at all."""
    first_shown: float | None
    """How often the one shown first won, of all answers that prefer one; 0.5 is fair."""
    choices: int
    other_choice: int
    like_people: dict[str, float]
    """Share of a person's judgements of the same task that a model shares, by kind."""


def turned(key: Key, answered: Sequence[Answered]) -> list[Turned]:
    """Return how steady each model judge is."""
    people = [one for one in answered if one.by == PEOPLE]
    return [_turned(key, one, people) for one in answered if one.by == MODEL]


def _turned(key: Key, model: Answered, people: Sequence[Answered]) -> Turned:
    pairs = [both for one in model.answers.values() if len(both := twice(one)) == 2]
    won = [first for one in pairs for first in _first_won(one)]
    chosen = [two for one in model.answers.values() if len(two := choices_in(one)) == 2]
    return Turned(
        model.name,
        len(pairs),
        sum(_side(one) != _side(other) for one, other in pairs),
        sum(one != other for one, other in pairs),
        sum(won) / len(won) if won else None,
        len(chosen),
        sum(set(one) != set(other) for one, other in chosen),
        _like_people(key, model, people),
    )


def _side(verdict: float) -> int:
    return (verdict > _EQUAL) - (verdict < _EQUAL)


def _first_won(verdicts: Sequence[float]) -> list[bool]:
    """Return for each answer that prefers one whether that one was shown first."""
    straight, back = (_side(one) for one in verdicts)
    return [one for side, one in ((straight, straight < 0), (back, back > 0)) if side]


def _like_people(key: Key, model: Answered, people: Sequence[Answered]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for person in people:
        for id_ in person.answers.keys() & model.answers.keys():
            mine, theirs = model.answers[id_], person.answers[id_]
            match key.tasks[id_]:
                case Chosen():
                    own = set(theirs.chosen or ())
                    shared = [len(own & set(one)) / len(own) for one in choices_in(mine)]
                    found.setdefault("choices: the same item", []).extend(shared)
                case Paired():
                    side = _side(twice(theirs)[0])
                    same = [float(_side(one) == side) for one in twice(mine)]
                    found.setdefault("pairs: the same side", []).extend(same)
                case Scored():
                    points = (
                        (mine.informative, theirs.informative),
                        (mine.relevant, theirs.relevant),
                    )
                    near = [float(abs((one or 0) - (other or 0)) <= 1) for one, other in points]
                    found.setdefault("scores: within a point", []).extend(near)
    return {what: sum(values) / len(values) for what, values in sorted(found.items())}
