"""What a recommender is: a recipe that is fitted into a ranker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np

from audience.world import Dice, Floats, Generator, Interactions, Ints


class Context(msgspec.Struct, frozen=True):
    """What a ranker is told besides who asks: one entry per user."""

    moments: Ints
    """Seconds since 1970."""
    pages: Ints
    """Pages already seen in this visit."""
    exclude: Sequence[tuple[int, ...]]
    """Items that must not be shown: lived already, or shown in this visit."""
    dice: Dice
    """One key per user, for rankers that draw."""
    candidates: Sequence[tuple[int, ...]] | None = None
    """Where given, nothing else may be shown."""
    lived: Sequence[tuple[int, ...]] | None = None
    """Where given, all that each user lived so far, oldest first: fresher than the fit."""
    key_of: Callable[[int], str] = str
    """The id of a user in the source data."""

    def part(self, rows: Ints) -> Context:
        """Return what is told about the users in `rows`."""
        chosen = rows.tolist()

        def of(column: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
            return [column[row] for row in chosen]

        return Context(
            self.moments[rows],
            self.pages[rows],
            of(self.exclude),
            self.dice.pick(rows),
            None if self.candidates is None else of(self.candidates),
            None if self.lived is None else of(self.lived),
            self.key_of,
        )


class Ranked(msgspec.Struct, frozen=True):
    """What a ranker may return instead of a plain array: ranked items, and what it knows of each.

    Every field but `failures` has the shape of `items`, [users, k].
    """

    items: Ints
    """Best first; -1 where nothing is left to show."""
    scores: Floats | None = None
    """What they were ranked by; NaN where there is none."""
    propensities: Floats | None = None
    """The chance with which the ranker, for this user and these exclusions, would have put the
    item on the page it stands on; NaN where that is not known."""
    reasons: Sequence[Sequence[str]] | None = None
    """Why each item is shown, in words for the user; empty where there is nothing to say."""
    failures: Mapping[int, str] = {}
    """Rows for which there is no slate, and why: their visits see a failure, the others go on."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: ANN401
        """Return the items alone, so that numpy takes it for the plain array."""
        return np.array(self.items, dtype, copy=copy)


class Ranker(Protocol):
    """A fitted ranking. Ranks a batch exactly as it would rank each user alone."""

    def rank(self, users: Ints, k: int, context: Context) -> Ints | Ranked:
        """Return [users, k] item ids, best first; -1 where nothing is left to show."""
        ...


@runtime_checkable
class AsyncRanker(Protocol):
    """A ranker that waits for others: visits that are coroutines go on meanwhile."""

    async def rank_async(self, users: Ints, k: int, context: Context) -> Ints | Ranked:
        """Return what `rank` returns. Requests of one turn of the event loop come together."""
        ...


@runtime_checkable
class Learnt(Protocol):
    """A ranker that can show what it learnt, so that equal fits are seen to be equal."""

    def learnt(self) -> bytes:
        """Return all that ranks, as bytes."""
        ...


@runtime_checkable
class SelfChecking(Protocol):
    """A ranker that says whether it has checked its own slates, so that nobody does it twice."""

    checks_itself: bool


def learnt_by(ranker: Ranker) -> bytes:
    """Return what a ranker learnt; nothing where it does not show it."""
    return ranker.learnt() if isinstance(ranker, Learnt) else b""


class Recommender(Protocol):
    """A recipe. `fit` returns a new object each time, so branches are safe."""

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        """Return a ranker learnt from all interactions so far. Unknown users must be fine."""
        ...
