"""Who follows whom in a spread: a generated directed graph, or the user's edge list."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from audience.errors import BadInput
from audience.files import check_regular
from audience.world import Generator, Ints, Ties, rng

GRAPHS = ("preferential", "small-world", "random")
KINDS = ("low-impact", "regular", "influential")
INFLUENTIAL, REGULAR = 0.01, 0.4
"""Shares of people, by how many follow them."""
_CLOSENESS = 0.5
_NAMES = ("followee",)
log = logging.getLogger(__name__)


def directed(people: int, seed: int, kind: str, degree: float = 10.0, mutual: float = 0.3) -> Ties:
    """Return a directed graph in which everybody follows about `degree` others.

    `preferential`: half of the choices go to somebody already followed, so that few are followed
    by many. `small-world`: a ring with a tenth of the ties led elsewhere. `random`: anybody.
    `mutual` is the share of ties that are answered.
    """
    draws = rng(seed, "follows", kind)
    count = np.minimum(draws.poisson(degree, people), max(people - 1, 0))
    firsts = np.repeat(np.arange(people), count)
    if kind == "preferential":
        others = _preferential(firsts, people, draws)
    elif kind == "small-world":
        steps = np.arange(len(firsts)) - np.repeat(np.cumsum(count) - count, count) + 1
        steps = np.where(steps % 2 == 0, steps // 2, -(steps + 1) // 2)
        elsewhere = draws.random(len(firsts)) < 0.1
        anywhere = draws.integers(0, people, len(firsts))
        others = np.where(elsewhere, anywhere, (firsts + steps) % people)
    else:
        others = draws.integers(0, people, len(firsts))
    answered = draws.random(len(firsts)) < mutual
    both = np.concatenate([firsts, others[answered]])
    return follows(people, both, np.concatenate([others, firsts[answered]]))


def _preferential(firsts: Ints, people: int, draws: Generator) -> Ints:
    """Return whom each follows: somebody at random, or whom an earlier tie leads to.

    Copying an earlier tie is choosing by the number of followers. All copies point backwards, so
    they are resolved by following the pointers, doubling at each step.
    """
    ties = len(firsts)
    others = draws.integers(0, people, ties)
    order = draws.permutation(ties)
    earlier = (draws.random(ties) * np.arange(ties)).astype(np.int64)
    copying = draws.random(ties) < 0.5
    copying[:1] = False
    source = np.where(copying, earlier, np.arange(ties))
    while True:
        further = source[source]
        if np.array_equal(further, source):
            break
        source = further
    chosen = np.empty(ties, np.int64)
    chosen[order] = others[source]
    return chosen


def follows(people: int, firsts: Ints, others: Ints) -> Ties:
    """Return the ties of distinct pairs; nobody follows themselves."""
    codes = np.unique((firsts * people + others)[firsts != others])
    firsts, others = codes // max(people, 1), codes % max(people, 1)
    kinds = np.zeros(len(codes), np.uint8)
    return Ties.of(people, firsts, others, kinds, np.full(len(codes), _CLOSENESS), _NAMES)


def edges_in(path: Path, keys: Sequence[str]) -> Ties:
    """Return the ties that a file lists as `follower,followee`, one a line, by id or by key.

    Self-loops are left out and counted in a warning; a line that names somebody unknown is named.
    """
    people = len(keys)
    check_regular(path)
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise BadInput(f"graph {path} cannot be read ({error.strerror}); name a CSV file") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"graph {path} is not UTF-8 text (byte {error.start})") from None
    head, skipped = _head(text)
    body = text[head:]
    places = {key: number for number, key in enumerate(keys) if key}
    pairs = _numbers(body) if _are_ids(places) else None
    if pairs is None:
        pairs = _named(body, places, people, path, skipped)
    bad = np.flatnonzero(((pairs < 0) | (pairs >= people)).any(axis=1))
    if len(bad):
        row = pairs[bad[0]].tolist()
        who = next(one for one in row if not 0 <= one < people)
        line = _line(body, int(bad[0])) + skipped
        raise _unknown(path, line, str(who), people)
    loops = int((pairs[:, 0] == pairs[:, 1]).sum())
    if loops:
        log.warning("graph %s: %d ties of people to themselves were left out", path, loops)
    return follows(people, pairs[:, 0], pairs[:, 1])


def _are_ids(places: Mapping[str, int]) -> bool:
    """Return whether a number in a file is an id: no key is another number."""
    return all(not key.isdecimal() or int(key) == place for key, place in places.items())


def _head(text: str) -> tuple[int, int]:
    """Return the length of the header in characters and in lines."""
    first, newline, _ = text.partition("\n")
    named = first.strip().lower().replace(" ", "").replace("\t", ",")
    if named in ("follower,followee", "source,target", "from,to"):
        return len(first) + len(newline), 1
    return 0, 0


def _numbers(body: str) -> Ints | None:
    """Return pairs of plain numbers, a million lines at a time; None if a line has more."""
    if not body.strip():
        return np.empty((0, 2), np.int64)
    delimiter = "," if "," in body.split("\n", 1)[0] else None
    try:
        found = np.loadtxt(
            io.StringIO(body), np.int64, delimiter=delimiter, comments="#", ndmin=2, usecols=(0, 1)
        )
    except (ValueError, IndexError, OverflowError):
        return None
    pairs: Ints = found
    return pairs


def _named(body: str, places: Mapping[str, int], people: int, path: Path, skipped: int) -> Ints:
    pairs: list[tuple[int, int]] = []
    for number, line in enumerate(body.splitlines(), 1 + skipped):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = [part.strip() for part in (line.split(",") if "," in line else line.split())]
        if len(parts) < 2:
            raise BadInput(
                f"graph {path}, line {number}: {line.strip()[:60]!r} is not `follower,followee`"
            )
        pair = [_place(part, places, people) for part in parts[:2]]
        for part, found in zip(parts, pair, strict=False):
            if found < 0:
                raise _unknown(path, number, part, people)
        pairs.append((pair[0], pair[1]))
    return np.array(pairs, np.int64).reshape(len(pairs), 2)


def _place(name: str, places: Mapping[str, int], people: int) -> int:
    if name in places:
        return places[name]
    if name.isascii() and name.isdecimal() and len(name) < 12 and int(name) < people:
        return int(name)
    return -1


def _line(body: str, row: int) -> int:
    """Return the line of a row of numbers."""
    rows = -1
    for number, line in enumerate(body.splitlines(), 1):
        rows += bool(line.partition("#")[0].strip())
        if rows == row:
            return number
    return row + 1


def _unknown(path: Path, line: int, who: str, people: int) -> BadInput:
    return BadInput(
        f"graph {path}, line {line}: person {who[:60]!r} does not exist; there are {people}, from "
        f"0 to {people - 1}: name one of them by id or key, or ask for more agents"
    )


def followers(ties: Ties) -> Ints:
    """Return how many follow each person."""
    return np.bincount(ties.others, minlength=len(ties.starts) - 1)


def impact(ties: Ties) -> Ints:
    """Return each person's kind as a place in `KINDS`, by how many follow them.

    The first hundredth (at least one person) is influential, the next 40 of a hundred regular;
    equals are told apart by their ids.
    """
    count = followers(ties)
    order = np.argsort(-count, kind="stable")
    kinds = np.zeros(len(count), np.int64)
    most = max(1, round(INFLUENTIAL * len(count)))
    kinds[order[: most + round(REGULAR * len(count))]] = 1
    kinds[order[:most]] = 2
    return kinds
