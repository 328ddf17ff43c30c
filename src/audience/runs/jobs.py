"""The runs of an experiment: an arm with a seed, as a task for a pool, live or kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from audience.engine import OWN, TOGETHER, cores
from audience.errors import BadInput
from audience.llm import Budget, Spent
from audience.log import Log, failed_slates, memory_problems
from audience.plugins import holds_objects
from audience.results import Fitting
from audience.runs.kept_measures import kept_of, packed, unpacked
from audience.runs.launch import resume, start
from audience.runs.lifecycle import HUMAN, Finished, Progress, Recruit, Stopping
from audience.runs.pool import Pool, pool_of
from audience.runs.progress import Watch
from audience.runs.task import Attendant, PoolTask
from audience.scenario import (
    Scenario,
    SpendingOptions,
    arm,
    asks_models,
    is_service,
    label,
    parse,
    text_of,
)


def variants(scenario: Scenario) -> dict[str, Scenario]:
    """Return the scenario of every arm by its name; of a scenario without arms, itself."""
    if not scenario.arms:
        return {label(scenario.recommender.kind): scenario}
    return {name: arm(scenario, name) for name in scenario.arms}


class SeededArm(msgspec.Struct, frozen=True):
    """One arm with one seed."""

    arm: str
    seed: int

    @property
    def name(self) -> str:
        return f"{self.arm}, seed {self.seed}"

    @property
    def place(self) -> str:
        """Its folder within the experiment's."""
        return f"{self.arm}/seed-{self.seed}"


def jobs_of(scenario: Scenario) -> list[SeededArm]:
    """Return all runs of an experiment, seed by seed, so that people are made once a seed."""
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    return [SeededArm(name, seed) for seed in seeds for name in variants(scenario)]


def live_run(
    scenario: Scenario,
    seed: int,
    folder: Path,
    progress: Progress | None,
    stopping: Stopping,
    spending: SpendingOptions | None,
    watch: Watch | None = None,
    workers: int = 1,
    fitting: Fitting | None = None,
    recruit: Recruit | None = None,
) -> Finished:
    """Run a scenario with one seed into a folder, or resume the run that is there."""
    options = {
        "progress": progress,
        "stopping": stopping,
        "spending": spending,
        "watch": watch,
        "workers": workers,
        "recruit": recruit,
    }
    if (folder / "run.db").exists():
        return resume(folder, **options)  # type: ignore[arg-type]
    return start(scenario, seed, folder, fitting=fitting, **options)  # type: ignore[arg-type]


def run_task(
    name: str,
    scenario: Scenario,
    seed: int,
    root: Path,
    place: str,
    spending: SpendingOptions | None = None,
    workers: int = 1,
) -> PoolTask:
    """Return the task of running a scenario with one seed into a place below the root."""
    given: dict[str, Any] = {"scenario": text_of(scenario), "seed": seed, "place": place}
    given["workers"] = workers
    if spending:
        source = str(spending.source.resolve()) if spending.source else None
        fields = msgspec.structs.asdict(spending) | {"source": source}
        given["spending"] = {name: value for name, value in fields.items() if name != "lend"}
    call = f"{__name__}:{perform_run.__name__}"
    return PoolTask(name, call, given, str(root.resolve()), (place,))


def perform_run(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Run or resume what a task is about, and return the finished run as bytes."""
    place, scenario = root / given["place"], parse(given["scenario"], given["place"])
    spending = None
    if limits := given.get("spending"):
        source = Path(limits["source"]) if limits["source"] else None
        spending = SpendingOptions(**limits | {"source": source})
    purse = attendant.purse
    if spending and purse and spending.limits() != Budget():
        spending = msgspec.structs.replace(spending, lend=purse.lend)
    progress, stopping = attendant.progress, attendant.stopping
    told = (scenario, given["seed"], place, progress, stopping, spending, None, given["workers"])
    done = live_run(*told)
    if purse:
        purse.settle(Spent(done.spent.dollars, done.spent.calls, done.spent.tokens))
    return packed(done)


def finished_of(result: bytes, place: Path) -> Finished:
    """Return what the task of a run returned, wherever it was done; its folder is the `place`."""
    done = unpacked(result, Finished)
    return msgspec.structs.replace(
        done, measured=msgspec.structs.replace(done.measured, folder=str(place))
    )


def kept_run(folder: Path) -> Finished | None:
    """Return a run that is finished and measured, read from its folder; None if it is not."""
    if not (folder / "run.db").exists():
        return None
    with Log.open(folder) as log:
        rounds, kept = parse(log.scenario, str(folder)).rounds, kept_of(log)
        if kept is None or log.complete_rounds() < rounds or kept.measured.digest != log.digest():
            return None
        totals = kept.measured.totals
        return Finished(
            msgspec.structs.replace(kept.measured, folder=str(folder)),
            len(log.genesis().profiles),
            rounds,
            0,
            0.0,
            rounds,
            memory_problems=memory_problems(log) if totals["memory_failed"] else {},
            failed_slates=failed_slates(log) if totals["failed"] else 0,
        )


WORTH = 50_000
"""The least visits, roughly, for which starting processes takes less time than it saves."""


LARGE = 200_000
"""People from whom on a run takes so much memory that runs go one after another, in shards."""


def processes_for(
    scenario: Scenario,
    workers: int = 0,
    *,
    least: int = WORTH,
) -> int:
    """Return how many processes take the runs of an experiment; 0 workers: as many as are useful.

    Runs that ask a model or a service share it, so they go one after another unless told.
    """
    return processes_among(list(variants(scenario).values()), workers, least)


def processes_among(arms: Sequence[Scenario], workers: int, least: int = WORTH) -> int:
    """Return how many processes take the runs of scenarios, each with all its seeds."""
    runs = sum(each.seeds for each in arms)
    if workers == 1 or runs == 1:
        return 1
    alone = obstacle_to_processes(arms)
    if workers and alone:
        raise BadInput(f"--workers {workers}: {alone}; leave it out, or give --workers 1")
    shares = any(asks_models(each) or is_service(each.recommender) for each in arms)
    is_small = sum(each.seeds * each.agents * each.rounds for each in arms) < least
    is_large = max(each.agents for each in arms) >= LARGE
    if alone or (not workers and (shares or is_small or is_large)):
        return 1
    return min(workers or cores(), runs)


def pool_for(
    arms: Sequence[Scenario],
    workers: int = 0,
    *,
    cluster: str = "",
    least: int = WORTH,
) -> Pool:
    """Return the pool that takes the runs of scenarios, each with all its seeds."""
    if not cluster:
        return pool_of(processes_among(arms, workers, least))
    if why := obstacle_to_processes(arms):
        raise BadInput(f"--cluster: {why}")
    if sum(each.seeds for each in arms) == 1 and (why := obstacle_to_crew(arms[0])):
        raise BadInput(f"--cluster: {why}; leave it out, or give arms or --seeds")
    return pool_of(workers, cluster)


def obstacle_to_processes(arms: Sequence[Scenario]) -> str:
    """Return why runs cannot leave this process; empty if they can."""
    if any(holds_objects(text_of(each)) for each in arms):
        return "a Python object lives in this process alone; put its class into a file"
    if any(each.played or each.mind.kind == HUMAN for each in arms):
        return "people are played at this terminal"
    return ""


def obstacle_to_crew(scenario: Scenario) -> str:
    """Return why a cluster cannot share the visits of a single run; empty if it can."""
    if asks_models(scenario):
        return "the people of a single run ask a model from one process"
    if is_service(scenario.recommender):
        return "a service is asked from one process"
    if scenario.run.order != TOGETHER or scenario.time.kind == OWN:
        return "visits that follow each other cannot be shared out"
    return ""
