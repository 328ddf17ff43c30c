"""The `[llm]` table of a scenario, and the door to language models that it describes."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from audience.errors import BadInput, unknown
from audience.llm.budgeted import Budget
from audience.llm.endpoint import Endpoint
from audience.llm.gateway import Door, compose, open_gateway
from audience.llm.store import FILE

MODES = ("fresh", "reuse", "stored")
EMBEDDED = "embedded"
_MONEY = re.compile(r"\s*\$?\s*(\d+(?:\.\d+)?)\s*(?:usd|dollars?|\$)?\s*", re.IGNORECASE)


class Models(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where models answer and how they are asked. Keys are never written here, only their names."""

    url: str = ""
    """An OpenAI-compatible endpoint; empty: the embedded model."""
    model: str = ""
    """Empty: the endpoint's first; for the embedded one, a GGUF file of yours."""
    key_env: str = ""
    """The environment variable that holds the key."""
    endpoints: tuple[Endpoint, ...] = ()
    """Several endpoints with weights, instead of `url`."""
    concurrency: int = 256
    """Calls at once per endpoint at most; how many are good is found out."""
    deadline: float = 60.0
    """Seconds for one attempt of a call."""
    overall: float = 180.0
    """Seconds for all attempts of a call."""
    prices: str = ""
    """A price table of yours."""


class Spending(msgspec.Struct, frozen=True):
    """What the command line says about asking: from where answers come, and how much is spent."""

    calls: str = "reuse"
    budget: str = ""
    max_calls: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.calls not in MODES:
            raise unknown("calls", self.calls, MODES)

    def limits(self) -> Budget:
        """Return the budget as numbers."""
        dollars = None
        if self.budget:
            found = _MONEY.fullmatch(self.budget)
            if not found:
                raise BadInput(f"--budget {self.budget!r} is not an amount such as 2usd")
            dollars = float(found[1])
        return Budget(dollars, self.max_calls, self.max_tokens)


def endpoints_of(models: Models) -> tuple[Endpoint, ...]:
    """Return the endpoints that a table names; none means the embedded model."""
    if models.endpoints and models.url:
        raise BadInput("llm: give url or endpoints, not both")
    if models.endpoints:
        return models.endpoints
    if not models.url or models.url == EMBEDDED:
        return ()
    return (Endpoint(url=models.url, model=models.model, key_env=models.key_env),)


def door_of(models: Models, spending: Spending, folder: Path) -> Door:
    """Return the door to a run's models; its calls are kept in the run's folder."""
    prices = Path(models.prices) if models.prices else None
    store = folder / FILE
    endpoints = endpoints_of(models)
    if endpoints or spending.calls == "stored":
        return open_gateway(
            endpoints,
            store=store,
            mode=spending.calls,  # type: ignore[arg-type]
            concurrency=models.concurrency,
            deadline=models.deadline,
            overall=models.overall,
            budget=spending.limits(),
            prices=prices,
        )
    from audience.llm.embedded import Embedded

    return compose(
        Embedded(models.model),
        store=store,
        mode=spending.calls,  # type: ignore[arg-type]
        budget=spending.limits(),
    )
