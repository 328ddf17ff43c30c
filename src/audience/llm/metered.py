"""What was asked and what it cost, told apart by purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import reduce
from typing import Any

import msgspec

from audience.llm.kinds import Gateway, Reply, Request
from audience.llm.prices import Prices


class Counts(msgspec.Struct):
    """The account of some calls. `dollars` leaves out what `unpriced` counts."""

    calls: int = 0
    """Asked now, whatever came of it; an evaluation counts those that it reuses, too."""
    reused: int = 0
    """Answered from the call store."""
    attempts: int = 0
    failures: dict[str, int] = msgspec.field(default_factory=dict)
    """By outcome: refusal, timeout, unreadable, error; stored ones included."""
    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0
    seconds: float = 0.0
    dollars: float = 0.0
    unpriced: int = 0
    """Calls whose cost is not known, since their model has no price."""

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    @property
    def cost(self) -> str:
        """The money in words that never pass an unknown cost off as none."""
        known = f"${self.dollars:.4f}" if self.dollars else "$0"
        if not self.unpriced:
            return known
        return f"${self.dollars:.4f} and {self.unpriced} calls without a known price"

    def plus(self, other: Counts) -> Counts:
        """Return both together."""
        sums: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__struct_fields__
            if name != "failures"
        }
        failures = Counter(self.failures) + Counter(other.failures)
        return Counts(**sums, failures=dict(failures))


class Meter:
    """Counts calls by purpose. Live: read it at any moment."""

    def __init__(self, prices: Prices, named: Mapping[str, str] | None = None) -> None:
        """`named` gives the price an endpoint goes by, where it is not the model's."""
        self.prices = prices
        self.by_purpose: dict[str, Counts] = {}
        self.unpriced: Counter[str] = Counter()
        """Calls by model without a price."""
        self._named = named or {}

    def count(self, purpose: str, reply: Reply) -> None:
        """Add one call."""
        sums = self.by_purpose.setdefault(purpose, Counts())
        if reply.outcome != "reply":
            sums.failures[reply.outcome] = sums.failures.get(reply.outcome, 0) + 1
        if reply.reused:
            sums.reused += 1
            return
        usage = reply.usage
        sums.calls += 1
        sums.attempts += reply.attempts
        sums.prompt += usage.prompt
        sums.completion += usage.completion
        sums.cached += usage.cached
        sums.reasoning += usage.reasoning
        sums.seconds += reply.seconds
        if usage.prompt + usage.completion == 0 and reply.outcome != "reply":
            return
        price = self.prices.find(self._named.get(reply.endpoint) or reply.model)
        if price is None:
            sums.unpriced += 1
            self.unpriced[reply.model or "unnamed"] += 1
        else:
            sums.dollars += price.of(usage)

    def total(self) -> Counts:
        """Return the sums over all purposes."""
        return reduce(Counts.plus, self.by_purpose.values(), Counts())

    def cost(self) -> str:
        """Return the money spent in words that never pass an unknown cost off as none."""
        total = self.total()
        if not total.unpriced:
            return total.cost
        models = ", ".join(sorted(self.unpriced))
        unknown = f"unknown for {total.unpriced} calls of {models}: no price in the table"
        return f"${total.dollars:.4f} and {unknown}" if total.dollars else f"cost {unknown}"


class Metered:
    """Counts every call that passes."""

    def __init__(self, inner: Gateway, meter: Meter) -> None:
        self.inner = inner
        self.meter = meter

    async def ask(self, request: Request) -> Reply:
        reply = await self.inner.ask(request)
        self.meter.count(request.purpose, reply)
        return reply

    async def close(self) -> None:
        await self.inner.close()
