"""Names from many cultures, so that people rarely share one."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from audience.datasets.catalogue import embedded_rows
from audience.world.rng import Bools, Floats, Ints, rng

MIXED = 0.12
"""Share of people whose family name comes from another culture than their given name."""

_MANY = 1 << 13


class _Pool(msgspec.Struct, frozen=True):
    """Lists of names laid end to end: list i is `members[starts[i] : starts[i] + sizes[i]]`."""

    words: tuple[str, ...]
    members: Ints
    starts: Ints
    sizes: Ints

    def at(self, lists: Ints, places: Ints) -> Ints:
        """Return the word numbers at the given places, counted round and round each list."""
        found: Ints = self.members[self.starts[lists] + places % self.sizes[lists]]
        return found


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
