"""Runs a study in a pool of processes, and gathers its findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from audience.files import claim as files_claim
from audience.lab.studies.jobs import (
    MEASURED_FILE,
    batch_tasks,
    kept_numbers,
    live,
    setting_of,
)
from audience.lab.studies.recipe import STUDY_FILE, Recipe, read
from audience.lab.studies.study import Study, StudyFindings
from audience.results import Arm, Measured, differences, withheld
from audience.runs import (
    Counted,
    Pool,
    PoolTask,
    SeededArm,
    Stopping,
    ask,
    jobs_of,
    pool_for,
    variants,
    verify,
)
from audience.scenario import asks_models
from audience.toml_reader import text_file

INTERVIEWED = 3


class Studied(msgspec.Struct, frozen=True):
    """A finished study."""

    recipe: Recipe
    findings: StudyFindings
    folder: Path
    remarks: tuple[str, ...]


def check(recipe: Recipe) -> None:
    """Raise unless every run can be made. Nothing is written."""
    verify(recipe.scenario)
    for arm in recipe.scenario.arms:
        recipe.study.metrics(setting_of(recipe, SeededArm(arm, recipe.scenario.seed)))


def conduct_study(
    recipe: Recipe,
    folder: Path,
    *,
    workers: int = 0,
    watch: Counted = lambda rounds, runs: None,
    stopping: Stopping = lambda: False,
) -> Studied:
    """Run what is missing and return the findings; the folder belongs to the study alone."""
    check(recipe)
    claim(recipe, folder)
    missing, kept = missing_tasks(recipe, folder)
    watch(0, kept)
    with pool_for_studies([recipe], workers) as pool:
        for _ in pool.work(missing, watch, stopping):
            pass
    return gathered(recipe, folder)


def missing_tasks(recipe: Recipe, folder: Path) -> tuple[list[PoolTask], int]:
    """Return the tasks of a study that are not done, and how many runs are."""
    tasks = batch_tasks(recipe, folder)
    missing = [
        task
        for task in tasks
        if not all((folder / place / MEASURED_FILE).is_file() for place in task.places)
    ]
    return missing, sum(task.runs for task in tasks) - sum(task.runs for task in missing)


def pool_for_studies(recipes: Sequence[Recipe], workers: int = 0, cluster: str = "") -> Pool:
    """Return the pool that takes the runs and reports of studies."""
    arms = [arm for recipe in recipes for arm in variants(recipe.scenario).values()]
    return pool_for(arms, workers, cluster=cluster, least=0)


def gathered(recipe: Recipe, folder: Path) -> Studied:
    """Return the findings of runs that are all finished."""
    runs = {name: list[SeededArm]() for name in recipe.scenario.arms}
    for job in jobs_of(recipe.scenario):
        runs[job.arm].append(job)
    arms = tuple(
        Arm(name, tuple(live(recipe, job, folder, None, lambda: False) for job in jobs))
        for name, jobs in runs.items()
    )
    findings = found_in(recipe, arms)
    answers = interviews(recipe, folder) if recipe.study.asks else []
    return Studied(recipe, findings, folder, (*remarks_on(recipe.study, findings), *answers))


def stored_study(folder: Path) -> Studied | None:
    """Return what a finished study in a folder found, from its files alone; None if unfinished."""
    path = folder / STUDY_FILE
    recipe = read(text_file(path), str(path), folder)
    runs: dict[str, list[Measured]] = {name: [] for name in recipe.scenario.arms}
    for job in jobs_of(recipe.scenario):
        kept = kept_numbers(folder / job.place)
        if kept is None:
            return None
        runs[job.arm].append(kept)
    arms = tuple(Arm(name, tuple(measured)) for name, measured in runs.items())
    findings = found_in(recipe, arms)
    return Studied(recipe, findings, folder, remarks_on(recipe.study, findings))


def remarks_on(study: Study, findings: StudyFindings) -> tuple[str, ...]:
    """Return what a reader of a study's findings must know."""
    rule_notes = study.rule_notes if findings.has_rule_minds else ()
    return (*study.notes, *rule_notes, *study.remarks(findings))


def interviews(recipe: Recipe, folder: Path) -> list[str]:
    """Return what some people of every arm answer at the end; nothing if minds do not speak."""
    if not asks_models(recipe.scenario):
        return []
    answers, question, last = list[str](), recipe.study.asks, recipe.scenario.rounds
    for arm in recipe.scenario.arms:
        place = folder / SeededArm(arm, recipe.scenario.seed).place
        people = range(min(INTERVIEWED, recipe.scenario.agents))
        for answer in ask(place, people, question, last):
            answers.append(f"Asked “{question}” with {arm}, person {answer.agent}: “{answer.text}”")
    return answers


def found_in(recipe: Recipe, arms: Sequence[Arm]) -> StudyFindings:
    """Return the findings of the arms, with the study's answer."""
    scenario, study = recipe.scenario, recipe.study
    facts = {
        "people": f"{scenario.agents:,}",
        "rounds": f"{scenario.rounds} of {scenario.clock.step}",
        "seeds": ", ".join(str(run.seed) for run in arms[0].runs),
        "mind": scenario.mind.kind,
        "dataset": scenario.dataset.kind,
    }
    paired = differences(arms, list(study.labels))
    findings = StudyFindings(
        scenario.title,
        tuple(arms),
        paired,
        "",
        recipe.text,
        facts,
        dict(study.labels),
        variants=tuple(variants(scenario).values()),
    )
    return msgspec.structs.replace(findings, verdict=withheld(arms) or study.finding(findings))


def claim(recipe: Recipe, folder: Path) -> None:
    """Mark the folder as this study's; raise if it holds something else."""
    other = "another study, or this one with other numbers"
    files_claim(folder / STUDY_FILE, recipe.text, other)
