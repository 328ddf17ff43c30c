"""Scenarios to start from: found, made from a form, checked as one types, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    Scenario,
    SpendingOptions,
    asks_models,
    changed,
    load,
    models_table,
    parse,
    text_of,
)
from audience.web.replies import told
from audience.web.requests import Form, ScenarioBody

PLAIN = 'title = "A simulated audience"\nagents = 100\nrounds = 10\n'
SECONDS_A_CALL = 1.0
"""How long a call takes, roughly, when nothing is known of the endpoint."""
SECONDS_A_VISIT = 0.0005
_PLACE = re.compile(r"^(?:(?:scenario|command line|run|llm|arm '[^']*'): )*(?:--)?(\w+)\b")
_FIELDS = {*Form.model_fields, *Scenario.__struct_fields__}
_LINE = re.compile(r"\(line (\d+)\)")


class Offer:
    """The scenarios that one may start from, and what may stand in one that is sent."""

    def __init__(self, found: dict[str, Path], *, is_open: bool) -> None:
        """Offer these files besides our own; `is_open`: only this machine can reach the server."""
        self._found = found
        self._is_open = is_open

    def named(self) -> dict[str, Scenario]:
        """Return every scenario by its name."""
        own = (files("audience.scenario") / "default.toml").read_text("utf-8")
        offered = {"plain": parse(PLAIN), "two recommenders": parse(own, "default.toml")}
        for name, path in self._found.items():
            try:
                offered[name] = load(path)
            except AudienceError:
                continue  # a file that is no scenario is not offered
        return offered

    def wanted(self, text: str | None, form: Form | None) -> Scenario:
        """Return the scenario that a request asks for."""
        if (text is None) == (form is None):
            raise BadInput("give a scenario either as toml or as form")
        scenario = self._formed(form) if form is not None else parse(text or "")
        if not self._is_open:
            _check_reach(scenario)
        return scenario

    def verify(self, scenario: Scenario) -> None:
        """Raise unless every part of it can be made."""
        verify(scenario)

    def check_changes(self, changes: Sequence[dict[str, Any]]) -> None:
        """Refuse interventions that reach for files or hosts from another machine."""
        if not self._is_open and any(_reaches(str(one.get("kind", ""))) for one in changes):
            raise BadInput("files and addresses are taken only from this machine itself")

    def _formed(self, form: Form) -> Scenario:
        offered = self.named()
        name = form.scenario or "plain"
        if name not in offered:
            raise unknown("scenario", name, offered)
        given = form.model_dump(exclude_none=True, exclude={"scenario", "budget", "share"})
        changes: dict[str, Any] = given
        if llm := models_table(changes):
            changes["llm"] = llm
        if isinstance(changes.get("dataset"), str) and changes["dataset"] not in known("datasets"):
            changes["dataset"] = options_for(changes["dataset"])
        if form.recommender is not None:
            changes["arms"] = {}
        if form.share is not None:
            waking = msgspec.to_builtins(offered[name].activation)
            changes["activation"] = {**waking, "share": form.share}
        return changed(offered[name], **changes)


def _check_reach(scenario: Scenario) -> None:
    """Refuse what would let somebody elsewhere load files of this machine or ask other hosts."""
    for variant in variants(scenario).values():
        parts = (variant.mind, variant.memory, variant.recommender, variant.dataset)
        told_ = [one.kind for one in parts] + list(variant.metrics)
        told_ += [str(one.get("kind", "")) for one in variant.interventions]
        if any(map(_reaches, told_)):
            raise BadInput("files and addresses are taken only from this machine itself")
        if any("path" in one.options or "url" in one.options for one in parts):
            raise BadInput("paths and addresses are taken only from this machine itself")


def _reaches(kind: str) -> bool:
    return ".py" in kind or "://" in kind or kind == "http"


def spending_of(form: Form | None) -> SpendingOptions:
    """Return what a form says may be spent."""
    if form is None or form.budget in (None, ""):
        return SpendingOptions()
    said = form.budget
    spending = SpendingOptions(budget=said if isinstance(said, str) else f"{said:.6f}usd")
    spending.limits()
    return spending


def router(offer: Offer) -> APIRouter:
    """Return the ways to scenarios."""
    api = APIRouter()

    @api.get("/scenarios", response_class=Response)
    def listed() -> Response:
        """Return the scenarios that one may start from."""
        rows = [
            {"name": name, "title": one.title, "toml": text_of(one)}
            for name, one in offer.named().items()
        ]
        return told(rows)

    @api.post("/scenarios/check", response_class=Response)
    def check(body: ScenarioBody) -> Response:
        """Say what is wrong with a scenario, or what it will take; nothing is started."""
        try:
            scenario = offer.wanted(body.toml, body.form)
            spending_of(body.form)
            scenario = drawn_instead(scenario)
            offer.verify(scenario)
        except AudienceError as error:
            return told({"ok": False, "problems": [problem(error)], "estimate": None, "toml": None})
        toml = text_of(scenario)
        return told({"ok": True, "problems": [], "estimate": costs(scenario), "toml": toml})

    return api


def problem(error: AudienceError) -> dict[str, str]:
    """Return what is wrong, and where: the field or the line it is about."""
    message = str(error)
    line, place = _LINE.search(message), _PLACE.match(message)
    field = place[1] if place and place[1] in _FIELDS else ""
    where = f"line {line[1]}" if line else field
    return {"where": where, "message": message}


def costs(scenario: Scenario) -> dict[str, Any]:
    """Return calls, tokens, dollars and seconds that a scenario will take, roughly."""
    arms = variants(scenario).values()
    visits = sum(one.agents * one.rounds * one.activation.share for one in arms) * scenario.seeds
    seconds = visits * SECONDS_A_VISIT
    if not any(asks_models(one) for one in arms):
        return {"calls": 0, "tokens": 0, "cost": 0.0, "seconds": round(seconds, 1)}
    found = estimate(scenario)
    seconds += (
        found.calls * SECONDS_A_CALL / min(scenario.llm.concurrency, scenario.run.concurrency)
    )
    return {
        "calls": round(found.calls),
        "tokens": round(found.prompt + found.completion),
        "cost": found.dollars,
        "seconds": round(seconds, 1),
    }
