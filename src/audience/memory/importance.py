"""How important an observation is to a person, 1 to 10, by weights learnt from examples.

The examples (tests/memory/importance.tsv) are labelled by our own judgement of how poignant each
would be to a person; nobody was surveyed. tools/fit_importance.py fits the weights to them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

import msgspec

from audience.memory.observing import KINDS
from audience.memory.ways import Observed
from audience.world.agent import Agent
from audience.world.items import Catalogue

MARKS = (
    "rated",
    "extreme",
    "loved",
    "felt",
    "felt_at_length",
    "said_at_length",
    "strong",
    "fraction",
    "moved",
    "named",
    "items",
    "liked",
)
"""What an observation is judged by besides its kind; see `marks`."""
LEAST, MOST = 1, 10
_SPOKEN = frozenset({"talked", "posted", "heard", "announced", "forwarded"})
_LONG, _STRONG, _MANY = 30, 3, 3
"""Words, strong words and items beyond which more of them add nothing."""
_FIVE = 5
_TITLES = re.compile(r"<[^<>]*>")
_WORDS = re.compile(r"[^\W\d_]+")
STRONG = frozenset(
    """absolutely admire adore adored afraid angry awful beautiful best brilliant broke
    congratulations cried cruel cry crying deeply devastating died disappointed disappoints
    disgusted disgusting fantastic favourite favorite forgive furious gorgeous grief happiest
    happy hate hated haunts heart horrible hurts incredible incredibly insult insulting love
    loved masterpiece miss moved moving never obsessed outraged perfect proud racing ruined
    sad shaken shaking shattered shocked sick sorry stunned stunning tears terrible terribly
    terrified thrilled unbearable unforgettable weep wept wonderful worst""".split()
)
"""Words that tell of strong feelings."""


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What each kind and each mark adds to the importance."""

    start: float
    kinds: dict[str, float]
    marks: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Return the packaged weights."""
    packed = files("audience.memory").joinpath("importance.toml").read_text("utf-8")
    return msgspec.toml.decode(packed, type=Weights)


@lru_cache(maxsize=1)
def _by_mark() -> tuple[float, ...]:
    learnt = weights().marks
    return tuple(learnt[mark] for mark in MARKS)


def importance(seen: Observed, me: Agent, catalogue: Catalogue) -> int:
    """Return how much an observation matters to this person, 1 to 10."""
    learnt = weights()
    score = learnt.start + learnt.kinds.get(seen.kind, 0.0)
    given = marks(seen, liked(seen, me, catalogue))
    for weight, mark in zip(_by_mark(), given, strict=True):
        score += weight * mark
    return degree(score)


def degree(score: float) -> int:
    """Return a score as one of the ten degrees."""
    return min(MOST, max(LEAST, int(score + 0.5)))


def liked(seen: Observed, me: Agent, catalogue: Catalogue) -> bool:
    """Say whether an item of the observation carries a tag that the person is interested in."""
    interests = me.profile.interests
    return any(tag in interests for item in seen.items for tag in catalogue[item].tags)


def marks(seen: Observed, liked: bool) -> tuple[float, ...]:
    """Return the marks of an observation, each 0 to 1, in the order of `MARKS`."""
    said = seen.feeling or (seen.text if seen.kind in _SPOKEN else "")
    words = _WORDS.findall(_TITLES.sub(" ", said).lower()) if said else []
    length = min(len(words), _LONG) / _LONG
    strong = sum(word in STRONG for word in words)
    told, count = seen.satisfaction, len(seen.items)
    return (
        1.0 if seen.stars else 0.0,
        abs(seen.stars - 3) / 2.0 if seen.stars else 0.0,
        1.0 if seen.stars == _FIVE else 0.0,
        1.0 if seen.feeling else 0.0,
        length if seen.feeling else 0.0,
        0.0 if seen.feeling else length,
        min(strong, _STRONG) / _STRONG,
        seen.fraction,
        0.0 if told is None else abs(2.0 * told - 1.0),
        1.0 if count and seen.kind in _SPOKEN else 0.0,
        min(count, _MANY) / _MANY,
        1.0 if liked else 0.0,
    )


def features(seen: Observed, liked: bool) -> list[float]:
    """Return an observation as numbers: one for each of `KINDS`, then its marks."""
    return [float(seen.kind == kind) for kind in KINDS] + list(marks(seen, liked))
