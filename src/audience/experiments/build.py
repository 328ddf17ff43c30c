"""From a scenario to the parts of a run."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec

from audience.datasets.kinds import Dataset
from audience.datasets.mixture import split_options
from audience.engine import Groups, Parts, Platform
from audience.errors import AudienceError, BadInput, unknown
from audience.experiments.interventions import changes_of
from audience.experiments.models import name_of
from audience.experiments.scenario import Part, Scenario, label
from audience.experiments.serving import HTTP, Serving, addressed, is_service, run_name
from audience.experiments.spread.scenario import SpreadTable, raised, with_graph
from audience.experiments.written import mixed_genesis
from audience.grounding.chooser import TooFew
from audience.grounding.grounds import Grounds, grounds_of, ratings_of
from audience.llm.kinds import Gateway, Reply, Request
from audience.plugins import find
from audience.recommenders import Recommender, Service
from audience.world import Clock, Genesis
from audience.world.changes import SwapRecommender


def made(group: str, part: Part, **given: object) -> Any:  # noqa: ANN401
    """Return the part that a kind and its options describe; `given` is added where it is asked."""
    what = group.removesuffix("s").replace("memorie", "memory")
    if part.kind.endswith(".py"):
        raise BadInput(f"{what} {part.kind!r} names a file; name its class too: {part.kind}:CLASS")
    make: Any = Service if (group, part.kind) == ("recommenders", HTTP) else find(group, part.kind)
    try:
        asked = inspect.signature(make).parameters
        _check_options(what, part, asked, given)
        genesis = given.get("genesis")
        if isinstance(genesis, Genesis) and _wants_grounds(asked, part):
            given["grounds"] = _grounds(genesis)
        if isinstance(genesis, Genesis) and "ratings" in asked and part.options.get("stars"):
            given["ratings"] = ratings_of(genesis)
        return make(**{key: value for key, value in given.items() if key in asked} | part.options)
    except AudienceError:
        raise
    except Exception as error:
        options = ", ".join(f"{key}={value!r}" for key, value in part.options.items()) or "none"
        raise BadInput(
            f"{what} {part.kind!r} does not take these options ({options}): {error}"
        ) from error


def _check_options(
    what: str, part: Part, asked: Mapping[str, inspect.Parameter], given: Mapping[str, object]
) -> None:
    """Raise for an option that a part does not have, naming the nearest of those it has."""
    if any(one.kind is one.VAR_KEYWORD for one in asked.values()):
        return
    for name in part.options:
        if name not in asked:
            known = [one for one in asked if one not in given]
            raise BadInput(f"{what} {part.kind!r}: {unknown('option', name, known)}")


def _wants_grounds(asked: Mapping[str, object], part: Part) -> bool:
    """Say whether a mind needs what others did; who can do without asks by `evidence = true`."""
    wanted = bool(part.options.get("evidence", False)) if "evidence" in asked else True
    return "grounds" in asked and wanted


def _grounds(genesis: Genesis) -> Grounds | None:
    """Return what the past of a genesis gives; None where it is too short to learn from."""
    try:
        return grounds_of(genesis)
    except TooFew:
        return None


def genesis_of(scenario: Scenario, seed: int) -> Genesis:
    """Return the genesis of a scenario for a seed; arms with the same one share it."""
    mixture, _ = split_options(scenario.dataset.options)
    model = name_of(scenario.llm) if mixture and mixture.asked else ""
    graph = msgspec.structs.replace(scenario.spread, topics=())
    source = msgspec.json.encode([scenario.dataset, scenario.clock, model, graph])
    return _genesis(source, scenario.agents, seed)


@lru_cache(maxsize=2)
def _genesis(source: bytes, agents: int, seed: int) -> Genesis:
    kinds = tuple[Part, Clock, str, SpreadTable]
    part, clock, model, graph = msgspec.json.decode(source, type=kinds)
    mixture, options = split_options(part.options)
    dataset: Dataset = made("datasets", Part(part.kind, options))
    if mixture is None:
        return with_graph(dataset.genesis(agents, seed, clock), graph, seed)
    found = mixed_genesis(dataset, mixture, agents, seed, clock, model)
    return with_graph(found, graph, seed)


def asks_models(scenario: Scenario) -> bool:
    """Say whether a mind or a memory of this scenario needs a door to language models."""
    parts = (("minds", scenario.mind), ("memories", scenario.memory))
    return any(_asks(find(group, part.kind), part, scenario) for group, part in parts)


def _asks(make: Any, part: Part, scenario: Scenario) -> bool:  # noqa: ANN401
    if hasattr(make, "asks_models"):  # a part that asks only with some of its options
        return bool(make.asks_models(part.options, suited(scenario)))
    return "gateway" in inspect.signature(make).parameters


def suited(scenario: Scenario) -> str:
    """Return how memories consolidate that suit the minds, where the scenario does not say."""
    return getattr(find("minds", scenario.mind.kind), "consolidation", "rule")


class Shut:
    """A door that is not open: enough to check that parts can be made."""

    async def ask(self, request: Request) -> Reply:
        raise AssertionError(f"asked for {request.purpose} before the run began")

    async def close(self) -> None: ...


def parts_of(scenario: Scenario, genesis: Genesis, gateway: Gateway | None = None) -> Parts:
    """Return all parts of a run, each checked before anything is written."""
    asking = {
        "gateway": gateway or Shut(),
        "model": name_of(scenario.llm),
        "suited": suited(scenario),
        "genesis": genesis,
    }
    changes = changes_of(scenario.interventions, genesis)
    for round_, begun in raised(scenario.spread, genesis, scenario.seed).items():
        changes[round_] = (*changes.get(round_, ()), *begun)
    kinds = _kinds_by_label(scenario)
    swaps = [one for each in changes.values() for one in each if isinstance(one, SwapRecommender)]
    name = lru_cache(lambda: run_name(scenario, genesis))

    def make(part: Part) -> Recommender:
        return _recommender(part, name() if is_service(part) else "")

    pages = scenario.platform
    return Parts(
        mind=made("minds", scenario.mind, **asking),
        memory=made("memories", scenario.memory, **asking),
        recommender=Serving(scenario.recommender, swaps, kinds, make),
        platform=Platform(
            page_size=pages.page_size,
            max_pages=pages.max_pages,
            repeat=pages.repeat,
            random_k=pages.random_k,
            explain=pages.explain,
            feed=pages.feed,
            feed_length=pages.feed_length,
        ),
        activation=scenario.activation,
        changes=changes,
        ties=scenario.ties,
        groups=_groups(scenario),
    )


def _groups(scenario: Scenario) -> Groups:
    """Return who lives items together, where the minds can choose for several."""
    make = find("minds", scenario.mind.kind)
    able = hasattr(make, "play") or hasattr(make, "score_many")
    if scenario.groups.share and not able:
        raise BadInput(
            f"groups: a mind of kind {scenario.mind.kind!r} cannot choose for several people; "
            "give it score_many, use rule, voiced or llm, or leave [groups] out"
        )
    return scenario.groups


def _recommender(part: Part, run: str) -> Recommender:
    found = made("recommenders", addressed(part), run=run)
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
