"""The gateway stack: provider, retries, limits, budget, call store and meter in one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from audience.errors import BadInput
from audience.llm.budget import Budget, Budgeted, Renew
from audience.llm.call_store import Cached, CallStore, Mode
from audience.llm.concurrency import MOST, Limited, open_files
from audience.llm.endpoint import Endpoint
from audience.llm.meter import Meter, Metered, Prices, load_prices
from audience.llm.openai import OpenAI
from audience.llm.request import Gateway, Reply, Request, Retrying
from audience.llm.response_body import LARGEST
from audience.llm.servers import Balanced, Lane


class GatewayStack:
    """A gateway with its store and its meter, for one event loop at a time."""

    def __init__(
        self, outer: Gateway, meter: Meter, store: CallStore | None, provider: Gateway | None
    ) -> None:
        self.meter = meter
        self.store = store
        self._outer = outer
        self._provider = provider

    async def ask(self, request: Request) -> Reply:
        """Return the outcome of a request; raises only for bugs and spent budgets."""
        return await self._outer.ask(request)

    def flush(self) -> None:
        """Write every call so far; to be called before a commit that depends on them."""
        if self.store is not None:
            self.store.flush()

    async def rest(self) -> None:
        """Close the connections before the event loop ends; later requests open new ones."""
        self.flush()
        if self._provider is not None:
            await self._provider.close()

    async def close(self) -> None:
        """Flush, and close connections, processes and files."""
        await self._outer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def open_gateway(
    endpoints: Sequence[Endpoint] = (),
    *,
    store: CallStore | Path | None = None,
    mode: Mode = "reuse",
    concurrency: int = 0,
    deadline: float = 60.0,
    overall: float = 180.0,
    tries: int = 8,
    largest: int = LARGEST,
    halting: bool = False,
    budget: Budget | None = None,
    renew: Renew | None = None,
    prices: Prices | Path | None = None,
    folder: Path | None = None,
) -> GatewayStack:
    """Return the gateway to some endpoints; nothing is connected before the first call.

    `concurrency` is the number of concurrent calls per endpoint that gives none of its own; 0
    seeks the best throughput.
    `deadline` limits one attempt, `overall` all attempts of a call and the waits between them;
    neither includes time in a queue. `largest` limits the bytes of a response. `halting` raises
    `Halt` when no endpoint is usable.
    `renew` asks for more where `budget` is a part of one that several processes share.
    `folder` is searched for a `.env` file.
    """
    table = prices if isinstance(prices, Prices) else load_prices(prices)
    named = {endpoint.name: endpoint.price for endpoint in endpoints if endpoint.price}
    if mode == "stored":
        return compose(None, store=store, mode=mode, prices=table, named=named)
    if not endpoints:
        raise BadInput("no model endpoint is given; use --llm URL, or --calls stored")
    if largest < 1:
        raise BadInput(f"largest_reply is {largest}; give the bytes of a response, such as 4000000")
    if concurrency < 0:
        raise BadInput(f"concurrency is {concurrency}; give 1 or more, or 0 to have it sought")
    _check_prices(endpoints, budget, table)
    wanted = max(endpoint.concurrency or concurrency or MOST for endpoint in endpoints)
    most = max(1, open_files(len(endpoints) * wanted) // len(endpoints))

    def lane(endpoint: Endpoint) -> Lane:
        provider = OpenAI(endpoint, deadline=deadline, largest=largest, folder=folder)
        given = min(endpoint.concurrency or concurrency, most)
        limited = Limited(provider, given=given, most=most)
        return Lane(limited, name=endpoint.name, model=endpoint.model, weight=endpoint.weight)

    lanes = [lane(endpoint) for endpoint in endpoints]
    wire: Gateway = Balanced(lanes) if len(lanes) > 1 else lanes[0].gateway
    provider = Retrying(wire, tries=tries, overall=overall, halting=halting)
    return compose(
        provider, store=store, mode=mode, budget=budget, renew=renew, prices=table, named=named
    )


def compose(
    provider: Gateway | None,
    *,
    store: CallStore | Path | None = None,
    mode: Mode = "reuse",
    budget: Budget | None = None,
    renew: Renew | None = None,
    prices: Prices | None = None,
    named: dict[str, str] | None = None,
) -> GatewayStack:
    """Return the gateway to any provider: metered, stored, and within the budget.

    The budget sits below the store, so that a reused answer is never refused; the meter sits above
    it, so that reused answers are counted too.
    """
    meter = Meter(prices or load_prices(), named)
    inner = provider
    if inner is not None and budget is not None and budget != Budget():
        inner = Budgeted(inner, budget, meter, renew)
    kept = CallStore(store, read_only=mode == "stored") if isinstance(store, Path) else store
    if kept is not None:
        inner = Cached(inner, kept, mode)
    if inner is None:
        raise BadInput("--calls stored needs a run whose calls were kept")
    return GatewayStack(Metered(inner, meter), meter, kept, provider)


def _check_prices(endpoints: Sequence[Endpoint], budget: Budget | None, prices: Prices) -> None:
    """Refuse a budget in dollars that could not be enforced."""
    if budget is None or budget.dollars is None:
        return
    for endpoint in endpoints:
        name = endpoint.price or endpoint.model
        if prices.find(name) is None:
            raise BadInput(
                f"a budget in dollars needs the price of {name or 'the model'!r} at "
                f"{endpoint.name}, which is unknown; add it to a price table, set price = "
                '"free" for a model of your own, or limit tokens: --budget "500k tokens"'
            )
