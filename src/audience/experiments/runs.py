"""One run from its scenario to its numbers: started, resumed, replayed, branched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from audience.engine import Listener, Lives, Paused, Simulation, run, run_sync
from audience.errors import AudienceError, BadInput, Interrupted
from audience.experiments import toml
from audience.experiments.build import genesis_of, parts_of
from audience.experiments.findings import Measured
from audience.experiments.scenario import Scenario, from_tree, parse
from audience.log import Log, Snapshooter, fork, world_at
from audience.metrics import Metrics, measure, suite
from audience.world import Chapter, View, World
from audience.world.events import CLOSING, OPENING

Stopping = Callable[[], bool]
Seen = Callable[[int], None]
"""Told the round that is being read."""


class Progress(Protocol):
    """Told how far a run is; a terminal draws it, a test ignores it. `end`: it is complete."""

    def begin(self, name: str, rounds: int, agents: int) -> None: ...
    def advance(self, round_: int, done: int, total: int) -> None: ...
    def end(self) -> None: ...


class Quiet:
    """A progress that nobody sees."""

    def begin(self, name: str, rounds: int, agents: int) -> None: ...
    def advance(self, round_: int, done: int, total: int) -> None: ...
    def end(self) -> None: ...


class Finished(msgspec.Struct, frozen=True):
    """A run that has reached its last round, with its numbers and what it cost."""

    measured: Measured
    agents: int
    rounds: int
    decisions: int
    seconds: float
    resumed_at: int = 0

    @property
    def summary(self) -> dict[str, object]:
        """The run in the fields that `--json` promises."""
        totals = self.measured.totals
        ran = max(self.rounds - self.resumed_at, 1)
        return {
            "run": self.measured.folder,
            "digest": self.measured.digest,
            "seed": self.measured.seed,
            "agents": self.agents,
            "rounds": self.rounds,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "seconds_per_round": round(self.seconds / ran, 4),
            "picks": int(totals["picks"]),
            "refused": int(totals["refused"]),
            "failed": int(totals["failed"]),
            "calls": 0,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "cost": 0.0,
        }


def text_of(scenario: Scenario) -> str:
    """Return a scenario as TOML."""
    tree = msgspec.to_builtins(scenario)
    for part in ("dataset", "mind", "memory", "recommender"):
        tree[part] = {"kind": tree[part]["kind"], **tree[part]["options"]}
    return toml.dump(tree)


def start(
    scenario: Scenario,
    seed: int,
    folder: Path,
    *,
    progress: Progress | None = None,
    stopping: Stopping = lambda: False,
) -> Finished:
    """Run a scenario with one seed into a new folder."""
    genesis = genesis_of(scenario, seed)
    parts_of(scenario, genesis)
    suite(scenario.metrics)
    own = msgspec.structs.replace(scenario, seed=seed, seeds=1, arms={})
    with Log.create(folder, genesis, text_of(own), seed) as log:
        return _go_on(
            log, scenario, World(genesis), Snapshooter(log), progress or Quiet(), stopping
        )


def resume(
    folder: Path, *, progress: Progress | None = None, stopping: Stopping = lambda: False
) -> Finished:
    """Take a run up where it was committed last."""
    with Log.open(folder, write=True) as log:
        scenario = parse(log.scenario, str(folder))
        shots = Snapshooter(log)
        world = world_at(log, log.complete_rounds(), shots)
        return _go_on(log, scenario, world, shots, progress or Quiet(), stopping)


def prolong(folder: Path, rounds: int) -> None:
    """Let a run go on to another last round when it is resumed."""
    with Log.open(folder, write=True) as log:
        done = log.complete_rounds()
        if rounds < done:
            raise BadInput(
                f"--rounds {rounds}: {folder} has {done} rounds; branch it with --at {rounds}"
            )
        tree = msgspec.to_builtins(parse(log.scenario, str(folder)))
        tree["run"]["rounds"] = rounds
        log.set_scenario(text_of(from_tree(tree, str(folder))))


def branch(
    source: Path, target: Path, at: int | None, interventions: tuple[dict[str, object], ...] = ()
) -> Path:
    """Make a branch at the end of a round, with further interventions; it is not run yet."""
    with Log.open(source) as parent:
        scenario = parse(parent.scenario, str(source))
        done = parent.complete_rounds() if at is None else at
        genesis = parent.genesis() if interventions else None
    tree = msgspec.to_builtins(scenario)
    for number, one in enumerate(interventions, 1):
        round_ = one.get("round")
        if not isinstance(round_, int) or round_ <= done:
            raise BadInput(
                f"intervention {number}: round {round_} is not after round {done}, "
                "where the branch begins"
            )
    tree["interventions"] = (*tree["interventions"], *interventions)
    changed = from_tree(tree, "branch")
    if genesis is not None:
        parts_of(changed, genesis)
    with fork(source, target, at) as log:
        if interventions:
            log.set_scenario(text_of(changed))
    return target


def _go_on(
    log: Log,
    scenario: Scenario,
    world: World,
    shots: Snapshooter,
    progress: Progress,
    stopping: Stopping,
) -> Finished:
    resumed_at = world.round
    found = log.partial(resumed_at + 1)
    parts = parts_of(scenario, world.genesis)
    live = suite(scenario.metrics) if resumed_at == 0 and not found else None

    def snap(chapter: Chapter, _: View) -> None:
        if chapter.phase == CLOSING:
            shots.after_round(world)

    listeners: list[Listener] = [live.update_chapter] if live else []
    listeners += [snap] if getattr(parts.memory, "idle", False) else [Lives(), snap]
    sim = Simulation(
        world,
        log,
        parts,
        scenario.run,
        log.seed,
        listeners=listeners,
        progress=progress.advance,
        stopping=stopping,
    )
    progress.begin(log.folder.name, scenario.rounds, len(world.agents))
    began = time.perf_counter()
    log.set_state("running")
    try:
        run_sync(lambda: run(sim, found))
    except Paused:
        log.set_state("stopped")
        raise Interrupted(
            f"stopped in round {world.round}; go on with: audience resume {log.folder}"
        ) from None
    except BaseException as error:
        with suppress(AudienceError):  # the first error says more than a full disk does
            log.set_state("stopped" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    log.set_state("finished")
    progress.end()
    metrics = live or measured_log(log, scenario)
    seconds = time.perf_counter() - began
    return Finished(
        _measured(log, metrics), len(world.agents), world.round, sim.decisions, seconds, resumed_at
    )


def measured_log(log: Log, scenario: Scenario, seen: Seen | None = None) -> Metrics:
    """Return the metrics of a log, folded from its beginning."""
    return measure(_watched(log.chapters(), seen), log.genesis(), suite(scenario.metrics))


def measured_upto(log: Log, round_: int, seen: Seen | None = None) -> Metrics:
    """Return the metrics of a log to the end of a round."""
    chapters = _watched(log.chapters(end_round=round_ + 1), seen)
    return measure(chapters, log.genesis(), suite(parse(log.scenario, str(log.folder)).metrics))


def _watched(chapters: Iterator[Chapter], seen: Seen | None) -> Iterator[Chapter]:
    for chapter in chapters:
        if seen and chapter.phase == OPENING:
            seen(chapter.round)
        yield chapter


def _measured(log: Log, metrics: Metrics) -> Measured:
    return Measured(
        str(log.folder),
        log.seed,
        log.digest(),
        metrics.value(),
        tuple(metrics.by_round()),
        metrics.per_agent(),
    )


def measured(folder: Path, seen: Seen | None = None) -> Measured:
    """Return the numbers of a run as far as its log goes; `seen` is told each round read."""
    with Log.open(folder) as log:
        return _measured(log, measured_log(log, parse(log.scenario, str(folder)), seen))
