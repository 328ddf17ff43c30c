"""From a scenario to the parts of a run."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, cast

import msgspec

from audience.engine import Parts, Platform
from audience.errors import AudienceError, BadInput
from audience.experiments.interventions import changes_of
from audience.experiments.models import name_of
from audience.experiments.scenario import Part, Scenario, label
from audience.llm.kinds import Gateway, Reply, Request
from audience.plugins import find
from audience.recommenders import Recommender
from audience.world import Clock, Genesis
from audience.world.changes import SwapRecommender


def made(group: str, part: Part, **given: object) -> Any:  # noqa: ANN401
    """Return the part that a kind and its options describe; `given` is added where it is asked."""
    what = group.removesuffix("s").replace("memorie", "memory")
    if part.kind.endswith(".py"):
        raise BadInput(f"{what} {part.kind!r} names a file; name its class too: {part.kind}:CLASS")
    make = find(group, part.kind)
    try:
        asked = inspect.signature(make).parameters
        return make(**{key: value for key, value in given.items() if key in asked} | part.options)
    except AudienceError:
        raise
    except Exception as error:
        options = ", ".join(f"{key}={value!r}" for key, value in part.options.items()) or "none"
        raise BadInput(
            f"{what} {part.kind!r} does not take these options ({options}): {error}"
        ) from error


def genesis_of(scenario: Scenario, seed: int) -> Genesis:
    """Return the genesis of a scenario for a seed; arms with the same one share it."""
    return _genesis(msgspec.json.encode([scenario.dataset, scenario.clock]), scenario.agents, seed)


@lru_cache(maxsize=2)
def _genesis(source: bytes, agents: int, seed: int) -> Genesis:
    part, clock = msgspec.json.decode(source, type=tuple[Part, Clock])
    found: Genesis = made("datasets", part).genesis(agents, seed, clock)
    return found


def asks_models(scenario: Scenario) -> bool:
    """Say whether a mind or a memory of this scenario needs a door to language models."""
    parts = (("minds", scenario.mind), ("memories", scenario.memory))
    return any("gateway" in inspect.signature(find(*one)).parameters for one in _kinds(parts))


def _kinds(parts: Iterable[tuple[str, Part]]) -> Iterator[tuple[str, str]]:
    yield from ((group, part.kind) for group, part in parts)


class Shut:
    """A door that is not open: enough to check that parts can be made."""

    async def ask(self, request: Request) -> Reply:
        raise AssertionError(f"asked for {request.purpose} before the run began")

    async def close(self) -> None: ...


def parts_of(scenario: Scenario, genesis: Genesis, gateway: Gateway | None = None) -> Parts:
    """Return all parts of a run, each checked before anything is written."""
    asking = {"gateway": gateway or Shut(), "model": name_of(scenario.llm)}
    changes = changes_of(scenario.interventions, genesis)
    kinds = _kinds_by_label(scenario)
    for swap in (one for each in changes.values() for one in each):
        if isinstance(swap, SwapRecommender):
            _recommender(Part(kinds[swap.kind], swap.options))
    _recommender(scenario.recommender)
    pages = scenario.platform

    def recommender(swap: SwapRecommender | None) -> tuple[str, Recommender]:
        if swap is None:
            return label(scenario.recommender.kind), _recommender(scenario.recommender)
        return swap.kind, _recommender(Part(kinds.get(swap.kind, swap.kind), swap.options))

    return Parts(
        mind=made("minds", scenario.mind, **asking),
        memory=made("memories", scenario.memory, **asking),
        recommender=recommender,
        platform=Platform(
            page_size=pages.page_size, max_pages=pages.max_pages, repeat=pages.repeat
        ),
        activation=scenario.activation,
        changes=changes,
    )


def _recommender(part: Part) -> Recommender:
    found = made("recommenders", part)
    if not callable(getattr(found, "fit", None)):
        raise BadInput(f"recommender {part.kind!r} has no `fit`; give it fit(interactions, rng)")
    return cast(Recommender, found)


def _kinds_by_label(scenario: Scenario) -> dict[str, str]:
    """Return where swapped-in recommenders lie: a log holds their names and no paths."""
    kinds: dict[str, str] = {}
    for one in scenario.interventions:
        kind = one.get("kind")
        if isinstance(kind, str) and kinds.setdefault(label(kind), kind) != kind:
            raise BadInput(
                f"{kinds[label(kind)]} and {kind} bear the same name; rename one of the classes"
            )
    return kinds
