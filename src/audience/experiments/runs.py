"""One run from its scenario to its numbers: started, resumed, replayed, branched."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from audience.agents import Mind, MixedMind
from audience.engine import Listener, Lives, Paused, Simulation, run, run_sync
from audience.errors import AudienceError, BadInput, Halt, Interrupted
from audience.experiments import toml
from audience.experiments.build import asks_models, genesis_of, parts_of
from audience.experiments.findings import Measured
from audience.experiments.models import Spending, check_models, copy_calls, door_of
from audience.experiments.scenario import Scenario, from_tree, parse
from audience.llm import Counts, Door, Meter
from audience.llm.store import FILE as CALLS
from audience.log import Log, Snapshooter, fork, world_at
from audience.metrics import Metrics, measure, suite
from audience.world import Chapter, View, World
from audience.world.events import CLOSING, OPENING, Failed

Stopping = Callable[[], bool]
Seen = Callable[[int], None]
"""Told the round that is being read."""


class Progress(Protocol):
    """Told how far a run is; a terminal draws it, a test ignores it. `end`: it is complete."""

    def begin(self, name: str, rounds: int, agents: int) -> None: ...
    def advance(self, round_: int, done: int, total: int) -> None: ...
    def spend(self, meter: Meter) -> None: ...
    def end(self) -> None: ...


class Quiet:
    """A progress that nobody sees."""

    def begin(self, name: str, rounds: int, agents: int) -> None: ...
    def advance(self, round_: int, done: int, total: int) -> None: ...
    def spend(self, meter: Meter) -> None: ...
    def end(self) -> None: ...


class Finished(msgspec.Struct, frozen=True):
    """A run that has reached its last round, with its numbers and what it cost."""

    measured: Measured
    agents: int
    rounds: int
    decisions: int
    seconds: float
    resumed_at: int = 0
    spent: Counts = msgspec.field(default_factory=Counts)
    """Calls to models, their tokens and their cost."""
    purposes: dict[str, Counts] = {}
    """The same by what they were for."""
    unusable: dict[str, int] = {}
    """Decisions that failed, by what was asked for."""

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
            "calls": self.spent.calls,
            "reused_calls": self.spent.reused,
            "failed_calls": self.spent.failed,
            "prompt_tokens": self.spent.prompt,
            "completion_tokens": self.spent.completion,
            "cost": None if self.spent.unpriced else round(self.spent.dollars, 6),
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
    spending: Spending | None = None,
) -> Finished:
    """Run a scenario with one seed into a new folder."""
    genesis = genesis_of(scenario, seed)
    parts_of(scenario, genesis)
    suite(scenario.metrics)
    if asks_models(scenario):
        check_models(scenario.llm, spending or Spending())
    own = msgspec.structs.replace(scenario, seed=seed, seeds=1, arms={})
    with Log.create(folder, genesis, text_of(own), seed) as log:
        going = _Going(log, own, progress or Quiet(), stopping, spending or Spending())
        return going.on(World(genesis), Snapshooter(log))


def resume(
    folder: Path,
    *,
    progress: Progress | None = None,
    stopping: Stopping = lambda: False,
    spending: Spending | None = None,
    minds: Mapping[int, Mind] | None = None,
    upto: int | None = None,
) -> Finished:
    """Take a run up where it was committed last.

    `minds` gives some agents minds of their own and lets them come every round; `upto` stops after
    that round though the scenario goes on.
    """
    with Log.open(folder, write=True) as log:
        scenario = parse(log.scenario, str(folder))
        shots = Snapshooter(log)
        world = world_at(log, log.complete_rounds(), shots)
        rules = scenario.run
        if minds:
            rules = msgspec.structs.replace(rules, deadline=0.0)  # a person may take its time
        if upto is not None:
            rules = msgspec.structs.replace(rules, rounds=upto)
        scenario = msgspec.structs.replace(scenario, run=rules)
        going = _Going(log, scenario, progress or Quiet(), stopping, spending or Spending())
        return going.on(world, shots, minds or {})


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
    if (source / CALLS).is_file():
        copy_calls(source / CALLS, target / CALLS)
    return target


class _Going:
    """A run on its way: its log, its scenario, and those who are told."""

    def __init__(
        self,
        log: Log,
        scenario: Scenario,
        progress: Progress,
        stopping: Stopping,
        spending: Spending,
    ) -> None:
        self.log = log
        self.scenario = scenario
        self.progress = progress
        self.stopping = stopping
        self.unusable: Counter[str] = Counter()
        self.door = door_of(scenario.llm, spending, log.folder) if asks_models(scenario) else None

    def on(
        self, world: World, shots: Snapshooter, minds: Mapping[int, Mind] | None = None
    ) -> Finished:
        """Run to the last round and measure."""
        log, scenario, resumed_at = self.log, self.scenario, world.round
        found = log.partial(resumed_at + 1)
        live = suite(scenario.metrics) if resumed_at == 0 and not found else None
        sim = self._simulation(world, shots, live, minds or {})
        self.progress.begin(log.folder.name, scenario.rounds, len(world.agents))
        began = time.perf_counter()
        log.set_state("running")
        self._run(sim, found)
        whole = parse(log.scenario, str(log.folder)).rounds
        log.set_state("finished" if world.round >= whole else "stopped")
        self.progress.end()
        metrics = live or measured_log(log, scenario)
        seconds = time.perf_counter() - began
        meter = self.door.meter if self.door else None
        return Finished(
            _measured(log, metrics),
            len(world.agents),
            world.round,
            sim.decisions,
            seconds,
            resumed_at,
            meter.total() if meter else Counts(),
            meter.by_purpose if meter else {},
            dict(self.unusable),
        )

    def _simulation(
        self, world: World, shots: Snapshooter, live: Metrics | None, minds: Mapping[int, Mind]
    ) -> Simulation:
        parts = parts_of(self.scenario, world.genesis, self.door)
        if minds:
            mixed = MixedMind(dict(minds), parts.mind)
            parts = msgspec.structs.replace(parts, mind=mixed, present=frozenset(minds))

        def snap(chapter: Chapter, _: View) -> None:
            if chapter.phase == CLOSING:
                shots.after_round(world)

        def advance(round_: int, done: int, total: int) -> None:
            self.progress.advance(round_, done, total)
            if self.door:
                self.progress.spend(self.door.meter)

        def fail(chapter: Chapter, _: View) -> None:
            for entry in chapter.entries:
                if isinstance(entry.event, Failed):
                    self.unusable[entry.event.why.partition(":")[0]] += 1

        listeners: list[Listener] = [live.update_chapter] if live else []
        listeners += [fail] if self.door else []
        listeners += [snap] if getattr(parts.memory, "idle", False) else [Lives(), snap]
        keeper = _Kept(self.log, self.door) if self.door else self.log
        return Simulation(
            world,
            keeper,
            parts,
            self.scenario.run,
            self.log.seed,
            listeners=listeners,
            progress=advance,
            stopping=self.stopping,
        )

    def _run(self, sim: Simulation, found: Sequence[Chapter]) -> None:
        async def work() -> None:
            try:
                await run(sim, found)
            finally:
                if self.door:
                    await self.door.close()

        folder = self.log.folder
        try:
            run_sync(work)
        except Paused:
            self.log.set_state("stopped")
            where = f"stopped in round {sim.world.round}"
            raise Interrupted(f"{where}; go on with: audience resume {folder}") from None
        except Halt as halt:
            self.log.set_state("stopped")
            raise Interrupted(f"{halt}: audience resume {folder}") from None
        except BaseException as error:
            with suppress(AudienceError):  # the first error says more than a full disk does
                stopped = isinstance(error, KeyboardInterrupt)
                self.log.set_state("stopped" if stopped else "failed")
            raise


class _Kept:
    """A log whose commits rest on calls that are kept first."""

    def __init__(self, log: Log, door: Door) -> None:
        self.append = log.append
        self._log, self._door = log, door

    def commit(self) -> None:
        self._door.flush()
        self._log.commit()


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
