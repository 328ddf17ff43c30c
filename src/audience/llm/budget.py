"""Budgets: what may be spent on calls, by one process or lent in parts to several."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import msgspec

from audience.errors import BadInput, Halt
from audience.llm.meter import Meter
from audience.llm.request import Gateway, Reply, Request


class BudgetSpent(Halt):
    """The budget does not allow another call; earlier answers are kept."""


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Upper limits of what may be spent; None is no limit."""

    dollars: float | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise BadInput(f"a budget of {value} {name} is not possible; give 0 or more")


class Spent(msgspec.Struct, frozen=True):
    """What was spent: calls that began, and dollars and tokens of those that ended."""

    dollars: float = 0.0
    calls: int = 0
    tokens: int = 0

    def plus(self, other: Spent) -> Spent:
        """Return the sum of both."""
        dollars, calls = self.dollars + other.dollars, self.calls + other.calls
        return Spent(dollars, calls, self.tokens + other.tokens)


Renew = Callable[[Spent], Budget]
"""Takes what a shard has spent in all, and returns how much it may have spent in all from now on.

It is called between two calls to a model and should return at once."""


_NAMES = Budget.__struct_fields__
_LEAST = Spent(dollars=0.001, calls=1, tokens=1_000)
"""The smallest part of a shared budget that is lent, unless less is left."""


class Budgeted:
    """Starts no call once the budget is spent; calls in progress may finish.

    It sits below the call store, so that a reused answer costs nothing and is never refused.
    """

    def __init__(
        self, inner: Gateway, budget: Budget, meter: Meter, renew: Renew | None = None
    ) -> None:
        """`renew`: asks for more of a shared budget, of which `budget` is the first part."""
        self.inner = inner
        self.budget = budget
        self.meter = meter
        self._renew = renew
        self._begun = 0

    async def ask(self, request: Request) -> Reply:
        """Ask, or raise `BudgetSpent` before anything is sent."""
        why = self._exceeded()
        if why and self._renew is not None:
            self.budget = self._renew(self.spent)
            why = self._exceeded()
        if why:
            what = "the budget" if self._renew is None else "the budget that all runs share"
            part = "" if self._renew is None else " in this one"
            raise BudgetSpent(
                f"{what} is spent: {why}{part}; everything so far is kept. Resume with a larger "
                "budget to go on"
            )
        self._begun += 1
        return await self.inner.ask(request)

    @property
    def spent(self) -> Spent:
        """What has been spent so far."""
        total = self.meter.total()
        return Spent(total.dollars, self._begun, total.tokens)

    async def close(self) -> None:
        await self.inner.close()

    def _exceeded(self) -> str:
        """Return which limit is reached, in words; empty if none is."""
        limit, total = self.budget, self.meter.total()
        if limit.calls is not None and self._begun >= limit.calls:
            return f"{self._begun} of {limit.calls} calls"
        if limit.tokens is not None and total.tokens >= limit.tokens:
            return f"{total.tokens:,} of {limit.tokens:,} tokens"
        if limit.dollars is None:
            return ""
        if total.unpriced:
            models = ", ".join(sorted(self.meter.unpriced))
            return (
                f"no price is known for {models}, so that ${limit.dollars:g} cannot be kept to "
                "(add one to the price table, or limit calls or tokens instead)"
            )
        if total.dollars >= limit.dollars:
            return f"${total.dollars:.4f} of ${limit.dollars:g}"
        return ""


class SharedBudget:
    """One budget for several shards: each is lent a part, and asks for more when that is used up.

    What is lent counts as spent until its shard reports, so that shards keep to the budget together
    as one process would. A part is half of what is left, divided by the number of shards: parts
    become small towards the end, and hardly anything is left when a shard is refused.
    """

    def __init__(self, budget: Budget, shards: int) -> None:
        self.budget = budget
        self.shards = shards
        self._spent: dict[Hashable, Spent] = {}
        self._lent: dict[Hashable, Budget] = {}
        """How much each shard may have spent in all."""
        self._lost = Spent()

    def lend(self, shard: Hashable, spent: Spent | None = None) -> Budget:
        """Return how much a shard may have spent in all, given what it has spent in all so far.

        If nothing is left, that is what it has spent.
        """
        spent = spent or Spent()
        self.settle(shard, spent)
        left = self.left
        parts = {name: self._part(name, getattr(left, name)) for name in _NAMES}
        allowed = {
            name: None if part is None else getattr(spent, name) + part
            for name, part in parts.items()
        }
        self._lent[shard] = Budget(**allowed)
        return self._lent[shard]

    def settle(self, shard: Hashable, spent: Spent) -> None:
        """Note what a shard has spent in all; the rest of its part is free for others."""
        self._spent[shard] = spent
        self._lent.pop(shard, None)

    def lose(self, shard: Hashable) -> None:
        """Count all that was lent to a shard as spent, since it ended without a report."""
        lent, spent = self._lent.pop(shard, Budget()), self._spent.pop(shard, Spent())
        self._lost = self._lost.plus(_most(lent, spent))

    @property
    def spent(self) -> Spent:
        """What was reported, and all that was lent to shards that were lost."""
        total = self._lost
        for spent in self._spent.values():
            total = total.plus(spent)
        return total

    @property
    def left(self) -> Budget:
        """What is neither spent nor lent."""
        gone = self._lost
        for shard, spent in self._spent.items():
            gone = gone.plus(_most(self._lent.get(shard, Budget()), spent))
        limits = {name: getattr(self.budget, name) for name in _NAMES}
        return Budget(
            **{
                name: None if limit is None else max(0, limit - getattr(gone, name))
                for name, limit in limits.items()
            }
        )

    def _part(self, name: str, left: float | None) -> float | None:
        if left is None:
            return None
        least: float = getattr(_LEAST, name)
        return min(left, max(least, type(least)(left / (2 * self.shards))))


def _most(lent: Budget, spent: Spent) -> Spent:
    """Return what a shard may have spent: all that it was lent, or more if calls took more."""
    pairs = {name: (getattr(spent, name), getattr(lent, name) or 0) for name in _NAMES}
    return Spent(**{name: max(pair) for name, pair in pairs.items()})
