"""Experiments: arms x seeds with the same people and dice, and the findings from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

import msgspec

from audience.errors import AudienceError, BadInput, Interrupted, shell_command
from audience.files import claim
from audience.log import Log, NotWritten
from audience.metrics import LABELS, suite
from audience.results import (
    Arm,
    Difference,
    Findings,
    Fitting,
    differences,
    read_band,
    read_fitting,
    result_table,
    to_html,
    write_fitting,
)
from audience.runs.jobs import (
    SeededArm,
    finished_of,
    jobs_of,
    kept_run,
    live_run,
    run_task,
    variants,
)
from audience.runs.lifecycle import Finished, Progress, Stopping
from audience.runs.marks import marks_of, sentences
from audience.runs.measures import Seen, measured
from audience.runs.pool import Pool
from audience.runs.progress import Watch
from audience.runs.task import Counted
from audience.runs.verdict import declared_in, verdict, with_band
from audience.scenario import (
    Scenario,
    SpendingOptions,
    genesis_of,
    label,
    parse,
    parts_of,
    reach,
    text_of,
)
from audience.toml_reader import text_file

EXPERIMENT = "experiment.toml"
"""The file that marks a folder as an experiment: the whole scenario, with its arms."""
SUMMARY = (
    "satisfaction",
    "click_rate",
    "picks",
    "minutes_per_visit",
    "completion",
    "rating_mean",
    "exit_page",
    "return_rate",
    "visits",
    "entropy_exposure",
    "entropy_consumption",
    "gini",
    "coverage_exposure",
    "repeated_exposure",
)


SPREAD_SUMMARY = (
    "reach",
    "emotion",
    "emotion_words",
    "positive",
    "told",
    "delivered",
    "cascades",
    "cascade_scale",
    "cascade_depth",
    "cascade_breadth",
    "visits",
)
"""The metrics of a run in which nothing was picked and a topic spread."""


def summary_of(findings: Findings) -> tuple[str, ...]:
    """Return the metrics that summarise findings."""
    totals = findings.arms[0].runs[0].totals if findings.arms else {}
    if "reach" not in totals:
        return SUMMARY
    return SPREAD_SUMMARY if not totals.get("picks") else (*SPREAD_SUMMARY[:6], *SUMMARY)


class Outcome(msgspec.Struct, frozen=True):
    """A finished experiment, or a single run: its runs, its findings, its folder."""

    folder: str
    finished: tuple[Finished, ...]
    findings: Findings

    @property
    def verdict(self) -> str:
        return self.findings.verdict

    @property
    def differences(self) -> tuple[Difference, ...]:
        return self.findings.differences

    @property
    def report(self) -> str:
        """The path of the report."""
        return str(Path(self.folder) / "report.html")

    def __str__(self) -> str:
        return self.verdict

    def __repr__(self) -> str:
        return f"<Outcome of {len(self.finished)} runs in {self.folder}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """Return the verdict and the table of all metrics, as notebooks show them."""
        verdict = f"<p><strong>{escape(self.verdict)}</strong></p>"
        return verdict + to_html(result_table(self.findings))


def verify(scenario: Scenario, where: str = "") -> None:
    """Raise unless every part of every arm can be made. Nothing is written."""
    for name, variant in variants(scenario).items():
        genesis = genesis_of(variant, variant.seed)
        try:
            reach(parts_of(variant, genesis))
            suite(variant.metrics)
        except BadInput as error:
            of_arm = f"arm {name!r}: " if scenario.arms else ""
            raise BadInput(f"{where}: {of_arm}{error}" if where else str(error)) from None


def conduct(
    scenario: Scenario,
    folder: Path,
    *,
    progress: Progress | None = None,
    stopping: Stopping = lambda: False,
    spending: SpendingOptions | None = None,
    watching: Callable[[Path], Watch] | None = None,
    fitting: Fitting | None = None,
    workers: int = 1,
    pool: Pool | None = None,
    counted: Counted = lambda rounds, runs: None,
) -> Outcome:
    """Run every arm with every seed, or a scenario's single run; existing runs are resumed.

    `watching` returns the watch of the run in each folder; `fitting`, what its people were fitted
    to, is kept there. `workers` is how many processes live the visits of a run; a `pool` of several
    takes whole runs instead, with as many workers each as are left, and tells `counted`; a cluster
    lives the visits of a single run.
    """
    if not scenario.arms and scenario.seeds == 1:
        watch = watching(folder) if watching else None
        given = (scenario, scenario.seed, folder, progress, stopping, spending, watch, workers)
        recruit = pool.recruit if pool and not watching else None
        done = live_run(*given, fitting=fitting, recruit=recruit)
        arms: tuple[Arm, ...] = (Arm(label(scenario.recommender.kind), (done.measured,)),)
        return Outcome(str(folder), (done,), _with_fitting(findings(scenario, arms), folder))
    verify(scenario)
    claim(folder / EXPERIMENT, text_of(scenario), "another experiment")
    if fitting:
        write_fitting(fitting, folder)
    if pool and not pool.is_here and not watching:
        done_runs = _beside(scenario, folder, pool, counted, stopping, spending, workers)
    else:
        done_runs = _in_turn(scenario, folder, progress, stopping, spending, watching, workers)
    by_arm = {
        name: tuple(done_runs[job] for job in jobs_of(scenario) if job.arm == name)
        for name in variants(scenario)
    }
    arms = tuple(Arm(name, tuple(done.measured for done in runs)) for name, runs in by_arm.items())
    everything = tuple(done for runs in by_arm.values() for done in runs)
    return Outcome(str(folder), everything, _with_fitting(findings(scenario, arms), folder))


def _in_turn(
    scenario: Scenario,
    folder: Path,
    progress: Progress | None,
    stopping: Stopping,
    spending: SpendingOptions | None,
    watching: Callable[[Path], Watch] | None,
    workers: int,
) -> dict[SeededArm, Finished]:
    """Run what is missing in this process, one run after another."""
    finished: dict[SeededArm, Finished] = {}
    arms = variants(scenario)
    for job in jobs_of(scenario):
        place = folder / job.place
        watch = watching(place) if watching else None
        try:
            done = live_run(
                *(arms[job.arm], job.seed, place, progress, stopping, spending, watch, workers)
            )
        except (Interrupted, NotWritten):
            raise
        except AudienceError as error:
            raise type(error)(f"{job.name}: {error}") from error.__cause__
        finished[job] = done
        spending = spending.after(done.spent) if spending else None
    return finished


def _beside(
    scenario: Scenario,
    folder: Path,
    pool: Pool,
    counted: Counted,
    stopping: Stopping,
    spending: SpendingOptions | None,
    workers: int,
) -> dict[SeededArm, Finished]:
    """Run what is missing in a pool; what is finished is kept as it is."""
    arms, jobs = variants(scenario), {job.name: job for job in jobs_of(scenario)}
    finished: dict[SeededArm, Finished] = {}
    tasks = []
    for job in jobs.values():
        if kept := kept_run(folder / job.place):
            finished[job] = kept
            counted(0, 1)
        else:
            own = (job.name, arms[job.arm], job.seed, folder, job.place, spending)
            tasks.append(run_task(*own, max(1, workers // pool.size)))
    limits = spending.limits() if spending else None
    for task, result in pool.work(tasks, counted, stopping, limits):
        job = jobs[task.name]
        finished[job] = finished_of(result, folder / job.place)
    return finished


def is_experiment(folder: Path) -> bool:
    return (folder / EXPERIMENT).is_file()


def scenario_of(folder: Path) -> Scenario:
    """Return the scenario of an experiment's or a run's folder."""
    if is_experiment(folder):
        return parse(text_file(folder / EXPERIMENT), str(folder / EXPERIMENT))
    with Log.open(folder) as log:
        return parse(log.scenario, str(folder))


def gathered(folder: Path, seen: Seen | None = None) -> Findings:
    """Return the findings of a folder from its logs alone; `seen` is called for each round."""
    scenario = scenario_of(folder)
    if not is_experiment(folder):
        done = (measured(folder, seen),)
        alone = findings(scenario, (Arm(label(scenario.recommender.kind), done),))
        return _with_fitting(alone, folder)
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    places = {
        name: [folder / name / f"seed-{seed}" for seed in seeds] for name in variants(scenario)
    }
    for place in (place for each in places.values() for place in each):
        if not _is_finished(place):
            go_on = shell_command("resume", folder)
            raise BadInput(f"{place} is not finished; continue with: {go_on}")
    arms = tuple(
        Arm(name, tuple(measured(place, seen) for place in each)) for name, each in places.items()
    )
    return with_band(_with_fitting(findings(scenario, arms), folder), read_band(folder))


def _with_fitting(findings: Findings, folder: Path) -> Findings:
    return msgspec.structs.replace(findings, fitting=read_fitting(folder))


def _is_finished(place: Path) -> bool:
    if not (place / "run.db").exists():
        return False
    with Log.open(place) as log:
        return log.complete_rounds() >= parse(log.scenario, str(place)).rounds


def findings(
    scenario: Scenario, arms: tuple[Arm, ...], marks: Mapping[str, str] | None = None
) -> Findings:
    """Return what the arms show; their marks are those of the scenario's arms unless given."""
    names = [name for name in arms[0].runs[0].totals if name in LABELS] if arms else []
    extra = [name for name in (arms[0].runs[0].totals if arms else {}) if name not in LABELS]
    contrasts = differences(arms, [*names, *extra])
    facts = {
        "people": f"{scenario.agents:,}",
        "rounds": f"{scenario.rounds} of {scenario.clock.step}",
        "seeds": ", ".join(str(run.seed) for run in arms[0].runs),
        "mind": scenario.mind.kind,
        "dataset": scenario.dataset.kind,
        "digests": " ".join(run.digest[:12] for arm in arms for run in arm.runs),
    }
    known = marks_of(variants(scenario)) if marks is None else dict(marks)
    there = Findings(
        scenario.title,
        arms,
        contrasts,
        "",
        text_of(scenario),
        facts,
        declared=declared_in(names),
        looked_at=SUMMARY,
        marks=known,
        notes=tuple(sentences(known)),
    )
    return msgspec.structs.replace(there, verdict=verdict(there))
