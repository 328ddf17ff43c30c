"""Tasks as a judge sees them, and the sealed key that says what each of them is.

A sheet holds nothing by which a judge could identify the sides of a task; the key does, in a file
of its own.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec

SHEET, KEY, ANSWERS = "audience-sheet", "audience-key", "audience-answers"
VERSION = 1
WRITTEN = ("T1", "T2", "T3")
"""Summaries, insights and reflections."""
VARIANTS = ("full", "no-short", "no-long", "no-reflection")
VERDICTS = (1, 2, 3, 4, 5)
"""From `the first is much better` over `equally good` to `the second is much better`."""


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item as a judge sees it."""

    title: str
    year: int | None = None
    tags: tuple[str, ...] = ()
    stars: float = 0.0
    """The person's rating; 0 if there is none, or if it is not to be shown."""


class Choose(msgspec.Struct, frozen=True, tag="choose"):
    """Task: which of some items did a person consume next, given their history?"""

    id: str
    history: tuple[Shown, ...]
    """The last items, newest first."""
    earlier: int
    """How many more there were before them."""
    tastes: str
    """The tags of the whole history with their shares, in words."""
    candidates: tuple[Shown, ...]
    choose: int


class Write(msgspec.Struct, frozen=True, tag="write"):
    """Task: put into one sentence what a person lived, understood or concludes."""

    id: str
    what: str
    """One of `WRITTEN`."""
    person: str
    lines: tuple[str, ...]


class Pair(msgspec.Struct, frozen=True, tag="pair"):
    """Task: which of two is better, on five points?"""

    id: str
    about: str
    """One of `WRITTEN`, or `sequence`."""
    person: str
    lines: tuple[str, ...]
    """What both were made from."""
    first: tuple[str, ...]
    second: tuple[str, ...]


class Score(msgspec.Struct, frozen=True, tag="score"):
    """Task: how informative and how relevant is what was recalled, 1 to 5 each?"""

    id: str
    person: str
    behaviour: tuple[str, ...]
    memories: tuple[str, ...]


Task = Choose | Write | Pair | Score


class Sheet(msgspec.Struct, frozen=True):
    """All tasks of a page, in order."""

    id: str
    plural: str
    """What the items are called."""
    tasks: tuple[Task, ...]
    format: str = SHEET
    version: int = VERSION


class Chosen(msgspec.Struct, frozen=True, tag="choose"):
    """Key of a choice: what it was made from."""

    user: int
    key: str
    a: int
    b: int
    negatives: str
    candidates: tuple[int, ...]
    """Items in the order they are shown."""
    truth: tuple[bool, ...]


class WrittenKey(msgspec.Struct, frozen=True, tag="write"):
    """Key of a text: its case, and the agent's own text."""

    case: str
    agent: str


class Paired(msgspec.Struct, frozen=True, tag="pair"):
    """Key of a pair: which side is which."""

    table: str
    """One of `WRITTEN`, or the number of steps of a sequence, such as `N=5`."""
    case: str
    first: str
    second: str
    author: str = ""
    """Who wrote the reference, so that no one judges their own words."""


class ScoredKey(msgspec.Struct, frozen=True, tag="score"):
    """Key of a score: which memory this is."""

    case: str
    variant: str


Sealed = Chosen | WrittenKey | Paired | ScoredKey


class Key(msgspec.Struct, frozen=True):
    """What each task of a page is. Keep it from judges."""

    page: str
    """The id of the sheet it belongs to."""
    seed: int
    sheet: Sheet
    tasks: dict[str, Sealed]
    format: str = KEY
    version: int = VERSION


def sheet_id(tasks: tuple[Task, ...]) -> str:
    """Return the id of a sheet with these tasks."""
    return blake2b(msgspec.json.encode(tasks), digest_size=8).hexdigest()
