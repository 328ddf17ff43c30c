"""The `[llm]` table of a scenario, and the gateway to language models that it describes."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import msgspec

from audience.errors import BadInput, unknown
from audience.llm import (
    FILE as CALLS,
    LARGEST,
    SLOWEST,
    Budget,
    CallStore,
    Counts,
    EmbeddedGateway,
    Endpoint,
    GatewayStack,
    Price,
    Renew,
    compose,
    load_prices,
    open_gateway,
)
from audience.outside import (
    ADDRESS,
    FilePath,
    HeaderText,
    ModelName,
    Outside,
    Url,
    VariableName,
)

_SAME = (
    *("url", "model", "key_env", "headers", "body", "drop", "proxy", "ca", "reasoning", "price"),
    "concurrency",
)
_SHARED = _SAME[1:]
"""What several endpoints may have in common."""
MODES = ("fresh", "reuse", "stored")
EMBEDDED = "embedded"
_TOKENS = re.compile(r"\s*(\d[\d,_]*(?:\.\d+)?)\s*([km]?)\s*tokens?\s*", re.IGNORECASE)
_THOUSANDS = {"": 1, "k": 1_000, "m": 1_000_000}
AT_CHANCE = (
    "the choices of this small model are at chance level: the run shows how it works, not how "
    "people choose"
)
_MONEY = re.compile(r"\s*\$?\s*(\d+(?:\.\d+)?)\s*(?:usd|dollars?|\$)?\s*", re.IGNORECASE)


MODEL_FLAGS = {"llm": "url", "model": "model", "key_env": "key_env"}
"""What the command line and the page call the first fields of the `[llm]` table."""


def models_table(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the flags about models from `given` and return the `[llm]` table they mean.

    Several addresses, with commas between them, are several endpoints.
    """
    flags = {field: given.pop(flag, None) for flag, field in MODEL_FLAGS.items()}
    table = {field: value for field, value in flags.items() if value}
    if "url" not in table:
        return table
    urls = [url.strip() for url in table["url"].split(",") if url.strip()]
    if len(urls) < 2:
        return table | {"endpoints": ()}
    if EMBEDDED in urls:
        raise BadInput(f"llm: {EMBEDDED} is no endpoint beside others; give it alone, or addresses")
    return table | {"url": "", "endpoints": [{"url": url} for url in urls]}


class Models(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where models answer and how they are asked. Keys are never written here, only their names."""

    url: Annotated[str, Outside(ADDRESS, unless=(EMBEDDED,))] = ""
    """An OpenAI-compatible endpoint; empty: the embedded model."""
    model: ModelName = ""
    """Empty: the endpoint's first; for the embedded one, a GGUF file or `audience-135m`."""
    key_env: VariableName = ""
    """The environment variable that holds the key."""
    headers: dict[str, HeaderText] = {}
    """Extra headers; `${NAME}` stands for a key from the environment."""
    body: dict[str, Any] = {}
    """Extra fields of every request."""
    drop: tuple[str, ...] = ()
    """Fields that are never sent, such as `seed`."""
    proxy: Url = ""
    ca: FilePath = ""
    """A file of certificates to trust."""
    reasoning: str = ""
    """Reasoning effort: minimal, low, medium, high."""
    price: str = ""
    """The name in the price table if it is not the model's own; `free` for a free model."""
    endpoints: tuple[Endpoint, ...] = ()
    """Several endpoints instead of `url`; what one leaves out is as in this table."""
    concurrency: int = 0
    """Concurrent calls per endpoint; 0: as many as raise throughput."""
    deadline: float = 60.0
    """Seconds for one attempt of a call."""
    overall: float = 180.0
    """Seconds for all attempts of a call."""
    largest_reply: int = LARGEST
    """Bytes of one response, packed or not; a larger one is unreadable."""
    prices: FilePath = ""
    """A price table to use instead of ours."""

    @property
    def address(self) -> str:
        """Where models answer, with commas between several endpoints."""
        return self.url or ",".join(endpoint.url for endpoint in self.endpoints)


class SpendingOptions(msgspec.Struct, frozen=True):
    """Options about model calls: where answers come from, and how much may be spent."""

    calls: str = "reuse"
    budget: str = ""
    max_calls: int | None = None
    max_tokens: int | None = None
    source: Path | None = None
    """A run whose calls are read in addition to its own; with `stored`, instead of them."""
    lend: Renew | None = None
    """Lends parts of the budget, where several runs at a time share it."""

    def __post_init__(self) -> None:
        if self.calls not in MODES:
            raise unknown("calls", self.calls, MODES)
        self.limits()

    def limits(self) -> Budget:
        """Return the budget as numbers."""
        tokens = _TOKENS.fullmatch(self.budget)
        if tokens:
            number = float(tokens[1].replace(",", "").replace("_", ""))
            most = int(number * _THOUSANDS[tokens[2].lower()])
            given = most if self.max_tokens is None else min(most, self.max_tokens)
            return Budget(None, self.max_calls, given)
        dollars = None
        if self.budget:
            amount = _MONEY.fullmatch(self.budget)
            if not amount:
                raise BadInput(
                    f"--budget {self.budget!r} is not an amount such as 2usd or 500k tokens"
                )
            dollars = float(amount[1])
        return Budget(dollars, self.max_calls, self.max_tokens)

    def at_first(self) -> Budget:
        """Return the budget to begin with: nothing where it is shared, until a call asks for it."""
        whole = self.limits()
        if not self.lend:
            return whole
        limits = {name: getattr(whole, name) for name in whole.__struct_fields__}
        return Budget(**{name: None if most is None else 0 for name, most in limits.items()})

    def after(self, spent: Counts) -> SpendingOptions:
        """Return what may still be spent once some has been."""
        limits = self.limits()
        left = None if limits.dollars is None else max(0.0, limits.dollars - spent.dollars)
        return msgspec.structs.replace(
            self,
            budget="" if left is None else f"{left:.6f}usd",
            max_calls=_less(self.max_calls, spent.calls),
            max_tokens=_less(limits.tokens, spent.tokens),
        )


def _less(limit: int | None, spent: int) -> int | None:
    return None if limit is None else max(0, limit - spent)


def endpoints_of(models: Models) -> tuple[Endpoint, ...]:
    """Return the endpoints that a table names; none means the embedded model."""
    if models.endpoints and models.url:
        raise BadInput("llm: give url or endpoints, not both")
    if models.endpoints:
        return tuple(_completed(endpoint, models) for endpoint in models.endpoints)
    if not models.url or models.url == EMBEDDED:
        return ()
    fields = {name: getattr(models, name) for name in _SAME}
    return (Endpoint(**fields),)


def _completed(endpoint: Endpoint, models: Models) -> Endpoint:
    """Return one of several endpoints with what it leaves out taken from the table."""
    missing = {name: getattr(models, name) for name in _SHARED if not getattr(endpoint, name)}
    return msgspec.structs.replace(endpoint, **missing)


def calls_at_once(models: Models) -> int:
    """Return how many calls the endpoints of a table take together; 0 if that is sought."""
    limits = [endpoint.concurrency for endpoint in endpoints_of(models)]
    return sum(limits) if all(limits) else 0


def is_unchosen(models: Models) -> bool:
    """Return whether no model was chosen, so that the small embedded one would answer."""
    return not models.url and not models.endpoints and not models.model


def name_of(models: Models) -> str:
    """Return what a request calls its model, so that answers of another are never reused."""
    if endpoints_of(models):
        return models.model
    return Path(models.model).stem if models.model else EMBEDDED


def check_models(models: Models, spending: SpendingOptions) -> None:
    """Raise if no gateway can be opened: a key, a price or the calls to read are missing."""
    budget = spending.limits()
    _source_of(spending)
    endpoints = endpoints_of(models)
    if endpoints and spending.calls != "stored":
        prices = Path(models.prices) if models.prices else None
        open_gateway(
            endpoints,
            concurrency=models.concurrency,
            largest=models.largest_reply,
            budget=budget,
            prices=prices,
        )


def door_of(
    models: Models, spending: SpendingOptions, folder: Path, *, store: Path | None = None
) -> GatewayStack:
    """Return the gateway to a run's models; calls are kept in the run's folder, or in `store`."""
    calls = store_of(spending, store or folder / CALLS)
    try:
        return _door(models, spending, calls)
    except BaseException:
        calls.close()
        raise


def _door(models: Models, spending: SpendingOptions, calls: CallStore) -> GatewayStack:
    prices = Path(models.prices) if models.prices else None
    endpoints = endpoints_of(models)
    if endpoints or spending.calls == "stored":
        return open_gateway(
            endpoints,
            store=calls,
            mode=spending.calls,  # type: ignore[arg-type]
            concurrency=models.concurrency,
            deadline=models.deadline,
            overall=models.overall,
            largest=models.largest_reply,
            halting=True,
            budget=spending.at_first(),
            renew=spending.lend,
            prices=prices,
        )
    return compose(
        EmbeddedGateway(models.model, deadline=max(models.deadline, SLOWEST)),
        store=calls,
        mode=spending.calls,  # type: ignore[arg-type]
        budget=spending.at_first(),
        renew=spending.lend,
        named={EMBEDDED: "free"},
    )


def _source_of(spending: SpendingOptions) -> Path | None:
    source = spending.source / CALLS if spending.source else None
    if source is not None and not source.is_file():
        raise BadInput(f"--calls-from {spending.source}: there are no calls in it")
    return source


def store_of(spending: SpendingOptions, own: Path, *, at_once: bool = False) -> CallStore:
    """Return the store of a run's calls, with those of another run if requested."""
    source = _source_of(spending)
    if spending.calls == "stored":
        return CallStore(source or own, read_only=True)
    return CallStore(own, [source] if source else [], at_once=at_once)


def spent_in(folder: Path, models: Models) -> Counts:
    """Return what a run's stored calls took; `unpriced` counts the kinds of unknown cost."""
    path = folder / CALLS
    if not path.is_file():
        return Counts()
    with closing(CallStore(path, read_only=True)) as calls:
        sums, count = calls.sums(), len(calls)
    known = [(price_of(models, place, model), used) for place, model, used in sums]
    return Counts(
        calls=count,
        prompt=sum(used.prompt for _, used in known),
        completion=sum(used.completion for _, used in known),
        dollars=sum(price.of(used) for price, used in known if price),
        unpriced=sum(price is None for price, _ in known),
    )


def price_of(models: Models, endpoint: str, model: str) -> Price | None:
    """Return the price of a model at an endpoint of a table, if it is known."""
    prices = load_prices(Path(models.prices) if models.prices else None)
    named = {one.name: one.price for one in endpoints_of(models)} | {EMBEDDED: "free"}
    return prices.find(named.get(endpoint) or model)


def cost_of(folder: Path, models: Models) -> str:
    """Return what a run's calls have cost, in words; unknown costs are named."""
    if not (folder / CALLS).is_file():
        return "–"
    spent = spent_in(folder, models)
    return f"${spent.dollars:.4f}{' + unknown' if spent.unpriced else ''}"
