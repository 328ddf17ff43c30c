"""What goes over the wire to a recommender service, and what comes back, checked user by user."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import msgspec
import numpy as np

from audience.recommenders.kinds import Context, Ranked
from audience.recommenders.service_wire import Unserved
from audience.world.items import Catalogue
from audience.world.rng import Floats, Ints

T = TypeVar("T")


class Asking(msgspec.Struct, frozen=True):
    """One user of a rank request."""

    id: str
    moment: int
    surface: str
    page: int
    query: str
    exclude: list[str]


class RankRequest(msgspec.Struct, frozen=True):
    run: str
    k: int
    users: list[Asking]


class RankAnswer(msgspec.Struct, frozen=True):
    """One entry per user, in the order they were asked for."""

    slates: list[list[str | int]]
    scores: list[list[float | None]] | None = None
    propensities: list[list[float | None]] | None = None
    reasons: list[list[str | None]] | None = None


class Health(msgspec.Struct, frozen=True):
    name: str
    version: str = ""
    items: int | None = None
    """How many items it can recommend."""


class Keys:
    """Items by the ids that the data gives them."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.names = tuple([item.key or str(item.id) for item in catalogue.items])
        self.ids = {name: number for number, name in reversed(list(enumerate(self.names)))}


@lru_cache(maxsize=2)
def keys_in(catalogue: Catalogue) -> Keys:
    """Return the keys of a catalogue, made once."""
    return Keys(catalogue)


def request(run: str, users: Ints, k: int, context: Context, keys: Keys) -> bytes:
    """Return the body of a rank request."""
    told = zip(
        users.tolist(),
        context.moments.tolist(),
        context.pages.tolist(),
        context.exclude,
        strict=True,
    )
    names = keys.names
    asked = [
        Asking(context.key_of(user), at, "recommender", page, "", [names[item] for item in barred])
        for user, at, page, barred in told
    ]
    return msgspec.json.encode(RankRequest(run, k, asked))


def decoded(payload: bytes, kind: type[T]) -> T:
    """Return an answer as its type; raise `Unserved` with what is wrong."""
    try:
        return msgspec.json.decode(payload, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        shown = payload[:80].decode("utf-8", "replace")
        raise Unserved(f"answered what the contract does not allow: {error} ({shown!r})") from None


def ranked(
    answer: RankAnswer, k: int, exclude: Sequence[tuple[int, ...]], keys: Keys, fewest: int
) -> Ranked:
    """Return an answer as slates; a row that cannot be shown is a failure that names why."""
    users = len(exclude)
    for name in RankAnswer.__struct_fields__:
        rows = getattr(answer, name)
        if rows is not None and len(rows) != users:
            raise Unserved(f"answered {len(rows)} {name} for {users} users")
    items = np.full((users, k), -1, np.int64)
    failures: dict[int, str] = {}
    for row, barred in enumerate(exclude):
        found = _row(answer, row, k, barred, keys, fewest)
        if isinstance(found, str):
            failures[row] = found
        else:
            items[row, : len(found)] = found
    reasons = None
    if answer.reasons is not None:
        reasons = [[text or "" for text in row] for row in answer.reasons]
    return Ranked(
        items,
        _numbers(answer.scores, items.shape, failures),
        _numbers(answer.propensities, items.shape, failures),
        reasons,
        failures,
    )


def _row(
    answer: RankAnswer, row: int, k: int, barred: tuple[int, ...], keys: Keys, fewest: int
) -> list[int] | str:
    names = [str(name) for name in answer.slates[row]]
    found = [keys.ids.get(name, -1) for name in names]
    if -1 in found:
        return f"item {names[found.index(-1)][:80]!r} is not in the catalogue"
    if len(set(found)) < len(found):
        twice = next(name for name in names if names.count(name) > 1)
        return f"item {twice!r} comes twice"
    left_out = set(barred).intersection(found)
    if left_out:
        return f"item {keys.names[min(left_out)]!r} was to be left out"
    needed = min(k, len(keys.names) - len(set(barred)))
    if fewest:
        needed = min(needed, fewest)
    if not needed <= len(found) <= k:
        asked = f"at least {needed}" if fewest else f"{needed}"
        return f"{len(found)} items came where {asked} of {k} were asked for and could be shown"
    return _annotations(answer, row, len(found)) or found


def _annotations(answer: RankAnswer, row: int, count: int) -> str:
    for name in ("scores", "propensities", "reasons"):
        rows = getattr(answer, name)
        if rows is not None and len(rows[row]) != count:
            return f"{len(rows[row])} {name} came for {count} items"
    for chance in answer.propensities[row] if answer.propensities else ():
        if chance is not None and not 0.0 < chance <= 1.0:
            return f"propensity {chance:g} is not above 0 and at most 1"
    return ""


def _numbers(
    rows: list[list[float | None]] | None, shape: tuple[int, ...], failures: dict[int, str]
) -> Floats | None:
    if rows is None:
        return None
    table = np.full(shape, math.nan)
    for row, numbers in enumerate(rows):
        if row not in failures:
            table[row, : len(numbers)] = [math.nan if n is None else n for n in numbers]
    return table
