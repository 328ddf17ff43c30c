"""How gender, age, traits and career move a rule mind: small weights, each with its source.

What the two genders and the ages watch are half the logarithms of ratios of shares of MovieLens-1M:
of the genres of what women and men rated, and of what people from 45 on and below 35 did. They were
taken from every second person; the other half gives the same signs, where they exceed 0.05.

The directions of traits follow what is known of personality and ratings: open people look for new
things, agreeable ones rate more kindly, conscientious and critical ones demand more, extraverts go
where people are. The words are ours, and so are the sizes of all weights.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from struct import pack
from typing import NamedTuple

import msgspec
import numpy as np

from audience.world import Floats, Observation

_LEANINGS = {
    "action": (-0.23, -0.08),
    "adventure": (-0.12, -0.02),
    "animation": (0.09, -0.24),
    "children's": (0.15, -0.17),
    "comedy": (0.05, -0.10),
    "crime": (-0.12, -0.06),
    "drama": (0.11, 0.11),
    "fantasy": (0.0, -0.15),
    "film-noir": (-0.07, 0.29),
    "horror": (-0.23, -0.06),
    "musical": (0.22, 0.15),
    "mystery": (0.01, 0.18),
    "romance": (0.25, 0.04),
    "sci-fi": (-0.25, -0.02),
    "thriller": (-0.09, -0.04),
    "war": (-0.13, 0.22),
    "western": (-0.31, 0.33),
}
"""By tag: how much more women than the middle watch it, and how much more the old do."""
_SAME = {
    "children": "children's",
    "family": "children's",
    "noir": "film-noir",
    "science fiction": "sci-fi",
    "music": "musical",
}
_GENDERS = {"female": 1.0, "woman": 1.0, "f": 1.0, "male": -1.0, "man": -1.0, "m": -1.0}
_MIDDLE, _SPAN = 38.0, 17.0
"""The age without an effect, and the years from there to a full one."""

_OPEN = "adventurous artistic creative curious dreamy imaginative open-minded"
_CLOSED = "home-loving old-fashioned practical single-minded"
_STRICT = "analytical blunt critical meticulous sceptical skeptical"
_EASY = "adaptable calm patient trusting"
_KIND = "caring compassionate empathetic forgiving fun-loving generous gentle optimistic"
_UNKIND = "blunt critical gloomy stubborn"
_SOCIABLE = "energetic fun-loving outgoing witty"
_RESERVED = "bookish independent introspective shy unassuming"
_SIDES = ((_OPEN, _CLOSED), (_STRICT, _EASY), (_KIND, _UNKIND), (_SOCIABLE, _RESERVED))
_MEANT = [
    (number, sign, frozenset(side.split()))
    for number, sides in enumerate(_SIDES)
    for sign, side in zip((1, -1), sides, strict=True)
]
"""What each word says: the number of a bearing, and whether more or less of it."""
_AT_LEISURE = "homemaker pensioner pupil retired student unemployed".split()
_SPLIT = re.compile(r"\s*[,;]\s*")


class Bearing(NamedTuple):
    """What traits and career make of a person, each number from -1 to 1."""

    openness: float = 0.0
    strictness: float = 0.0
    kindness: float = 0.0
    sociability: float = 0.0
    leisure: float = 0.0


def bearing(traits: tuple[str, ...], career: str) -> Bearing:
    """Return what traits and a career make of a person; unknown words say nothing."""
    words = {word for trait in traits for word in _SPLIT.split(trait.strip().casefold())}
    scores = [0] * len(_SIDES)
    for number, sign, meant in _MEANT:
        scores[number] += sign * len(words & meant)
    sides = [float(max(-1, min(1, score))) for score in scores]
    work = career.casefold()
    leisure = float(any(word in work for word in _AT_LEISURE))
    return Bearing._make((*sides, leisure))


class Bearings(msgspec.Struct, frozen=True):
    """The bearings of many people as columns."""

    openness: Floats
    strictness: Floats
    kindness: Floats
    sociability: Floats
    leisure: Floats


def bearings(seen: Sequence[Observation]) -> Bearings:
    """Return the bearings of these people."""
    profiles = [view.me.profile for view in seen]
    packed = b"".join([_packed(profile.traits, profile.career) for profile in profiles])
    return Bearings(*np.frombuffer(packed).reshape(len(seen), -1).T)


@lru_cache(maxsize=65_536)
def _packed(traits: tuple[str, ...], career: str) -> bytes:
    return pack("5d", *bearing(traits, career))


def leanings(seen: Sequence[Observation]) -> Floats:
    """Return [agents, tags]: what people of their gender and age watch more, or less, than others.

    Where a taste was learnt from a real history there is nothing to add.
    """
    by_gender, by_age = _columns(seen[0].catalogue.tags)
    profiles = [view.me.profile for view in seen]
    standings = np.array(
        [(0.0, 0.0) if who.leaning else _standing(who.gender, who.age) for who in profiles]
    )
    lean: Floats = standings[:, :1] * by_gender + standings[:, 1:] * by_age
    return lean


@lru_cache(maxsize=1_024)
def _standing(gender: str, age: int | None) -> tuple[float, float]:
    """Return how much a person counts as a woman, and as old, each from -1 to 1."""
    older = 0.0 if age is None else (age - _MIDDLE) / _SPAN
    return _GENDERS.get(gender.casefold(), 0.0), max(-1.0, min(1.0, older))


@lru_cache(maxsize=16)
def _columns(tags: tuple[str, ...]) -> tuple[Floats, Floats]:
    named = [tag.casefold() for tag in tags]
    known = np.array([_LEANINGS.get(_SAME.get(tag, tag), (0.0, 0.0)) for tag in named])
    columns = known.reshape(-1, 2)
    return columns[:, 0], columns[:, 1]
