"""Datasets and corpora: interactions, people, items and ties as they were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.world import Bools, Clock, Domain, Floats, Genesis, Ints, Item, Profile, keys


@runtime_checkable
class Dataset(Protocol):
    """A source of catalogue, people and ties."""

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        """Return what is true before the first event. Equal arguments give equal bytes."""
        ...


_Thing = TypeVar("_Thing", Item, Profile)


class SkippedLines(msgspec.Struct, frozen=True):
    """Lines of a source that were left out, and why; they are reported to the user."""

    reason: str
    count: int
    first: str
    """The file and line of the first of them."""


class SkipTally:
    """Counts what is left out while a source is read."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, reason: str, where: str, count: int = 1) -> None:
        """Count lines that were left out, of which the first is at `where`."""
        if count:
            before, first = self._found.get(reason, (0, where))
            self._found[reason] = (before + count, first)

    def skipped(self) -> tuple[SkippedLines, ...]:
        return tuple(SkippedLines(reason, *found) for reason, found in self._found.items())


class Columns(msgspec.Struct, frozen=True, eq=False):
    """Interactions in the order of time, as columns of equal length."""

    users: Ints
    """Indices of people in the corpus."""
    items: Ints
    """Indices of items in its catalogue."""
    at: Ints
    """Seconds since 1970."""
    stars: Floats
    """0.5 to 5; 0 if there is no rating."""
    fractions: Floats
    """How much of the item was consumed, 0 to 1."""

    def __len__(self) -> int:
        return len(self.users)

    def rows(self, chosen: Ints | Bools) -> Columns:
        """Return some of the interactions."""
        return Columns(*(column[chosen] for column in self.all))  # type: ignore[arg-type]

    @property
    def all(self) -> tuple[Ints, Ints, Ints, Floats, Floats]:
        return (self.users, self.items, self.at, self.stars, self.fractions)


class Edges(msgspec.Struct, frozen=True, eq=False):
    """Ties between people by index; each row is one direction."""

    firsts: Ints
    others: Ints
    kinds: Ints
    closeness: Floats
    names: tuple[str, ...] = ("friend",)


class Corpus(msgspec.Struct, frozen=True, eq=False):
    """A source as it was read. No field of an item or a person comes from the interactions.

    So a corpus with the interactions of a training part knows nothing of the rest.
    """

    name: str
    items: tuple[Item, ...]
    people: tuple[Profile, ...]
    """All people by index; of most only the key is known."""
    lived: Columns
    ties: Edges | None = None
    domain: Domain = Domain("item", "items", "tried")
    dated: bool = True
    """Whether the timestamps are the source's own; otherwise only each person's order is."""
    skipped: tuple[SkippedLines, ...] = ()
    notes: tuple[str, ...] = ()
    """Warnings about the source."""

    def having(self, lived: Columns) -> Corpus:
        """Return the same corpus with other interactions, such as those of a training part."""
        return msgspec.structs.replace(self, lived=lived)


def in_time(columns: Columns, tally: SkipTally, where: str, *, dated: bool = True) -> Columns:
    """Return interactions in the order of time, lines as in the file where moments are equal.

    One that repeats person, item and moment of an earlier one is left out and counted; where
    moments are made up, one that repeats person and item.
    """
    by_pair = np.lexsort((columns.at, columns.items, columns.users))
    users, items, at = (column[by_pair] for column in columns.all[:3])
    again = (np.diff(users) == 0) & (np.diff(items) == 0) & ((np.diff(at) == 0) | (not dated))
    kept = np.ones(len(columns), bool)
    kept[by_pair[1:][again]] = False
    what = "person, item and moment" if dated else "person and item"
    tally.add(f"the same {what} again", where, int(again.sum()))
    order = np.argsort(columns.at, kind="stable")
    return columns.rows(order[kept[order]])


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the concatenation of interactions."""
    if not parts:
        nothing = np.empty(0, np.int64)
        return Columns(nothing, nothing, nothing, np.empty(0), np.empty(0))
    return Columns(
        *(np.concatenate(pieces) for pieces in zip(*(p.all for p in parts), strict=True))
    )


def at_least(corpus: Corpus, per_person: int, per_item: int, *, core: bool = False) -> Corpus:
    """Return those people and items that have so many interactions; `core` until all of them do."""
    if per_person <= 0 and per_item <= 0:
        return corpus
    lived = corpus.lived
    here, there = np.ones(len(corpus.people), bool), np.ones(len(corpus.items), bool)
    rows = np.ones(len(lived), bool)
    while True:
        before = int(here.sum()) + int(there.sum())
        here &= np.bincount(lived.users[rows], minlength=len(here)) >= per_person
        there &= np.bincount(lived.items[rows], minlength=len(there)) >= per_item
        rows = here[lived.users] & there[lived.items]
        if not core or before == int(here.sum()) + int(there.sum()):
            break
    if not here.any() or not there.any():
        raise BadInput(
            f"{corpus.name}: nobody is left with {per_person} interactions a person and "
            f"{per_item} an item; ask for fewer"
        )
    return _only(corpus, np.flatnonzero(here), np.flatnonzero(there))


def chosen(corpus: Corpus, people: int, seed: int, *, sample: bool = False) -> Corpus:
    """Return a corpus of the first people of a source, or of as many drawn ones.

    Of those drawn, a smaller number is the beginning of a larger one.
    """
    there = len(corpus.people)
    if people < 1:
        raise BadInput(f"{people} people were requested; ask for at least one")
    if people > there:
        raise BadInput(
            f"{corpus.name} has {there} people and {people} were requested; ask for at most {there}"
        )
    places: Ints = np.arange(there)
    if sample:
        places = np.argsort(keys(seed, "data", "sample", places), kind="stable")
    return _only(corpus, places[:people], np.arange(len(corpus.items)))


def halves(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    """Return two corpora with a random half of the people each.

    Items are the same in both, so that no interaction is in both and every item has one id.
    """
    there = len(corpus.people)
    if there < 2:
        raise BadInput(f"{corpus.name} has {there} people, who cannot be halved; leave out `apart`")
    order = np.argsort(keys(seed, "data", "halves", np.arange(there)), kind="stable")
    everything = np.arange(len(corpus.items))
    mine, others = np.sort(order[: there // 2]), np.sort(order[there // 2 :])
    return _only(corpus, mine, everything), _only(corpus, others, everything)


def _only(corpus: Corpus, people: Ints, items: Ints) -> Corpus:
    """Return a corpus of the given people and items, in the given order."""
    new_person, new_item = _renumbered(people, corpus.people), _renumbered(items, corpus.items)
    users, lived_items = new_person[corpus.lived.users], new_item[corpus.lived.items]
    rows = (users >= 0) & (lived_items >= 0)
    lived = msgspec.structs.replace(
        corpus.lived.rows(rows), users=users[rows], items=lived_items[rows]
    )
    return msgspec.structs.replace(
        corpus,
        items=_reidentified(corpus.items, items),
        people=_reidentified(corpus.people, people),
        lived=lived,
        ties=None if corpus.ties is None else _edges_among(corpus.ties, new_person),
    )


def _renumbered(places: Ints, things: Sequence[object]) -> Ints:
    found = np.full(len(things), -1, np.int64)
    found[places] = np.arange(len(places))
    return found


def _reidentified(things: Sequence[_Thing], places: Ints) -> tuple[_Thing, ...]:
    if np.array_equal(places, np.arange(len(things))):
        return tuple(things)
    pairs = enumerate(places.tolist())
    return tuple(msgspec.structs.replace(things[old], id=new) for new, old in pairs)


def _edges_among(ties: Edges, new: Ints) -> Edges:
    firsts, others = new[ties.firsts], new[ties.others]
    rows = (firsts >= 0) & (others >= 0)
    return Edges(firsts[rows], others[rows], ties.kinds[rows], ties.closeness[rows], ties.names)


def friendships(pairs: Iterable[tuple[int, int, str, float]], *, mutual: bool = True) -> Edges:
    """Return ties from pairs of people; a mutual one counts in both directions, each once."""
    directed: dict[tuple[int, int], tuple[str, float]] = {}
    for first, other, kind, closeness in pairs:
        if first != other:
            directed[first, other] = (kind, closeness)
            if mutual:
                directed.setdefault((other, first), (kind, closeness))
    names = tuple(sorted({kind for kind, _ in directed.values()})) or ("friend",)
    number = {name: place for place, name in enumerate(names)}
    return Edges(
        np.array([first for first, _ in directed], np.int64),
        np.array([other for _, other in directed], np.int64),
        np.array([number[kind] for kind, _ in directed.values()], np.int64),
        np.array([closeness for _, closeness in directed.values()], np.float64),
        names,
    )
