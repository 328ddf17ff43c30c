"""Prices, and the account of calls and tokens; an unpriced model has an unknown cost."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property, reduce
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from audience.errors import BadInput
from audience.llm.request import Gateway, Reply, Request, Usage
from audience.toml_reader import read_toml, text_file

_DATED = re.compile(r"-(\d{4}(-\d\d-\d\d)?|\d{6,8}|latest)$")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens."""

    prompt: float
    completion: float
    cached: float | None = None
    reasoning: float | None = None

    def of(self, usage: Usage) -> float:
        """Return the cost of tokens in dollars; cached and reasoning ones have their own price."""
        cached = self.prompt if self.cached is None else self.cached
        reasoning = self.completion if self.reasoning is None else self.reasoning
        return (
            max(0, usage.prompt - usage.cached) * self.prompt
            + usage.cached * cached
            + max(0, usage.completion - usage.reasoning) * self.completion
            + usage.reasoning * reasoning
        ) / 1e6


class Prices(msgspec.Struct, frozen=True, dict=True):
    """The price table, with the date and the source of what is packaged."""

    table: dict[str, Price] = {}
    date: str = ""
    source: str = ""

    def find(self, model: str) -> Price | None:
        """Return the price of a model, also of a dated version of one; None if unknown."""
        return self.table.get(model) or self.table.get(_DATED.sub("", model))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.table))


def load_prices(path: Path | None = None) -> Prices:
    """Return the packaged prices, overridden by those of a user's file."""
    packaged = _decode(files("audience.llm").joinpath("prices.toml").read_text("utf-8"), "prices")
    if path is None:
        return packaged
    try:
        own = _decode(text_file(path), "it")
    except (BadInput, msgspec.ValidationError) as error:
        raise BadInput(
            f'the price table {path} is wrong: {error}; write ["model"], then prompt = 0.15 and '
            "completion = 0.6, in dollars per million tokens"
        ) from error
    date, source = own.date or packaged.date, own.source or packaged.source
    return Prices({**packaged.table, **own.table}, date, source)


def _decode(text: str, where: str) -> Prices:
    tree = read_toml(text, where)
    about = {name: str(tree.pop(name)) for name in ("date", "source") if name in tree}
    return Prices(msgspec.convert(tree, dict[str, Price]), **about)


class Counts(msgspec.Struct):
    """The account of some calls; `dollars` leaves out the `unpriced` ones."""

    calls: int = 0
    """Live calls of any outcome; an evaluation also counts reused ones."""
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
    """Calls of unknown cost, whose model has no price."""

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    @property
    def outcomes(self) -> dict[str, int]:
        """Calls by outcome, replies and reused ones included; they add up to all calls."""
        replies = self.calls + self.reused - self.failed
        found = {"reply": replies, **self.failures}
        return {name: found[name] for name in sorted(found) if found[name]}

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    @property
    def cost(self) -> str:
        """The cost in words; an unknown cost is never shown as zero."""
        known = f"${self.dollars:.4f}" if self.dollars else "$0"
        if not self.unpriced:
            return known
        return f"${self.dollars:.4f} and {self.unpriced} calls without a known price"

    def plus(self, other: Counts) -> Counts:
        """Return the sum of both."""
        sums: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__struct_fields__
            if name != "failures"
        }
        failures = Counter(self.failures) + Counter(other.failures)
        return Counts(**sums, failures=dict(failures))


class Meter:
    """Counts calls by purpose; can be read at any moment."""

    def __init__(self, prices: Prices, named: Mapping[str, str] | None = None) -> None:
        """`named` maps endpoints to entries of the price table, where not the model's own."""
        self.prices = prices
        self.by_purpose: dict[str, Counts] = {}
        self.by_endpoint: Counter[str] = Counter()
        """Live calls by the endpoint that answered."""
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
        if reply.endpoint:
            self.by_endpoint[reply.endpoint] += 1
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
        """Return the money spent in words; an unknown cost is never shown as zero."""
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
        try:
            reply = await self.inner.ask(request)
        except asyncio.CancelledError:
            # Whoever asked gave up at a deadline; the call was made all the same.
            self.meter.count(request.purpose, Reply(request.key, "timeout"))
            raise
        self.meter.count(request.purpose, reply)
        return reply

    async def close(self) -> None:
        await self.inner.close()


def spent_on(reply: Reply, prices: Prices) -> Counts:
    """Return what one answer cost, now or when it was first given."""
    usage, price = reply.usage, prices.find(reply.model)
    priced = price is not None or usage.prompt + usage.completion == 0
    return Counts(
        calls=1,
        reused=int(reply.reused),
        prompt=usage.prompt,
        completion=usage.completion,
        dollars=price.of(usage) if price else 0.0,
        unpriced=int(not priced),
    )
