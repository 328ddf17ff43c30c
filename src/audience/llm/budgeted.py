"""A gateway that stops when the budget is spent."""

from __future__ import annotations

import msgspec

from audience.errors import BadInput, Halt
from audience.llm.kinds import Gateway, Reply, Request
from audience.llm.metered import Meter


class BudgetSpent(Halt):
    """The budget does not allow another call. What was answered before is kept."""


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The most that may be used up; None is no limit."""

    dollars: float | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise BadInput(f"a budget of {value} {name} makes no sense; give 0 or more")


class Budgeted:
    """Begins no call once the budget is used up; those under way may finish.

    It stands below the call store: an answer that is reused costs nothing and is never refused.
    """

    def __init__(self, inner: Gateway, budget: Budget, meter: Meter) -> None:
        self.inner = inner
        self.budget = budget
        self.meter = meter
        self._begun = 0

    async def ask(self, request: Request) -> Reply:
        """Ask, or raise `BudgetSpent` before anything is sent."""
        spent = self._spent()
        if spent:
            raise BudgetSpent(
                f"the budget is spent: {spent}; everything so far is kept. Resume with a larger "
                "budget to go on"
            )
        self._begun += 1
        return await self.inner.ask(request)

    async def close(self) -> None:
        await self.inner.close()

    def _spent(self) -> str:
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
