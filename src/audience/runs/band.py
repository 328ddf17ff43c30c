"""Runs the arms of an experiment before a few other audiences, in memory and with paired dice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from audience.agents import GroundedMind, RuleMind
from audience.engine import Simulation, run, run_sync
from audience.errors import Interrupted
from audience.metrics import Metrics, Satisfaction
from audience.plugins import find
from audience.results import (
    LEAST_SEEDS,
    Arm,
    Band,
    BandSetting,
    Measured,
    differences,
    read_band,
    write_band,
)
from audience.runs.experiment import Outcome
from audience.runs.jobs import variants
from audience.runs.kept_measures import packed, unpacked
from audience.runs.lifecycle import Stopping
from audience.runs.pool import Here, Pool
from audience.runs.task import Attendant, PoolTask
from audience.runs.verdict import HEADLINE, with_band
from audience.scenario import (
    Options,
    Part,
    Scenario,
    asks_models,
    genesis_of,
    is_service,
    parse,
    parts_of,
    text_of,
)
from audience.world import Chapter, World

BUDGET = 0.8
"""The most visits of a band, as a share of those of the experiment."""
RANGES: dict[str, tuple[float, ...]] = {
    "taste": (1.0, 6.0),
    "quality": (0.3, 2.4),
    "novelty": (0.0, 1.5),
    "position": (0.0, 0.3),
    "pull": (0.5, 2.0),
}
"""The ends of the plausible range of each parameter."""
GRID: dict[str, tuple[float, ...]] = {
    "taste": (0.5, 1.0, 1.8, 2.6, 4.0, 6.0),
    "quality": (0.0, 0.3, 0.7, 1.2, 2.4),
    "novelty": (0.0, 0.25, 0.5, 1.0, 1.5),
    "position": (0.0, 0.06, 0.12, 0.2, 0.3),
    "pull": (0.25, 0.5, 1.0, 1.5, 2.0),
}
"""What the whole map tries."""
_OWN = {
    RuleMind: ("taste", "quality", "novelty", "position"),
    GroundedMind: ("pull", "novelty", "position"),
}
_ALIKE: Options = {"demography": 0.0, "traits": 0.0}


class OtherAudience(msgspec.Struct, frozen=True):
    """Another audience: what changes in the minds, or in who comes."""

    name: str
    parameter: str
    options: Options = {}
    """Laid over the options of each arm's own mind."""
    mind: Part | None = None
    """Takes the place of each arm's mind."""
    waking: Options = {}

    def of(self, scenario: Scenario) -> Scenario:
        """Return an arm's scenario before this audience."""
        mind = self.mind or Part(scenario.mind.kind, {**scenario.mind.options, **self.options})
        waking = msgspec.structs.replace(scenario.activation, **self.waking)
        return msgspec.structs.replace(scenario, mind=mind, activation=waking)


def settings_for(scenario: Scenario, *, whole: bool = False) -> list[OtherAudience]:
    """Return the audiences to try: the ends of each range, or with `whole` a grid."""
    kinds = {variant.mind.kind for variant in variants(scenario).values()}
    makes = {find("minds", kind) for kind in kinds}
    values = GRID if whole else RANGES
    settings = []
    if makes <= set(_OWN):
        own = [name for name in RANGES if all(name in _OWN[make] for make in makes)]
        settings += [
            OtherAudience(f"{name} {value:g}", name, {name: value})
            for name in own
            for value in values[name]
        ]
        settings.append(OtherAudience("people alike", "people", _ALIKE))
    if len(kinds) == 1 and makes != {RuleMind}:
        settings.append(OtherAudience("rule minds", "mind", mind=Part("rule")))
        settings += [
            OtherAudience(
                f"rule minds, taste {value:g}", "mind", mind=Part("rule", {"taste": value})
            )
            for value in values["taste"]
        ]
    if scenario.activation.method != "random":
        settings.append(OtherAudience("equally active", "people", waking={"method": "random"}))
    return [each for each in settings if not _is_usual(each, scenario)]


def _is_usual(setting: OtherAudience, scenario: Scenario) -> bool:
    return all(setting.of(variant) == variant for variant in variants(scenario).values())


def obstacle_to_band(scenario: Scenario) -> str:
    """Return why no other audiences can be tried; empty if they can."""
    arms = variants(scenario).values()
    if len(arms) < 2:
        return "there is one arm"
    if scenario.spread.topics:
        return "the verdict is about how far a topic spreads"
    if scenario.played or any(variant.mind.kind == "human" for variant in arms):
        return "people were played"
    if any(asks_models(variant) for variant in arms):
        return "language models would be asked again, which costs"
    if any(is_service(variant.recommender) for variant in arms):
        return "a service would be asked again"
    return ""


def band_of(
    scenario: Scenario,
    *,
    whole: bool = False,
    stopping: Stopping = lambda: False,
    pool: Pool | None = None,
) -> Band | None:
    """Return the arms of an experiment before other audiences.

    Usually with the people of its last seed, in as many rounds and visits as keep the whole below
    the cost of the experiment; with `whole`, a grid in full size with every seed. None if stopped.
    """
    settings = settings_for(scenario, whole=whole)
    small, share = (scenario, 1.0) if whole else _shortened(scenario, len(settings))
    last = scenario.seed + scenario.seeds - 1
    seeds = range(scenario.seed, last + 1) if whole else (last,)
    arms = variants(small)
    runs: dict[tuple[str, str], list[Measured]] = {}
    try:
        tasks = _tasks(small, settings, seeds)  # people and what minds learn are made once a seed
        ended = list((pool or Here()).work(tasks, lambda rounds, runs: None, stopping))
    except Interrupted:
        return None
    measured = {task.name: unpacked(result, list[Measured]) for task, result in ended}
    for task, setting in zip(tasks, settings * len(seeds), strict=True):
        for name, lived in zip(arms, measured[task.name], strict=True):
            runs.setdefault((setting.name, name), []).append(lived)
    rows, left_out = [], []
    for setting in settings:
        there = [Arm(name, tuple(runs[setting.name, name])) for name in arms]
        found = [each for each in differences(there, [HEADLINE]) if math.isfinite(each.low)]
        if found:
            rows.append(BandSetting(setting.name, setting.parameter, tuple(found)))
        else:
            left_out.append(setting.name)
    people, rounds = scenario.agents, small.rounds
    return Band(HEADLINE, tuple(rows), people, rounds, len(seeds), share, tuple(left_out))


def _tasks(
    scenario: Scenario, settings: Sequence[OtherAudience], seeds: Sequence[int]
) -> list[PoolTask]:
    """Return the task of each other audience with each seed, seed by seed."""
    call, text = f"{__name__}:{perform_setting.__name__}", text_of(scenario)
    return [
        PoolTask(
            f"{setting.name}, seed {seed}",
            call,
            {"scenario": text, "setting": msgspec.to_builtins(setting), "seed": seed},
            ".",
            runs=len(variants(scenario)),
        )
        for seed in seeds
        for setting in settings
    ]


def perform_setting(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Run every arm before another audience with one seed, and return their numbers as bytes."""
    del root, attendant  # nothing is written, and each takes moments
    arms = variants(_parsed(given["scenario"]))
    setting = msgspec.convert(given["setting"], OtherAudience)
    return packed([_lived(setting.of(variant), given["seed"]) for variant in arms.values()])


@lru_cache(maxsize=1)
def _parsed(text: str) -> Scenario:
    return parse(text, "the scenario")


def _shortened(scenario: Scenario, settings: int) -> tuple[Scenario, float]:
    """Return a scenario with so few rounds and visits that all settings fit the budget."""
    part = min(1.0, BUDGET * scenario.seeds / max(settings, 1))
    rounds = scenario.rounds if scenario.interventions else math.ceil(part * scenario.rounds)
    share = part * scenario.rounds / rounds
    waking = scenario.activation
    waking = msgspec.structs.replace(
        waking, share=waking.share * share, at_most=math.ceil(waking.at_most * share)
    )
    rules = msgspec.structs.replace(scenario.run, rounds=rounds)
    return msgspec.structs.replace(scenario, run=rules, activation=waking), share


def with_sensitivity(
    scenario: Scenario,
    outcome: Outcome,
    stopping: Stopping = lambda: False,
    pool: Pool | None = None,
) -> Outcome:
    """Return an outcome whose verdict says how it fares before other audiences.

    They are tried once and kept in the outcome's folder. With fewer than three seeds there is no
    verdict to try.
    """
    findings, folder = outcome.findings, Path(outcome.folder)
    if len(findings.arms) < 2 or scenario.seeds < LEAST_SEEDS or findings.is_withheld:
        return outcome
    why = obstacle_to_band(scenario)
    note = f"Other audiences were not tried: {why}." if why else ""
    band = None if why else read_band(folder) or band_of(scenario, stopping=stopping, pool=pool)
    if band:
        write_band(band, folder)
    return msgspec.structs.replace(outcome, findings=with_band(findings, band, note))


class _Nowhere:
    """A log that keeps nothing."""

    def append(self, chapter: Chapter, body: bytes = b"") -> None: ...
    def commit(self) -> None: ...


def _lived(scenario: Scenario, seed: int) -> Measured:
    """Return the satisfaction of everybody in a run that leaves no log."""
    genesis = genesis_of(scenario, seed)
    metrics = Metrics([Satisfaction()])
    parts = parts_of(scenario, genesis)
    listeners = [metrics.update_chapter]
    sim = Simulation(World(genesis), _Nowhere(), parts, scenario.run, seed, listeners=listeners)
    run_sync(lambda: run(sim))
    return Measured("", seed, "", metrics.value(), (), metrics.per_agent())
