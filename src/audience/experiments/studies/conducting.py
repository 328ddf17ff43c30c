"""A study from its recipe to its findings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from audience import results
from audience.experiments.asking import ask
from audience.experiments.build import asks_models
from audience.experiments.experiment import variants, verify
from audience.experiments.findings import Arm, differences
from audience.experiments.going import Stopping
from audience.experiments.studies.jobs import Job, jobs_of, live, setting_of
from audience.experiments.studies.recipe import FILE, Recipe
from audience.experiments.studies.study import StudyFindings
from audience.experiments.studies.workers import Watch, live_all

INTERVIEWED = 3


class Studied(msgspec.Struct, frozen=True):
    """A finished study."""

    recipe: Recipe
    findings: StudyFindings
    folder: Path
    remarks: tuple[str, ...]


def cores() -> int:
    """Return how many processes may work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check(recipe: Recipe) -> None:
    """Raise unless every run can be made. Nothing is written."""
    verify(recipe.scenario)
    for arm in recipe.scenario.arms:
        recipe.study.metrics(setting_of(recipe, Job(arm, recipe.scenario.seed)))


def conduct_study(
    recipe: Recipe,
    folder: Path,
    *,
    workers: int = 0,
    watch: Watch = lambda rounds, runs: None,
    stopping: Stopping = lambda: False,
) -> Studied:
    """Live what is not there yet and return what was found; the folder is the study's alone."""
    check(recipe)
    claim(recipe, folder)
    live_all(recipe, folder, workers or cores(), watch, stopping)
    return gathered(recipe, folder)


def gathered(recipe: Recipe, folder: Path) -> Studied:
    """Return the findings of runs that are all there."""
    found = {name: list[Job]() for name in recipe.scenario.arms}
    for job in jobs_of(recipe):
        found[job.arm].append(job)
    arms = tuple(
        Arm(name, tuple(live(recipe, job, folder, None, lambda: False) for job in jobs))
        for name, jobs in found.items()
    )
    findings = found_in(recipe, arms)
    said = interviews(recipe, folder) if recipe.study.asks else []
    return Studied(recipe, findings, folder, (*recipe.study.remarks(findings), *said))


def interviews(recipe: Recipe, folder: Path) -> list[str]:
    """Return what some people of every arm answer at the end; nothing of minds without words."""
    if not asks_models(recipe.scenario):
        return []
    said, question, last = list[str](), recipe.study.asks, recipe.scenario.rounds
    for arm in recipe.scenario.arms:
        place = Job(arm, recipe.scenario.seed).folder(folder)
        people = range(min(INTERVIEWED, recipe.scenario.agents))
        for answer in ask(place, people, question, last):
            said.append(f"Asked “{question}” with {arm}, person {answer.agent}: “{answer.text}”")
    return said


def found_in(recipe: Recipe, arms: Sequence[Arm]) -> StudyFindings:
    """Return what the arms show, with the study's sentence."""
    scenario, study = recipe.scenario, recipe.study
    facts = {
        "people": f"{scenario.agents:,}",
        "rounds": f"{scenario.rounds} of {scenario.clock.step}",
        "seeds": ", ".join(str(run.seed) for run in arms[0].runs),
        "mind": scenario.mind.kind,
        "dataset": scenario.dataset.kind,
    }
    found = differences(arms, list(study.labels))
    findings = StudyFindings(
        scenario.title,
        tuple(arms),
        found,
        "",
        recipe.text,
        facts,
        dict(study.labels),
        tuple(variants(scenario).values()),
    )
    return msgspec.structs.replace(findings, verdict=study.finding(findings))


def claim(recipe: Recipe, folder: Path) -> None:
    """Make the folder this study's; refuse one that holds something else."""
    other = "another study, or this one with other numbers"
    results.claim(folder / FILE, recipe.text, other)
