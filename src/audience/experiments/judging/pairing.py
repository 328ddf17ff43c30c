"""Blind pairs: an agent's text and a person's, or two ways on from the same past."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from audience.errors import BadInput
from audience.experiments.judging.kinds import VERSION, Pair, Paired, Shown
from audience.experiments.judging.lived import Made
from audience.world.rng import key

SEQUENCES, REFERENCES = "audience-sequences", "audience-references"
AGENT, PERSON = "agent", "person"
TRUTH = "truth"
"""The name under which a file of sequences gives what a person really did."""

_File = TypeVar("_File", "Sequences", "References")


class Walk(msgspec.Struct, frozen=True):
    """What several minds, and the person itself, went on to from the same past."""

    user: int
    steps: int
    history: tuple[Shown, ...]
    """Newest first."""
    ways: dict[str, tuple[Shown, ...]]
    """By the name of the mind, or `truth`."""


class Sequences(msgspec.Struct, frozen=True):
    """A file of sequences, as `audience eval generation` exports it."""

    walks: tuple[Walk, ...]
    plural: str = "items"
    format: str = SEQUENCES
    version: int = VERSION


class Reference(msgspec.Struct, frozen=True):
    """A case of T1 to T3 with the texts that people wrote for it."""

    made: Made
    texts: dict[str, str]
    """By judge."""


class References(msgspec.Struct, frozen=True):
    """A file of references, as `audience eval people import` writes it."""

    cases: tuple[Reference, ...]
    format: str = REFERENCES
    version: int = VERSION


def read_file(path: Path, kind: type[_File], flag: str) -> _File:
    """Return a file of sequences or of references."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise BadInput(f"{flag} {path} cannot be read: {error.strerror or error}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(f"{flag} {path} is no such file: {error}") from error
    wanted = kind.__struct_defaults__[-2]
    if found.format != wanted:
        raise BadInput(f"{flag} {path}: its format is {found.format!r}, not {wanted!r}")
    return found


def text_pairs(found: References, seed: int) -> Iterator[tuple[Pair, Paired]]:
    """Yield each text that a person wrote beside the agent's, in a drawn order."""
    for one in found.cases:
        made = one.made
        for author, text in sorted(one.texts.items()):
            case = f"{made.what}/{made.case}/{author}"
            sides: dict[str, tuple[str, ...]] = {AGENT: (made.text,), PERSON: (text,)}
            about = (made.what, made.person, made.lines)
            yield _pair(about, sides, made.what, case, seed, author)


def way_pairs(found: Sequences, cases: int, seed: int) -> Iterator[tuple[Pair, Paired]]:
    """Yield every two ways of up to `cases` people for each number of steps."""
    for steps in sorted({walk.steps for walk in found.walks}):
        walks = [walk for walk in found.walks if walk.steps == steps]
        walks.sort(key=lambda walk: key(seed, "judging", "walk", walk.user, walk.steps))
        for walk in walks[:cases]:
            about = ("sequence", "", tuple(_told(one) for one in walk.history))
            names = sorted(walk.ways, key=lambda name: name == TRUTH)
            for first, second in combinations(names, 2):
                # Stars would give away which way somebody really went.
                sides = {
                    name: tuple(_told(replace(one, stars=0.0)) for one in walk.ways[name])
                    for name in (first, second)
                }
                yield _pair(about, sides, f"N={steps}", f"N={steps}/{walk.user}", seed)


def _pair(
    about: tuple[str, str, tuple[str, ...]],
    sides: dict[str, tuple[str, ...]],
    table: str,
    case: str,
    seed: int,
    author: str = "",
) -> tuple[Pair, Paired]:
    first, second = sides
    if key(seed, "judging", "side", case, first, second) % 2:
        first, second = second, first
    seen = Pair("", *about, sides[first], sides[second])
    return seen, Paired(table, case, first, second, author)


def _told(item: Shown) -> str:
    year = f" ({item.year})" if item.year else ""
    stars = f" · {item.stars:g} of 5 stars" if item.stars else ""
    return f"{item.title}{year}" + (f" · {', '.join(item.tags)}" if item.tags else "") + stars
