"""Attributes of drawn people: names, interests, temper, traits and habits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import msgspec
import numpy as np

from audience.datasets.embedded import embedded_rows
from audience.world import Bools, Floats, Habits, Ints, rng

MIXED = 0.12
"""Share of people whose family name comes from another culture than their given name."""

_MANY = 1 << 13


class _Pool(msgspec.Struct, frozen=True):
    """Concatenated lists of names: list i is `members[starts[i] : starts[i] + sizes[i]]`."""

    words: tuple[str, ...]
    members: Ints
    starts: Ints
    sizes: Ints

    def at(self, lists: Ints, places: Ints) -> Ints:
        """Return the word numbers at the given places, modulo the length of each list."""
        words: Ints = self.members[self.starts[lists] + places % self.sizes[lists]]
        return words


def draw_names(women: Bools, seed: int) -> list[str]:
    """Return one name per person; `women` says which list the given name comes from.

    The first to draw a name keeps it; a later one gets a second given name, then a third, then a
    double family name. So a name depends on those before it and never on how many follow.
    """
    given_pool, family_pool = _pools()
    draws = rng(seed, "population", "name").random((len(women), 7))
    cultures = len(family_pool.sizes)
    culture = _scaled(draws[:, 0], cultures)
    other = (culture + 1 + _scaled(draws[:, 2], cultures - 1)) % cultures
    family_list = np.where(draws[:, 1] < MIXED, other, culture)
    given_list = 2 * culture + (~women)
    place = _scaled(draws[:, 3], given_pool.sizes[given_list])
    half = given_pool.sizes[given_list] // 2
    second = place + 1 + _scaled(draws[:, 4], half)
    third = second + 1 + _scaled(draws[:, 5], half - 1)
    given = [given_pool.at(given_list, places) for places in (place, second, third)]
    family_place = _scaled(draws[:, 6], family_pool.sizes[family_list])
    family = family_pool.at(family_list, family_place)
    apart = 1 + place % (family_pool.sizes[family_list] - 1)
    double = family_pool.at(family_list, family_place + apart)
    return _spelt(given, family, double)


def _spelt(given: list[Ints], family: Ints, double: Ints) -> list[str]:
    givens, families = (pool.words for pool in _pools())
    pairs = zip(given[0].tolist(), family.tolist(), strict=True)
    names = [f"{givens[first]} {families[last]}" for first, last in pairs]
    extra = _extra_parts(given[0] * len(families) + family, (given[1], given[2], double))
    for person in np.flatnonzero(extra).tolist():
        count = int(extra[person])
        words = [givens[part[person]] for part in given[: min(count, 2) + 1]]
        last = families[family[person]]
        if count == 3:
            last = f"{last}-{families[double[person]]}"
        names[person] = " ".join((*words, last))
    return names


def _extra_parts(code: Ints, parts: tuple[Ints, ...]) -> Ints:
    """Return how many more parts each name needs until nobody before has it."""
    extra = np.zeros(len(code), np.int64)
    repeated = np.arange(len(code))
    for part in parts:
        repeated = _repeats(code, repeated)
        extra[repeated] += 1
        code[repeated] = code[repeated] * _MANY + part[repeated]
    return extra


def _repeats(code: Ints, people: Ints) -> Ints:
    """Return those of the people whose code an earlier one has."""
    _, first = np.unique(code[people], return_index=True)
    later = np.ones(len(people), np.bool_)
    later[first] = False
    return people[later]


def _scaled(draws: Floats, sizes: Ints | int) -> Ints:
    return (draws * sizes).astype(np.int64)


@lru_cache(maxsize=1)
def _pools() -> tuple[_Pool, _Pool]:
    rows = embedded_rows("names")
    given = [cell.split("|") for row in rows for cell in row[1:3]]
    return _pool(given), _pool([row[3].split("|") for row in rows])


def _pool(lists: list[list[str]]) -> _Pool:
    words = tuple(sorted({word for names in lists for word in names}))
    number = {word: place for place, word in enumerate(words)}
    sizes = np.array([len(names) for names in lists], np.int64)
    members = np.array([number[word] for names in lists for word in names], np.int64)
    return _Pool(words, members, np.cumsum(sizes) - sizes, sizes)


MOST = 5
LIKED_TAGS = 400
"""Interests come from at most this many of the most common tags."""

AGE_LEANING = {
    "Action": -0.6,
    "Animation": -0.9,
    "Biography": 0.6,
    "Children": -0.9,
    "Classic": 0.7,
    "Documentary": 0.5,
    "Essay": 0.5,
    "Fantasy": -0.7,
    "Historical": 0.6,
    "History": 0.8,
    "Horror": -0.8,
    "Literary": 0.4,
    "Noir": 0.7,
    "Science Fiction": -0.5,
    "War": 0.6,
    "Western": 1.0,
}
"""Which tags older (above 0) or younger people (below 0) like more."""

_POPULARITY = 0.7
_AFFINITY = 0.6
_AGE = 0.45
_CELLS = 2_000_000


class Liking:
    """The tags of a catalogue with their popularity and how much one goes with another."""

    def __init__(self, tags_of_items: Iterable[tuple[str, ...]]) -> None:
        rows = [tuple(dict.fromkeys(tags)) for tags in tags_of_items]
        counts = Counter(tag for tags in rows for tag in tags)
        liked = sorted(counts, key=lambda tag: (-counts[tag], tag))[:LIKED_TAGS]
        self.tags = tuple(sorted(liked))
        number = {tag: place for place, tag in enumerate(self.tags)}
        single = np.array([counts[tag] for tag in self.tags], np.float64)
        both = np.zeros((len(self.tags), len(self.tags)))
        for tags in rows:
            known = [number[tag] for tag in tags if tag in number]
            for tag in known:
                both[tag, known] += 1.0
        self.popularity: Floats = single**_POPULARITY
        expected = single[:, None] * single[None, :] / max(1, len(rows))
        self.affinity: Floats = ((both + 1.0) / (expected + 1.0)) ** _AFFINITY
        np.fill_diagonal(self.affinity, 0.0)
        self.leaning: Floats = np.array([AGE_LEANING.get(tag, 0.0) for tag in self.tags])


def draw_interests(
    liking: Liking, ages: Ints, openness: Floats, seed: int
) -> list[tuple[str, ...]]:
    """Return two to five tags per person, the favourite first; fewer if there are fewer tags.

    The first is drawn by popularity and age; each next one is likelier the more often items carry
    it together with those before. Open people like more things.
    """
    draws = rng(seed, "population", "interests").random((len(ages), MOST + 1))
    breadth = draws[:, MOST] + 0.1 * openness
    counts = 2 + (breadth > 0.3).astype(np.int64) + (breadth > 0.7) + (breadth > 0.95)
    counts = np.minimum(counts, len(liking.tags))
    rows = max(1, _CELLS // max(1, len(liking.tags)))
    interests: list[tuple[str, ...]] = []
    for begin in range(0, len(ages), rows):
        part = slice(begin, begin + rows)
        picked = _picked(liking, ages[part], draws[part]).tolist()
        pairs = zip(picked, counts[part].tolist(), strict=True)
        interests.extend(tuple([liking.tags[tag] for tag in row[:count]]) for row, count in pairs)
    return interests


def _picked(liking: Liking, ages: Ints, draws: Floats) -> Ints:
    steps = min(MOST, len(liking.tags))
    picked = np.zeros((len(ages), steps), np.int64)
    older = np.clip((ages - 42) / 18.0, -2.0, 2.0)
    weights = liking.popularity * np.exp(_AGE * older[:, None] * liking.leaning)
    for step in range(steps):
        heaped = np.cumsum(weights, axis=1)
        goal = draws[:, step, None] * heaped[:, -1:]
        picked[:, step] = np.minimum((heaped <= goal).sum(axis=1), len(liking.tags) - 1)
        # An affinity of 0 with itself keeps a tag from being drawn twice.
        weights *= liking.affinity[picked[:, step]]
    return picked


TEMPER = ("sociable", "open", "demanding", "steady")
"""What lies behind the traits: four independent numbers per person."""

AXES = (
    ("outgoing", "shy", (1.6, 0, 0, 0)),
    ("curious", "single-minded", (0, 1.6, 0, 0)),
    ("critical", "forgiving", (0, 0, 1.6, 0)),
    ("patient", "impulsive", (0, 0, 0, 1.4)),
    ("calm", "nervous", (0.3, 0, -0.3, 1.0)),
    ("optimistic", "gloomy", (0.7, 0.2, -0.5, 0.3)),
    ("generous", "thrifty", (0.5, 0.4, -0.4, 0)),
    ("practical", "dreamy", (0, -1.0, 0, 0.6)),
    ("organised", "untidy", (0, -0.3, 0.5, 1.0)),
    ("ambitious", "unassuming", (0.6, 0, 0.8, 0)),
    ("stubborn", "adaptable", (0, -0.8, 0.7, 0)),
    ("witty", "earnest", (0.8, 0.3, 0, -0.5)),
    ("sentimental", "unsentimental", (0, 0.4, -0.7, 0)),
    ("trusting", "sceptical", (0.5, 0, -1.0, 0)),
    ("competitive", "cooperative", (0, 0, 0.9, -0.4)),
    ("bookish", "sporty", (-0.8, 0.7, 0, 0)),
    ("artistic", "analytical", (0, 0.8, -0.4, -0.4)),
    ("independent", "loyal", (-0.4, 0.7, 0, -0.4)),
    ("old-fashioned", "trend-conscious", (-0.4, -0.8, 0, 0.9)),
    ("adventurous", "home-loving", (0.7, 1.0, 0, -0.6)),
    ("gentle", "blunt", (0, 0, -1.0, 0.4)),
)
"""Opposite traits with the temper that leads to the first. Nobody has two from one axis."""

TRAITS = tuple(word for first, second, _ in AXES for word in (first, second))

_HABIT_TEMPER = (
    (0.1, 0.0, 0.3, 0.4),  # watcher
    (0.0, 0.9, 0.0, -0.2),  # explorer
    (0.0, 0.0, 1.0, 0.0),  # critic
    (0.9, 0.0, -0.1, 0.0),  # chatter
    (0.6, 0.2, 0.2, -0.3),  # poster
)
_HABIT_START = (-0.3, -0.4, -0.5, -0.2, -0.9)
_HABIT_TRAITS = {
    "outgoing": (0, 0, 0, 0.9, 0.8),
    "shy": (0, 0, 0, -0.9, -0.9),
    "curious": (0, 1.1, 0, 0.2, 0),
    "single-minded": (0, -0.7, 0, 0, 0),
    "critical": (0.3, 0, 1.3, 0, 0.1),
    "forgiving": (0, 0, -0.9, 0, 0),
    "organised": (0.7, 0, 0, 0, 0),
    "untidy": (-0.5, 0, 0, 0, 0),
    "earnest": (0.5, 0, 0, 0, 0),
    "witty": (0, 0, 0, 0.4, 0.5),
    "trusting": (0, 0, -0.3, 0.5, 0),
    "sceptical": (0, 0, 0.6, -0.4, 0),
    "adventurous": (0, 0.8, 0, 0, 0),
    "home-loving": (0, -0.5, 0, 0, 0),
    "trend-conscious": (0, 0.4, 0, 0, 0.7),
    "old-fashioned": (0, -0.4, 0, 0, -0.6),
    "blunt": (0, 0, 0.5, 0, 0.4),
    "unassuming": (0, 0, 0, 0, -0.6),
}
_NOISE = 0.5
_HUNDREDTHS = tuple(step / 100 for step in range(101))


def draw_temper(ages: Ints, seed: int) -> Floats:
    """Return [people, 4]: one temper each; the older are steadier on average."""
    temper: Floats = rng(seed, "population", "temper").standard_normal((len(ages), len(TEMPER)))
    temper[:, 3] += (ages - 42) / 40.0
    return temper


def draw_traits(temper: Floats, seed: int) -> tuple[Ints, Ints]:
    """Return [people, 4] trait numbers from four different axes, and how many of them count."""
    people = len(temper)
    draws = rng(seed, "population", "traits").random((people, 9))
    axes = np.empty((people, 4), np.int64)
    for step in range(4):
        axis = (draws[:, step] * (len(AXES) - step)).astype(np.int64)
        for taken in np.sort(axes[:, :step], axis=1).T:
            axis += axis >= taken
        axes[:, step] = axis
    loads = np.array([load for _, _, load in AXES], np.float64)
    leaning = np.einsum("pkt,pt->pk", loads[axes], temper)
    second = draws[:, 4:8] > 1.0 / (1.0 + np.exp(-leaning))
    counts = 2 + (draws[:, 8] > 0.25).astype(np.int64) + (draws[:, 8] > 0.75)
    return 2 * axes + second, counts


def draw_habits(temper: Floats, traits: Ints, counts: Ints, seed: int) -> list[Habits]:
    """Return habits in hundredths that follow from temper and traits, with some noise."""
    noise = rng(seed, "population", "habits").standard_normal((len(temper), 5))
    bumps = np.array([_HABIT_TRAITS.get(trait, (0,) * 5) for trait in TRAITS], np.float64)
    score = np.einsum("pt,ht->ph", temper, np.array(_HABIT_TEMPER)) + np.array(_HABIT_START)
    score += _NOISE * noise
    for step in range(4):
        score += bumps[traits[:, step]] * (step < counts)[:, None]
    steps = np.rint(100.0 / (1.0 + np.exp(-score))).astype(np.int64).tolist()
    # Shared floats: a million people would otherwise hold five million of them.
    return [Habits(*[_HUNDREDTHS[step] for step in row]) for row in steps]
