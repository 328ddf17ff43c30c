"""Endpoints of scenarios: those to start from, and the check of one with what it will cost."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from audience.datasets.loaders import options_for
from audience.errors import AudienceError, BadInput, unknown
from audience.plugins import known
from audience.runs import drawn_instead, estimate, variants, verify
from audience.scenario import (
    PRESETS,
    Offered,
    Scenario,
    SpendingOptions,
    admitted,
    admitted_change,
    admitted_over,
    asks_models,
    changed,
    check_chosen,
    check_secrets,
    load,
    masked,
    masked_change,
    models_table,
    parse,
    preset_text,
    text_of,
)
from audience.web.replies import json_reply
from audience.web.reply_types import CostForecast, ScenarioCheck, ScenarioProblem, ScenarioRow
from audience.web.requests import Form, ScenarioBody

PLAIN = 'title = "A simulated audience"\nagents = 100\nrounds = 10\n'
SECONDS_A_CALL = 1.0
"""Rough duration of a call when nothing is known about the endpoint."""
AT_ONCE = 256
"""Rough number of concurrent calls where none is given."""
SECONDS_A_VISIT = 0.0005
_PLACE = re.compile(r"^(?:(?:scenario|command line|run|llm|arm '[^']*'): )*(?:--)?(\w+)\b")
_FIELDS = {*Form.model_fields, *Scenario.__struct_fields__}
_LINE = re.compile(r"\(line (\d+)\)")


class Offer:
    """The scenarios to start from, and what a scenario in a request may contain."""

    def __init__(self, paths: dict[str, Path], offered: Offered | None) -> None:
        """Offer these files besides our own; `offered` is what requests are held to, if any."""
        self._paths = paths
        self.offered = offered

    def named(self) -> dict[str, Scenario]:
        """Return every scenario by its name."""
        own = (files("audience.scenario") / "default.toml").read_text("utf-8")
        scenarios = {"plain": parse(PLAIN), "two recommenders": parse(own, "default.toml")}
        scenarios |= {name: parse(preset_text(name), name) for name in PRESETS}
        for name, path in self._paths.items():
            with suppress(AudienceError):  # a file that is not a scenario is not offered
                scenarios[name] = load(path)
        return scenarios

    def requested(self, text: str | None, form: Form | None) -> Scenario:
        """Return the scenario that a request describes, held to what is offered."""
        if (text is None) == (form is None):
            raise BadInput("give a scenario either as toml or as form")
        if form is not None:
            return self._formed(form)
        scenario = parse(text or "")
        check_secrets(scenario)
        return scenario if self.offered is None else admitted(scenario, self.offered)

    def admitted_change(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return an intervention of a request, held to what is offered."""
        return written if self.offered is None else admitted_change(written, self.offered)

    def shown(self, scenario: Scenario) -> Scenario:
        """Return a scenario as a reply may show it."""
        return scenario if self.offered is None else masked(scenario, self.offered)

    def shown_change(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return an intervention as a reply may show it."""
        return written if self.offered is None else masked_change(written, self.offered)

    def _formed(self, form: Form) -> Scenario:
        scenarios = self.named()
        name = form.scenario or "plain"
        if name not in scenarios:
            raise unknown("scenario", name, scenarios)
        changes: dict[str, Any] = form.model_dump(
            exclude_none=True, exclude={"scenario", "budget", "share"}
        )
        if llm := models_table(changes):
            changes["llm"] = llm
        if form.recommender is not None:
            changes["arms"] = {}
        if form.share is not None:
            waking = msgspec.to_builtins(scenarios[name].activation)
            changes["activation"] = {**waking, "share": form.share}
        if self.offered is not None:  # before anything that it names is looked for
            return admitted_over(scenarios[name], changes, self.offered)
        if isinstance(changes.get("dataset"), str) and changes["dataset"] not in known("datasets"):
            changes["dataset"] = options_for(changes["dataset"])
        return changed(scenarios[name], **changes)


def spending_of(form: Form | None) -> SpendingOptions:
    """Return the budget of a form."""
    if form is None or form.budget in (None, ""):
        return SpendingOptions()
    budget = form.budget
    spending = SpendingOptions(budget=budget if isinstance(budget, str) else f"{budget:.6f}usd")
    spending.limits()
    return spending


def router(offer: Offer) -> APIRouter:
    """Return the endpoints of scenarios."""
    api = APIRouter()

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
        try:
            scenario = offer.requested(body.toml, body.form)
            spending_of(body.form)
            scenario = drawn_instead(scenario)
            verify(scenario)
            for variant in variants(scenario).values():
                check_chosen(variant, SpendingOptions())
        except AudienceError as error:
            return json_reply(ScenarioCheck(False, [problem(error)], None, None))
        text = text_of(offer.shown(scenario))
        return json_reply(ScenarioCheck(True, [], costs(scenario), text))

    return api


def problem(error: AudienceError) -> ScenarioProblem:
    """Return what is wrong, and the field or line it is about."""
    message = str(error)
    line, place = _LINE.search(message), _PLACE.match(message)
    field = place[1] if place and place[1] in _FIELDS else ""
    where = f"line {line[1]}" if line else field
    return ScenarioProblem(where, message)


def costs(scenario: Scenario) -> CostForecast:
    """Return roughly what a scenario will take: calls, tokens, dollars and seconds."""
    arms = variants(scenario).values()
    visits = sum(arm.agents * arm.rounds * arm.activation.share for arm in arms) * scenario.seeds
    seconds = visits * SECONDS_A_VISIT
    if not any(asks_models(arm) for arm in arms):
        return CostForecast(0, 0, 0.0, round(seconds, 1))
    forecast = estimate(scenario)
    at_once = min(scenario.llm.concurrency or AT_ONCE, scenario.run.concurrency or AT_ONCE)
    seconds += forecast.calls * SECONDS_A_CALL / at_once
    tokens = round(forecast.prompt + forecast.completion)
    return CostForecast(round(forecast.calls), tokens, forecast.dollars, round(seconds, 1))
