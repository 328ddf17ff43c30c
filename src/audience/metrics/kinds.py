"""What a metric is: an incremental fold over records."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from audience.world.events import Record
from audience.world.rng import Floats
from audience.world.world import View


@runtime_checkable
class Metric(Protocol):
    """Reads records in canonical order and can say its numbers at any moment.

    `update` is called once the record's whole chapter is true in the world, so an agent's place
    inside its visit cannot be read there.
    """

    @property
    def watches(self) -> tuple[type, ...]:
        """The event classes it wants to see."""
        ...

    def update(self, record: Record, world: View) -> None: ...

    def value(self) -> dict[str, float]:
        """Return its numbers over all records so far; NaN where there is nothing to divide by."""
        ...


@runtime_checkable
class PerAgent(Protocol):
    """A metric that can also tell agents apart, which paired comparisons use."""

    def per_agent(self) -> dict[str, Floats]:
        """Return one number per agent id, NaN where undefined or beyond the end."""
        ...


@runtime_checkable
class PerRound(Protocol):
    """A metric that can also tell rounds apart."""

    def close(self) -> dict[str, float]:
        """Return the numbers of the round that ends, taken alone, and begin the next."""
        ...
