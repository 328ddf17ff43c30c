"""Endpoints of scenarios: those to start from, the check of one, what runs were, differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from msgspec.structs import replace
from starlette.responses import Response

from audience.errors import AudienceError
from audience.log import FILE
from audience.runs import EXPERIMENT, drawn_instead, is_experiment, scenario_of, variants, verify
from audience.scenario import (
    Scenario,
    SpendingOptions,
    check_chosen,
    endpoints_of,
    part_of,
    text_of,
)
from audience.web.replies import json_reply
from audience.web.reply_types import ScenarioRow
from audience.web.requests import RunId, ScenarioBody
from audience.web.run_registry import RunRegistry
from audience.web.run_types import (
    RunScenario,
    ScenarioCheck,
    ScenarioForm,
    ScenarioKey,
    ScenarioPair,
)
from audience.web.scenarios import (
    Offer,
    Speeds,
    costs,
    problem,
    recommender_name,
    spending_of,
)

OneOf = Annotated[str, Query(min_length=1, max_length=1000)]
_PARTS = ("dataset", "mind", "memory", "recommender")


def origin_folder(registry: RunRegistry, id_: str) -> Path:
    """Return the folder of a run or an experiment."""
    return registry.folders.marked(id_, (FILE, EXPERIMENT), "run or experiment")


def origin(registry: RunRegistry, id_: str) -> Scenario:
    """Return the scenario from which a run or an experiment can be made again."""
    folder = origin_folder(registry, id_)
    if is_experiment(folder):
        return scenario_of(folder)
    with registry.readers.reading(folder) as reader:
        return replace(reader.scenario, seed=reader.log.seed, seeds=1, played=())


def keys_of(a: Scenario, b: Scenario) -> list[ScenarioKey]:
    """Return every key of two scenarios with both values, in the order of a scenario."""
    mine, theirs = flat(a), flat(b)
    return [ScenarioKey(key, mine.get(key), theirs.get(key)) for key in {**mine, **theirs}]


def differences(a: Scenario, b: Scenario) -> list[ScenarioKey]:
    """Return the keys of which two scenarios have different values."""
    return [one for one in keys_of(a, b) if one.a != one.b]


def flat(scenario: Scenario) -> dict[str, str]:
    """Return every value of a scenario as text, by its key as a scenario file writes it."""
    found: dict[str, str] = {}
    _flatten(_plain(msgspec.to_builtins(scenario)), "", found)
    return found


def _plain(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree with its parts as a file writes them: options beside the kind."""
    plain = dict(tree)
    for key in _PARTS:
        if key in plain:
            part = part_of(plain[key], key)
            plain[key] = {"": part["kind"], **part["options"]}
    arms: dict[str, dict[str, Any]] = plain.get("arms", {})
    return plain | ({"arms": {name: _plain(arm) for name, arm in arms.items()}} if arms else {})


def _flatten(value: object, place: str, found: dict[str, str]) -> None:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            _flatten(inner, ".".join(part for part in (place, str(key)) if part), found)
    elif value not in ({}, [], ()):
        found[place] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def form_of(scenario: Scenario) -> ScenarioForm:
    """Return a scenario in the fields of the form; what has no field there is left out."""
    arms = [arm.get("recommender") for arm in scenario.arms.values()]
    recommenders = [recommender_name(arm) for arm in arms if arm is not None]
    endpoint = next(iter(endpoints_of(scenario.llm)), None)
    return ScenarioForm(
        scenario.title,
        scenario.agents,
        scenario.rounds,
        scenario.seed,
        scenario.seeds,
        scenario.dataset.kind,
        recommenders or [recommender_name(msgspec.to_builtins(scenario.recommender))],
        scenario.mind.kind,
        scenario.memory.kind,
        scenario.llm.url or (endpoint.url if endpoint else ""),
        scenario.llm.model,
    )


def is_plain(scenario: Scenario) -> bool:
    """Return whether arms differ by their recommender alone, so that the form can name them."""
    return all(set(arm) == {"recommender"} for arm in scenario.arms.values())


def router(registry: RunRegistry, offer: Offer) -> APIRouter:
    """Return the endpoints of scenarios: those to start from, checks, and what runs were."""
    api = APIRouter()
    speeds = Speeds()

    @api.get("/scenarios", response_class=Response)
    def listed() -> Response:
        """Return the scenarios to start from."""
        named = offer.named().items()
        return json_reply(
            [ScenarioRow(name, each.title, text_of(offer.shown(each))) for name, each in named]
        )

    @api.post("/scenarios/check", response_class=Response)
    def check(body: ScenarioBody) -> Response:
        """Return what is wrong with a scenario, or what it will cost, without starting it."""
        base = origin(registry, body.like) if body.like else None
        try:
            scenario = offer.requested(body.toml, body.form, base)
            spending_of(body.form)
            scenario = drawn_instead(scenario)
            verify(scenario)
            for variant in variants(scenario).values():
                check_chosen(variant, SpendingOptions())
        except AudienceError as error:
            return json_reply(ScenarioCheck(False, [problem(error)], None, None))
        shown = offer.shown(scenario)
        apart = differences(offer.shown(base), shown) if base else None
        return json_reply(ScenarioCheck(True, [], costs(scenario, speeds), text_of(shown), apart))

    @api.get("/runs/{run}/scenario", response_class=Response)
    def scenario(run: RunId) -> Response:
        """Return the scenario of a run or an experiment, as text and as a form."""
        found = offer.shown(origin(registry, run))
        return json_reply(
            RunScenario(run, found.title, text_of(found), form_of(found), is_plain(found))
        )

    @api.get("/compare/scenarios", response_class=Response)
    def pair(a: OneOf, b: OneOf) -> Response:
        """Return the keys of the scenarios of two runs or experiments, with both values."""
        mine, theirs = (offer.shown(origin(registry, one)) for one in (a, b))
        return json_reply(ScenarioPair(keys_of(mine, theirs)))

    return api
