"""What serves in a run: recipes made for each fit, and services, which last as long as the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import msgspec

from audience.engine import Parts
from audience.experiments.scenario import Part, Scenario, is_address, label
from audience.recommenders import Recommender, Service
from audience.world import Chapter, Genesis, View
from audience.world.changes import SwapRecommender

HTTP = "http"
"""The kind of a recommender behind an address: `kind = "http"` with `url`, or the URL itself."""


def addressed(part: Part) -> Part:
    """Return a part whose kind is a URL as one of kind `http`; any other as it is."""
    return Part(HTTP, {"url": part.kind, **part.options}) if is_address(part.kind) else part


def is_service(part: Part) -> bool:
    return addressed(part).kind == HTTP


class Serving:
    """Gives the recommender that serves now. A service is made once, told and closed."""

    def __init__(
        self,
        first: Part,
        swaps: Sequence[SwapRecommender],
        kinds: Mapping[str, str],
        make: Callable[[Part], Recommender],
    ) -> None:
        """Make each part once, so that one that cannot be made is told before the run."""
        self._first = first
        self._kinds = kinds
        self._make = make
        self._services: dict[bytes, Service] = {}
        for swap in (None, *swaps):
            self(swap)

    def __call__(self, swap: SwapRecommender | None) -> tuple[str, Recommender]:
        part = self._part(swap)
        name = swap.kind if swap else label(part.kind)
        if not is_service(part):
            return name, self._make(part)
        key = msgspec.json.encode(part, order="deterministic")
        if key not in self._services:
            made = self._make(part)
            assert isinstance(made, Service)
            self._services[key] = made
        return name, self._services[key]

    def _part(self, swap: SwapRecommender | None) -> Part:
        if swap is None:
            return self._first
        return Part(self._kinds.get(swap.kind, swap.kind), swap.options)

    @property
    def has_services(self) -> bool:
        return bool(self._services)

    def check(self) -> None:
        """Refuse services that do not answer."""
        for service in self._services.values():
            service.check()

    def hear(self, chapter: Chapter, world: View) -> None:
        """Let a service know what happens while it serves."""
        _, serving = self(world.recommender)
        if isinstance(serving, Service):
            serving.hear(chapter, world)

    def close(self) -> None:
        for service in self._services.values():
            service.close()


def reach(parts: Parts) -> None:
    """Refuse to begin when a service that is to serve does not answer."""
    if isinstance(parts.recommender, Serving):
        parts.recommender.check()


def run_name(scenario: Scenario, genesis: Genesis) -> str:
    """Return what a run is called towards services: the same when resumed, prolonged or replayed.

    Arms and seeds differ in it, so that a service can keep what it learns from each apart.
    """
    rules = msgspec.structs.replace(scenario.run, rounds=0)
    same = msgspec.structs.replace(scenario, title="", seeds=1, arms={}, run=rules)
    body = msgspec.json.encode([same, genesis.digest], order="deterministic")
    return blake2b(body, digest_size=6).hexdigest()
