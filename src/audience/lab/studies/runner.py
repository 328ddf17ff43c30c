"""Runs a study on as many processes as there are cores, and gathers its findings."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from audience.engine import cores
from audience.errors import AudienceError, Interrupted
from audience.files import claim as files_claim
from audience.lab.studies.jobs import (
    MEASURED_FILE,
    StudyRun,
    batches_of,
    jobs_of,
    kept_numbers,
    live,
    setting_of,
)
from audience.lab.studies.recipe import STUDY_FILE, Recipe, read
from audience.lab.studies.study import Study, StudyFindings
from audience.lab.studies.worker import STOP, RoundReporter
from audience.results import Arm, Measured, differences, withheld
from audience.runs import Stopping, ask, variants, verify
from audience.scenario import asks_models
from audience.toml_reader import text_file

Watch = Callable[[int, int], None]
"""Called with how many more rounds and how many more runs are done."""
_ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Processes beside each other gain nothing from threads of their own."""


def live_all(recipe: Recipe, root: Path, workers: int, watch: Watch, stopping: Stopping) -> None:
    """Run everything of a study that is missing; unfinished runs are resumed."""
    missing = []
    for number, batch in enumerate(batches_of(recipe)):
        there = [job for job in batch if (job.folder(root) / MEASURED_FILE).is_file()]
        watch(0, len(there) if len(there) == len(batch) else 0)
        missing += [number] if len(there) < len(batch) else []
    if min(workers, len(missing)) <= 1:
        _live_here(recipe, root, missing, watch, stopping)
    else:
        _Team(root, min(workers, len(missing)), watch).live(missing, stopping)


def _live_here(
    recipe: Recipe, root: Path, missing: Sequence[int], watch: Watch, stopping: Stopping
) -> None:
    def tell(rounds: int = 0) -> None:
        watch(rounds, 0)

    batches = batches_of(recipe)
    for job in (job for number in missing for job in batches[number]):
        if stopping():
            raise Interrupted("stopped")
        live(recipe, job, root, RoundReporter(tell), stopping)
        watch(0, 1)


class _Worker:
    """One process and the threads that read its output."""

    def __init__(self, root: Path, lines: queue.Queue[tuple[_Worker, dict[str, object]]]) -> None:
        command = [sys.executable, "-m", "audience.lab.studies.worker", str(root)]
        self._faults: list[str] = []
        self._process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **_ALONE},
            start_new_session=True,  # Ctrl-C is for us to pass on
        )
        self._reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self._listener = threading.Thread(target=self._hear_faults, daemon=True)
        self._reader.start()
        self._listener.start()

    def _read(self, lines: queue.Queue[tuple[_Worker, dict[str, object]]]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            # A part of the user's may print too, and a killed process may end within a line.
            with suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict):
                    lines.put((self, told))
        self._process.wait()
        lines.put((self, {"ended": self._process.returncode}))

    def _hear_faults(self) -> None:
        assert self._process.stderr is not None
        self._faults.extend(self._process.stderr)

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return  # it has ended, and its reader says so

    def why(self) -> str:
        self._listener.join(5.0)
        return "".join(self._faults[-3:]).strip()

    def end(self) -> None:
        """Ask it to stop, and wait; terminate it if it does not."""
        self.say(STOP)
        try:
            self._process.wait(60.0)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self._process.terminate()
            self._process.wait()
        self._reader.join()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()


class _Team:
    """Hands batches to free workers."""

    def __init__(self, root: Path, size: int, watch: Watch) -> None:
        self._told: queue.Queue[tuple[_Worker, dict[str, object]]] = queue.Queue()
        self._watch = watch
        self._root = root
        self._size = size

    def live(self, batches: Sequence[int], stopping: Stopping) -> None:
        left = list(reversed(batches))
        team = [_Worker(self._root, self._told) for _ in range(self._size)]
        try:
            for worker in team:
                worker.say(str(left.pop()) if left else STOP)
            missing = len(batches)
            while missing:
                missing -= self._next(left, stopping)
        finally:
            for worker in team:
                worker.end()

    def _next(self, left: list[int], stopping: Stopping) -> int:
        """Wait for one line of one worker and return how many batches it completes."""
        while True:
            if stopping():
                raise Interrupted("stopped")
            try:
                worker, line = self._told.get(timeout=0.2)
                break
            except queue.Empty:
                continue
        if "error" in line:
            raise AudienceError(str(line["error"]))
        if line.get("ended"):
            raise AudienceError(f"a run failed with exit code {line['ended']}: {worker.why()}")
        self._watch(int(str(line.get("rounds", 0))), int("run" in line))
        if "batch" not in line:
            return 0
        worker.say(str(left.pop()) if left else STOP)
        return 1


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
        recipe.study.metrics(setting_of(recipe, StudyRun(arm, recipe.scenario.seed)))


def conduct_study(
    recipe: Recipe,
    folder: Path,
    *,
    workers: int = 0,
    watch: Watch = lambda rounds, runs: None,
    stopping: Stopping = lambda: False,
) -> Studied:
    """Run what is missing and return the findings; the folder belongs to the study alone."""
    check(recipe)
    claim(recipe, folder)
    live_all(recipe, folder, workers or cores(), watch, stopping)
    return gathered(recipe, folder)


def gathered(recipe: Recipe, folder: Path) -> Studied:
    """Return the findings of runs that are all finished."""
    runs = {name: list[StudyRun]() for name in recipe.scenario.arms}
    for job in jobs_of(recipe):
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
    for job in jobs_of(recipe):
        kept = kept_numbers(job.folder(folder))
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
        place = StudyRun(arm, recipe.scenario.seed).folder(folder)
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
