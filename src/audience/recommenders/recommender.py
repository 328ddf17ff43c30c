"""The protocols of recommenders and rankers, and what passes between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np

from audience.recommenders.view import RecommenderView
from audience.world import Dice, Floats, Generator, Ints


class Context(msgspec.Struct, frozen=True):
    """What a ranker knows besides the users: one entry per user."""

    moments: Ints
    """Seconds since 1970."""
    pages: Ints
    """Pages already seen in this visit."""
    exclude: Sequence[tuple[int, ...]]
    """Items that must not be shown: watched before, or shown in this visit."""
    dice: Dice
    """One key per user, for rankers that draw."""
    candidates: Sequence[tuple[int, ...]] | None = None
    """If given, nothing else may be shown."""
    lived: Sequence[tuple[int, ...]] | None = None
    """If given, all that each user watched so far, oldest first, newer than the fit."""
    key_of: Callable[[int], str] = str
    """The id of a user in the source data."""
    skipped: Sequence[tuple[int, ...]] | None = None
    """If given, what each user was shown in this visit and did not take."""

    def part(self, rows: Ints) -> Context:
        """Return the context of the users in `rows`."""
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
            None if self.skipped is None else of(self.skipped),
        )


class Ranked(msgspec.Struct, frozen=True):
    """Ranked items with annotations, which a ranker may return instead of a plain array.

    Every field but `failures` has the shape of `items`, [users, k].
    """

    items: Ints
    """Best first; -1 where nothing is left to show."""
    scores: Floats | None = None
    """The scores they were ranked by; NaN for none."""
    propensities: Floats | None = None
    """The probability with which the ranker, for this user and these exclusions, puts the item on
    its page; NaN if unknown."""
    reasons: Sequence[Sequence[str]] | None = None
    """Why each item is shown, in words for the user; may be empty."""
    failures: Mapping[int, str] = {}
    """Rows without a slate, and why: their visits see a failure, the others go on."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: ANN401
        """Return the items, so that numpy treats this as the plain array."""
        return np.array(self.items, dtype, copy=copy)


class Ranker(Protocol):
    """A fitted ranking; ranks a batch exactly like its users one by one."""

    def rank(self, users: Ints, k: int, context: Context) -> Ints | Ranked:
        """Return [users, k] item ids, best first; -1 where nothing is left to show."""
        ...


@runtime_checkable
class AsyncRanker(Protocol):
    """A ranker that waits, while visits driven as coroutines go on."""

    async def rank_async(self, users: Ints, k: int, context: Context) -> Ints | Ranked:
        """Return what `rank` returns; requests of one turn of the event loop are batched."""
        ...


@runtime_checkable
class Learnt(Protocol):
    """A ranker that can show what it learned, so that equal fits can be recognised."""

    def learnt(self) -> bytes:
        """Return all that ranks, as bytes."""
        ...


@runtime_checkable
class SelfChecking(Protocol):
    """A ranker that declares whether it checks its own slates, to avoid double checks."""

    checks_itself: bool


def learnt_by(ranker: Ranker) -> bytes:
    """Return what a ranker learned, empty if it does not show it."""
    return ranker.learnt() if isinstance(ranker, Learnt) else b""


class Recommender(Protocol):
    """A recipe for rankers; `fit` returns a new object each time, so that branches are safe."""

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        """Return a ranker fitted to all that was seen so far, which must accept unknown users."""
        ...
