"""From a scenario to the parts of a run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from audience.engine import Parts, Platform
from audience.errors import AudienceError, BadInput
from audience.experiments.interventions import changes_of
from audience.experiments.scenario import Part, Scenario
from audience.plugins import find
from audience.recommenders import Recommender
from audience.world import Clock, Genesis
from audience.world.changes import SwapRecommender


def made(group: str, part: Part) -> Any:  # noqa: ANN401
    """Return the part that a kind and its options describe."""
    make = find(group, part.kind)
    try:
        return make(**part.options)
    except AudienceError:
        raise
    except Exception as error:
        what = group.removesuffix("s").replace("memorie", "memory")
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
    swaps = [one for each in changes.values() for one in each if isinstance(one, SwapRecommender)]
    for swap in swaps:
        made("recommenders", Part(swap.kind, swap.options))
    made("recommenders", scenario.recommender)
    pages = scenario.platform

    def recommender(swap: SwapRecommender | None) -> tuple[str, Recommender]:
        part = Part(swap.kind, swap.options) if swap else scenario.recommender
        return part.kind, made("recommenders", part)

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
