"""The runs of a study: run or resume one, measure it, and keep what was measured beside it."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from audience.files import replace_all
from audience.lab.studies.recipe import STUDY_FILE, Recipe, read
from audience.lab.studies.study import Setting
from audience.log import Log
from audience.metrics import Metrics, measure
from audience.results import Measured
from audience.runs import (
    Attendant,
    PoolTask,
    Progress,
    SeededArm,
    Stopping,
    branch,
    jobs_of,
    measurement,
    packed,
    resume,
    start,
    unpacked,
    variants,
)
from audience.scenario import from_tree, genesis_of

MEASURED_FILE = "measured.msgpack"


def batches_of(recipe: Recipe) -> list[list[SeededArm]]:
    """Return the runs in batches that do not depend on each other."""
    jobs = jobs_of(recipe.scenario)
    if not recipe.study.branches:
        return [[job] for job in jobs]
    seeds = dict.fromkeys(job.seed for job in jobs)
    return [[job for job in jobs if job.seed == seed] for seed in seeds]


def batch_tasks(recipe: Recipe, root: Path) -> list[PoolTask]:
    """Return the tasks of all runs of a study; none depends on another."""
    call = f"{__name__}:{perform_batch.__name__}"
    return [
        PoolTask(
            f"{recipe.study.name}: {_named(batch)}",
            call,
            {"study": recipe.text, "jobs": [[job.arm, job.seed] for job in batch]},
            str(root.resolve()),
            tuple(job.place for job in batch),
            len(batch),
        )
        for batch in batches_of(recipe)
    ]


def _named(batch: list[SeededArm]) -> str:
    return batch[0].name if len(batch) == 1 else f"seed {batch[0].seed}"


def perform_batch(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Run and measure what a task is about; the numbers are kept in the folders of the runs."""
    recipe = _recipe(given["study"])
    for arm, seed in given["jobs"]:
        live(recipe, SeededArm(arm, seed), root, attendant.progress, attendant.stopping)
    return b""


@lru_cache(maxsize=4)
def _recipe(text: str) -> Recipe:
    return read(text, STUDY_FILE)


def setting_of(recipe: Recipe, job: SeededArm) -> Setting:
    """Return the run's scenario with the interventions that its study adds."""
    variant = variants(recipe.scenario)[job.arm]
    genesis = genesis_of(variant, job.seed)
    setting = Setting(job.arm, variant, genesis, job.seed, recipe.options)
    added = recipe.study.changes(setting)
    if added:
        tree: dict[str, Any] = msgspec.to_builtins(variant)
        tree["interventions"] = [*tree["interventions"], *added]
        setting = msgspec.structs.replace(setting, scenario=from_tree(tree, f"arm {job.arm!r}"))
    return setting


def live(
    recipe: Recipe, job: SeededArm, root: Path, progress: Progress | None, stopping: Stopping
) -> Measured:
    """Return the numbers of a run, resuming it if it is unfinished and reading them if measured."""
    place = root / job.place
    kept = kept_numbers(place)
    if kept is not None:
        return kept
    setting = setting_of(recipe, job)
    trunk = root / SeededArm(next(iter(recipe.scenario.arms)), job.seed).place
    if recipe.study.branches and place != trunk and not (place / "run.db").exists():
        added = recipe.study.changes(setting)
        branch(trunk, place, setting.change_round - 1, tuple(added))
    if (place / "run.db").exists():
        done = resume(place, progress=progress, stopping=stopping)
    else:
        scenario, seed = setting.scenario, job.seed
        done = start(scenario, seed, place, progress=progress, stopping=stopping)
    measured = _measured(recipe, setting, place, done.measured)
    replace_all({place / MEASURED_FILE: packed(measured)})
    return measured


def kept_numbers(place: Path) -> Measured | None:
    """Return what was measured of a run before, if it belongs to the log in the folder."""
    if not (place / MEASURED_FILE).is_file() or not (place / "run.db").is_file():
        return None
    with suppress(msgspec.DecodeError):
        kept = unpacked((place / MEASURED_FILE).read_bytes(), Measured)
        with Log.open(place) as log:
            if log.digest() == kept.digest:
                return kept
    return None


def _measured(recipe: Recipe, setting: Setting, place: Path, live_: Measured) -> Measured:
    """Return the run's numbers with those of the study."""
    own = Metrics(recipe.study.metrics(setting))
    with Log.open(place) as log:
        own_numbers = measurement(log, measure(log.chapters(), log.genesis(), own))
    pairs = zip(live_.rounds, own_numbers.rounds, strict=True)
    rounds = tuple(first | second for first, second in pairs)
    return Measured(
        f"{setting.arm}/{place.name}",
        live_.seed,
        live_.digest,
        live_.totals | own_numbers.totals,
        rounds,
        live_.agents | own_numbers.agents,
        live_.failed,
    )
