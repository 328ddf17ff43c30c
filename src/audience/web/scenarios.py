"""Scenarios of requests: those to start from, what is offered, and what one will cost."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from audience.datasets.loaders import options_for
from audience.errors import AudienceError, BadInput, unknown
from audience.llm import Endpoint, first_call
from audience.plugins import known
from audience.runs import (
    estimate,
    names_mind,
    seconds_of,
    tells_mind,
    variants,
)
from audience.scenario import (
    HIDDEN,
    PRESETS,
    Models,
    Offered,
    Part,
    Scenario,
    SpendingOptions,
    admitted,
    admitted_change,
    admitted_over,
    arms_of,
    asks_models,
    changed,
    check_secrets,
    endpoints_of,
    load,
    masked,
    masked_change,
    models_table,
    overlaid,
    parse,
    part_of,
    preset_text,
)
from audience.web.reply_types import CostForecast, ScenarioProblem
from audience.web.requests import Form

PLAIN = 'title = "A simulated audience"\nagents = 100\nrounds = 10\n'
KNOWN_S, UNKNOWN_S = 600.0, 15.0
"""Seconds for which the speed of an endpoint is remembered, and for which its silence is."""
MOST_KNOWN = 64
SECONDS_A_VISIT = 0.0005
_PLACE = re.compile(r"^(?:(?:scenario|command line|run|llm|arm '[^']*'): )*(?:--)?(\w+)\b")
_FIELDS = {*Form.model_fields, *Scenario.__struct_fields__}
_LINE = re.compile(r"\(line (\d+)\)")


class Speeds:
    """How long one call to an endpoint takes, measured once in a while by a first call."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[float, float | None, str]] = {}

    def of(self, models: Models) -> tuple[float | None, str]:
        """Return the seconds of a call and how they are known, or None and why they are not."""
        endpoints = endpoints_of(models)
        if not endpoints:
            return None, "the model on this machine was not timed"
        key = msgspec.json.encode(endpoints[0])
        until, seconds, told = self._known.get(key, (0.0, None, ""))
        if monotonic() >= until:
            seconds, told = _timed(endpoints[0])
            until = monotonic() + (UNKNOWN_S if seconds is None else KNOWN_S)
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = (until, seconds, told)
        return seconds, told


def _timed(endpoint: Endpoint) -> tuple[float | None, str]:
    try:
        reply = asyncio.run(first_call(endpoint))
    except AudienceError as error:
        return None, str(error)
    if reply.outcome != "reply":
        return None, reply.why
    return reply.seconds, f"a first call took {reply.seconds:.2f} s"


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

    def requested(
        self, text: str | None, form: Form | None, base: Scenario | None = None
    ) -> Scenario:
        """Return the scenario that a request describes, held to what is offered.

        `base` is the scenario of a run that a form changes.
        """
        if (text is None) == (form is None):
            raise BadInput("give a scenario either as toml or as form")
        if form is not None:
            if base is not None and self.offered is not None:  # a run of a terminal may name more
                changed_ = overlaid(masked(base, self.offered), self._changes(form, base))
                return admitted(changed_, self.offered)
            return self._formed(form, base or self._started_from(form))
        scenario = parse(text or "")
        check_secrets(scenario)
        return scenario if self.offered is None else admitted(scenario, self.offered)

    def names_mind(self, text: str | None, form: Form | None) -> bool:
        """Return whether a request says by which minds people decide."""
        if form is None:
            return tells_mind(text or "")
        name = form.scenario or "plain"
        path = self._paths.get(name, Path(name))
        return form.mind is not None or names_mind(path)

    def admitted_change(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return an intervention of a request, held to what is offered."""
        return written if self.offered is None else admitted_change(written, self.offered)

    def shown(self, scenario: Scenario) -> Scenario:
        """Return a scenario as a reply may show it."""
        return scenario if self.offered is None else masked(scenario, self.offered)

    def check_asked(self, models: Models) -> None:
        """Raise if a run's model is not offered: its people cannot be asked from elsewhere."""
        if self.offered is None:
            return
        shown = self.shown(Scenario(llm=models)).llm
        if HIDDEN in (shown.url, shown.model):
            raise BadInput(
                "the model of this run is not offered to other machines; whoever serves the page "
                "can offer its endpoint in the file of `audience serve --offer FILE.toml`"
            )

    def shown_change(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return an intervention as a reply may show it."""
        return written if self.offered is None else masked_change(written, self.offered)

    def _started_from(self, form: Form) -> Scenario:
        scenarios = self.named()
        name = form.scenario or "plain"
        if name not in scenarios:
            raise unknown("scenario", name, scenarios)
        return scenarios[name]

    def _changes(self, form: Form, base: Scenario) -> dict[str, Any]:
        """Return what a form changes in a scenario."""
        changes: dict[str, Any] = form.model_dump(
            exclude_none=True, exclude={"scenario", "budget", "share", "recommenders"}
        )
        if llm := models_table(changes):
            changes["llm"] = llm
        if form.recommender is not None:
            changes["arms"] = {}
        if form.recommenders is not None:
            changes["arms"] = arms_of(form.recommenders)
            if self.offered is None:
                keep_options(changes["arms"], base)
        if form.share is not None:
            waking = msgspec.to_builtins(base.activation)
            changes["activation"] = {**waking, "share": form.share}
        return changes

    def _formed(self, form: Form, base: Scenario) -> Scenario:
        changes = self._changes(form, base)
        if self.offered is not None:  # before anything that it names is looked for
            return admitted_over(base, changes, self.offered)
        if isinstance(changes.get("dataset"), str) and changes["dataset"] not in known("datasets"):
            changes["dataset"] = options_for(changes["dataset"])
        return changed(base, **changes)


def keep_options(arms: dict[str, Any], base: Scenario) -> None:
    """Give the options that a scenario has for a recommender to the arm that names its kind."""
    there = [msgspec.to_builtins(base.recommender)]
    there += [arm["recommender"] for arm in base.arms.values() if "recommender" in arm]
    known_as = {recommender_name(one): one for one in there}
    for arm in arms.values():
        arm["recommender"] = known_as.get(arm["recommender"], arm["recommender"])


def recommender_name(written: object) -> str:
    """Return a recommender as a form names it: its kind, or the address of a service."""
    part = msgspec.convert(part_of(written, "recommender"), Part)
    return str(part.options.get("url", part.kind)) if part.kind == "http" else part.kind


def spending_of(form: Form | None) -> SpendingOptions:
    """Return the budget of a form."""
    if form is None or form.budget in (None, ""):
        return SpendingOptions()
    budget = form.budget
    spending = SpendingOptions(budget=budget if isinstance(budget, str) else f"{budget:.6f}usd")
    spending.limits()
    return spending


def problem(error: AudienceError) -> ScenarioProblem:
    """Return what is wrong, and the field or line it is about."""
    message = str(error)
    line, place = _LINE.search(message), _PLACE.match(message)
    field = place[1] if place and place[1] in _FIELDS else ""
    where = f"line {line[1]}" if line else field
    return ScenarioProblem(where, message)


def costs(scenario: Scenario, speeds: Speeds) -> CostForecast:
    """Return roughly what a scenario will take: calls, tokens, dollars and seconds."""
    arms = variants(scenario).values()
    visits = sum(arm.agents * arm.rounds * arm.activation.share for arm in arms) * scenario.seeds
    seconds = visits * SECONDS_A_VISIT
    if not any(asks_models(arm) for arm in arms):
        return CostForecast(0, 0, 0.0, round(seconds, 1), "")
    forecast = estimate(scenario)
    tokens = round(forecast.prompt + forecast.completion)
    latency, told = speeds.of(scenario.llm)
    whole = None if latency is None else seconds + seconds_of(scenario, forecast, latency)
    rounded = None if whole is None else round(whole, 1)
    return CostForecast(round(forecast.calls), tokens, forecast.dollars, rounded, told)
