"""Building the parts of a run from its scenario, and the recommenders and services that serve."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, cast

import msgspec

from audience.agents import JointMind, Scoring
from audience.datasets import Dataset, mixed_genesis, split_options
from audience.engine import Groups, Parts, Platform
from audience.errors import AudienceError, BadInput, unknown
from audience.grounding import Grounds, TooFew, grounds_of, ratings_of
from audience.llm import TUNED, Gateway, Reply, Request, tuned_missing
from audience.parts import OFFERED, PartContext, SuitsMemory, asks, builds, by_name
from audience.plugins import find, singular
from audience.ranges import check_options
from audience.recommenders import Recommender, Service
from audience.scenario.interventions import SWAP, changes_of
from audience.scenario.models import (
    AT_CHANCE,
    EMBEDDED,
    SpendingOptions,
    endpoints_of,
    is_unchosen,
    name_of,
)
from audience.scenario.schema import Part, Scenario, is_address, label
from audience.scenario.spread import SpreadTable, raised, with_graph
from audience.user_code import LONGEST, PASSING, said, within
from audience.world import Chapter, Clock, Genesis, SwapRecommender, View

HTTP = "http"
"""The kind of a recommender behind an address: `kind = "http"` with `url`, or the URL itself."""


def addressed(part: Part) -> Part:
    """Return a part whose kind is a URL as one of kind `http`; any other unchanged."""
    return Part(HTTP, {"url": part.kind, **part.options}) if is_address(part.kind) else part


def is_service(part: Part) -> bool:
    return addressed(part).kind == HTTP


class Serving:
    """Returns the recommender that serves now. A service is made once, informed and closed."""

    def __init__(
        self,
        first: Part,
        swaps: Sequence[SwapRecommender],
        kinds: Mapping[str, str],
        make: Callable[[Part], Recommender],
    ) -> None:
        """Make each part once, so that one that cannot be made fails before the run."""
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
        """Raise if a service does not answer."""
        for service in self._services.values():
            service.check()

    def hear(self, chapter: Chapter, world: View) -> None:
        """Inform a service about what happens while it serves."""
        _, serving = self(world.recommender)
        if isinstance(serving, Service):
            serving.hear(chapter, world)

    def close(self) -> None:
        for service in self._services.values():
            service.close()


def reach(parts: Parts) -> None:
    """Raise if a service that is to serve does not answer."""
    if isinstance(parts.recommender, Serving):
        parts.recommender.check()


def run_name(scenario: Scenario, genesis: Genesis) -> str:
    """Return the name of a run for services: the same when resumed, prolonged or replayed.

    Arms and seeds differ in it, so that a service can keep what it learns from each apart.
    """
    rules = msgspec.structs.replace(scenario.run, rounds=0)
    plain = {"title": "", "seeds": 1, "arms": {}, "validated": ""}
    same = msgspec.structs.replace(scenario, run=rules, **plain)
    body = msgspec.json.encode([same, genesis.digest], order="deterministic")
    return blake2b(body, digest_size=6).hexdigest()


def made(group: str, part: Part, context: PartContext | None = None) -> Any:  # noqa: ANN401
    """Return the part of a kind with its options; `context` is what the run offers it."""
    what = singular(group)
    if part.kind.endswith(".py"):
        raise BadInput(f"{what} {part.kind!r} names a file; name its class too: {part.kind}:CLASS")
    make: Any = Service if (group, part.kind) == ("recommenders", HTTP) else find(group, part.kind)
    context = context or PartContext()
    try:
        _check_options(what, part, make)
        if _is_ours(make):
            check_options(what, part.options, f"{what} {part.kind!r}")
        offered = _named(make, part, context) if group in ("minds", "memories") else {}
        with within(LONGEST):
            if builds(make):
                return make.build(context, **part.options)
            return make(**offered | part.options)
    except (AudienceError, *PASSING):
        raise
    except Exception as error:
        options = ", ".join(f"{key}={value!r}" for key, value in part.options.items()) or "none"
        raise BadInput(
            f"{what} {part.kind!r} does not take these options ({options}): {error}"
        ) from error
    except BaseException as error:
        raise BadInput(f"{what} {part.kind!r} {said(error)}; fix it and try again") from error


def _is_ours(make: object) -> bool:
    return str(getattr(make, "__module__", "")).partition(".")[0] == "audience"


def _named(make: Callable[..., Any], part: Part, context: PartContext) -> dict[str, Any]:
    offered = {name: offer(context) for name, offer in by_name(make, part.options).items()}
    return {name: value for name, value in offered.items() if value not in (None, "")}


def _check_options(what: str, part: Part, make: Callable[..., Any]) -> None:
    """Raise for an unknown option of a part, naming the nearest known one."""
    asked = inspect.signature(make).parameters
    if any(one.kind is one.VAR_KEYWORD for one in asked.values()):
        return
    for name in part.options:
        if name not in asked:
            known = [one for one in asked if one not in OFFERED]
            raise BadInput(f"{what} {part.kind!r}: {unknown('option', name, known)}")


def context_of(
    genesis: Genesis, gateway: Gateway | None = None, model: str = "", suited: str = "rule"
) -> PartContext:
    """Return what a run of a genesis offers its minds and memories."""
    return PartContext(
        gateway,
        model,
        genesis,
        suited,
        fit_grounds=partial(_grounds, genesis),
        fit_ratings=partial(ratings_of, genesis),
    )


def _grounds(genesis: Genesis) -> Grounds | None:
    """Return what is learnt from the past of a genesis; None if it is too short."""
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
        return with_graph(_drawn(dataset, part.kind, agents, seed, clock), graph, seed)
    genesis = mixed_genesis(dataset, mixture, agents, seed, clock, model)
    return with_graph(genesis, graph, seed)


def _drawn(dataset: Dataset, kind: str, agents: int, seed: int, clock: Clock) -> Genesis:
    if _is_ours(type(dataset)):
        return dataset.genesis(agents, seed, clock)
    try:
        with within(LONGEST):
            return dataset.genesis(agents, seed, clock)
    except (AudienceError, *PASSING):
        raise
    except BaseException as error:
        raise BadInput(f"dataset {kind!r} {said(error)}; fix it and try again") from error


def asks_models(scenario: Scenario) -> bool:
    """Return whether a mind or a memory of this scenario asks language models."""
    way = suited(scenario)
    parts = (("minds", scenario.mind), ("memories", scenario.memory))
    return any(asks(find(group, part.kind), part.options, way) for group, part in parts)


def decides_by_model(scenario: Scenario) -> bool:
    """Return whether a language model that has to be chosen decides for people.

    For `voiced` minds rules do, and `tuned` ones have a model of their own.
    """
    return scenario.mind.kind.lower() == "llm"


def tuned_model(scenario: Scenario) -> str:
    """Return the name by which a scenario asks for `audience-135m`; empty if it asks for another.

    Such a model was trained for some tasks, and can do nothing else.
    """
    name = name_of(scenario.llm)
    if scenario.mind.kind.lower() == "tuned":
        return TUNED if name in ("", EMBEDDED) else name
    return name if name.rpartition("/")[2].lower().startswith(TUNED) else ""


def check_chosen(scenario: Scenario, spending: SpendingOptions) -> None:
    """Raise if people of a scenario without arms lack the language model that they decide by."""
    is_packaged = tuned_model(scenario) == TUNED and not endpoints_of(scenario.llm)
    if spending.calls != "stored" and is_packaged and (wrong := tuned_missing()):
        raise BadInput(f"mind {scenario.mind.kind}: {wrong}")
    if spending.calls != "stored" and decides_by_model(scenario) and is_unchosen(scenario.llm):
        raise BadInput(
            "llm url: people decide by a language model, and none is given; give an "
            f"OpenAI-compatible endpoint, or {EMBEDDED!r}: {AT_CHANCE}"
        )


def suited(scenario: Scenario) -> str:
    """Return the consolidation that suits the minds, if the scenario does not name one."""
    make = find("minds", scenario.mind.kind)
    return make.consolidation if isinstance(make, SuitsMemory) else "rule"


class ClosedGateway:
    """A gateway that must not be asked: enough to check that parts can be made."""

    async def ask(self, request: Request) -> Reply:
        raise AssertionError(f"asked for {request.purpose} before the run began")

    async def close(self) -> None: ...


def parts_of(scenario: Scenario, genesis: Genesis, gateway: Gateway | None = None) -> Parts:
    """Return all parts of a run, each checked before anything is written."""
    context = context_of(
        genesis, gateway or ClosedGateway(), name_of(scenario.llm), suited(scenario)
    )
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
        mind=made("minds", scenario.mind, context),
        memory=made("memories", scenario.memory, context),
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
        time=scenario.time,
    )


def _groups(scenario: Scenario) -> Groups:
    """Return the groups that watch together, if the minds can choose for several."""
    make = find("minds", scenario.mind.kind)
    able = isinstance(make, JointMind | Scoring)
    if scenario.groups.share and not able:
        raise BadInput(
            f"groups: a mind of kind {scenario.mind.kind!r} cannot choose for several people; "
            "give it score_many, use rule, voiced, tuned or llm, or leave [groups] out"
        )
    return scenario.groups


def _recommender(part: Part, run: str) -> Recommender:
    recommender = made("recommenders", addressed(part), PartContext(run=run))
    if not callable(getattr(recommender, "fit", None)):
        raise BadInput(f"recommender {part.kind!r} has no `fit`; give it fit(interactions, rng)")
    return cast(Recommender, recommender)


def _kinds_by_label(scenario: Scenario) -> dict[str, str]:
    """Return the paths of swapped-in recommenders: a log holds only their names."""
    kinds: dict[str, str] = {}
    for intervention in scenario.interventions:
        kind = intervention.get("kind") if intervention.get("do") == SWAP else None
        if isinstance(kind, str) and kinds.setdefault(label(kind), kind) != kind:
            raise BadInput(
                f"{kinds[label(kind)]} and {kind} have the same name; rename one of the classes"
            )
    return kinds
