"""From a scenario to the parts of a run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import msgspec

from audience.engine import Parts, Platform
from audience.errors import AudienceError, BadInput
from audience.experiments.interventions import changes_of
from audience.experiments.scenario import Part, Scenario, label
from audience.plugins import find
from audience.recommenders import Recommender
from audience.world import Clock, Genesis
from audience.world.changes import SwapRecommender


def made(group: str, part: Part) -> Any:  # noqa: ANN401
    """Return the part that a kind and its options describe."""
    what = group.removesuffix("s").replace("memorie", "memory")
    if part.kind.endswith(".py"):
        raise BadInput(f"{what} {part.kind!r} names a file; name its class too: {part.kind}:CLASS")
    make = find(group, part.kind)
    try:
        return make(**part.options)
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


def parts_of(scenario: Scenario, genesis: Genesis) -> Parts:
    """Return all parts of a run, each checked before anything is written."""
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
        mind=made("minds", scenario.mind),
        memory=made("memories", scenario.memory),
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
