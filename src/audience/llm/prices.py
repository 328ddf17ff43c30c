"""What tokens cost. A model without a price has an unknown cost, never none."""

from __future__ import annotations

import re
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.llm.kinds import Usage

_DATED = re.compile(r"-(\d{4}(-\d\d-\d\d)?|\d{6,8}|latest)$")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens."""

    prompt: float
    completion: float
    cached: float | None = None
    reasoning: float | None = None

    def of(self, usage: Usage) -> float:
        """Return the dollars that tokens cost; cached and reasoning ones have their own price."""
        cached = self.prompt if self.cached is None else self.cached
        reasoning = self.completion if self.reasoning is None else self.reasoning
        return (
            max(0, usage.prompt - usage.cached) * self.prompt
            + usage.cached * cached
            + max(0, usage.completion - usage.reasoning) * self.completion
            + usage.reasoning * reasoning
        ) / 1e6


class Prices(msgspec.Struct, frozen=True, dict=True):
    """The price table."""

    table: dict[str, Price] = {}

    def find(self, model: str) -> Price | None:
        """Return the price of a model or of what it is a dated version of; None when unknown."""
        return self.table.get(model) or self.table.get(_DATED.sub("", model))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.table))


def load_prices(path: Path | None = None) -> Prices:
    """Return the packaged prices, with those of a user's file over them."""
    packaged = files("audience.llm").joinpath("prices.toml").read_text("utf-8")
    table = msgspec.toml.decode(packaged, type=dict[str, Price])
    if path is None:
        return Prices(table)
    try:
        own = msgspec.toml.decode(path.read_bytes(), type=dict[str, Price])
    except OSError as error:
        raise BadInput(f"the price table {path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            f'the price table {path} is wrong: {error}; write ["model"], then prompt = 0.15 and '
            "completion = 0.6, in dollars per million tokens"
        ) from error
    return Prices({**table, **own})
