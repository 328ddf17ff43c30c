"""Driving a run to its last round: listeners, stops, and the summary of what it cost."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

import msgspec

from audience.agents import Mind
from audience.agents.human import MixedMind
from audience.engine import Crew, Keeper, Listener, Parts, Paused, Rules, Simulation, run, run_sync
from audience.errors import AudienceError, Halt, Interrupted, shell_command
from audience.llm import FILE as CALLS, Counts, GatewayStack, Meter, Person, compose
from audience.log import Log, Snapshooter, failed_slates, memory_problems
from audience.metrics import Metrics, suite
from audience.results import Measured
from audience.runs.kept_measures import keep_measures
from audience.runs.measures import measured_log, measured_upto, measurement
from audience.runs.play import Seating
from audience.runs.progress import Arriving, LivePanel, Panel, Watch
from audience.scenario import (
    Scenario,
    Serving,
    SpendingOptions,
    asks_models,
    calls_at_once,
    door_of,
    endpoints_of,
    intervene,
    parse,
    parts_of,
    store_of,
)
from audience.world import MEMORY, Chapter, Failed, Genesis, View, World

Stopping = Callable[[], bool]


class RunCrew(Crew, Protocol):
    """A crew that follows one run."""

    def hear(self, chapter: Chapter, view: View) -> None: ...
    def close(self) -> None: ...


Recruit = Callable[[Log, World], RunCrew]
"""Returns the crew of a run, whose world is that of its last complete round."""
EMBEDDED_VISITS, ENDPOINT_VISITS = 16, 512
HUMAN = "human"


class Progress(Protocol):
    """Receives the progress of a run; a terminal draws it. `end`: the run is complete."""

    def begin(self, name: str, rounds: int, agents: int) -> None: ...
    def advance(self, round_: int, done: int, total: int) -> None: ...
    def spend(self, meter: Meter) -> None: ...
    def end(self) -> None: ...


class Quiet:
    """A progress that is not shown."""

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
    """The same by purpose."""
    unusable: dict[str, int] = {}
    """Failed decisions, by what was asked."""
    memory_problems: dict[str, int] = {}
    """Problems of memories over all rounds, by reason."""
    failed_slates: int = 0
    """Pages that the recommender failed to fill, over all rounds."""
    endpoints: dict[str, int] = {}
    """Calls by the endpoint that answered them."""

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
            "failed_share": round(self.measured.failed, 4),
            "failed_slates": self.failed_slates,
            "memory_problems": self.memory_problems,
            "calls": self.spent.calls,
            "reused_calls": self.spent.reused,
            "failed_calls": self.spent.failed,
            "outcomes": self.spent.outcomes,
            "prompt_tokens": self.spent.prompt,
            "completion_tokens": self.spent.completion,
            "cost": None if self.spent.unpriced else round(self.spent.dollars, 6),
        }


class _Lived(NamedTuple):
    """A run that has reached its last round, before it is measured."""

    genesis: Genesis
    agents: int
    rounds: int
    decisions: int
    resumed_at: int
    began: float
    live: Metrics | None
    """The metrics, if they were counted from the first round on."""
    panel: Panel


class RunDriver:
    """A run under way: its log, its scenario, and its listeners."""

    def __init__(
        self,
        log: Log,
        scenario: Scenario,
        progress: Progress,
        stopping: Stopping,
        spending: SpendingOptions,
        watch: Watch | None = None,
        typing: Collection[int] = (),
        workers: int = 1,
        recruit: Recruit | None = None,
    ) -> None:
        """`typing` are the agents that are played at a terminal; `workers` live the visits.

        The crew that `recruit` returns lives them instead.
        """
        self.log = log
        self.scenario = scenario
        self.progress = progress
        self.stopping = stopping
        self.watch = watch
        self.workers, self.recruit = workers, recruit
        self.crew: RunCrew | None = None
        self.unusable: Counter[str] = Counter()
        self.door = self._opened(spending)
        self.places = Seating(log, scenario.played, source=spending.source, typing=typing)

    def _opened(self, spending: SpendingOptions) -> GatewayStack | None:
        if not asks_models(self.scenario):
            return None
        if self._is_played:
            store = store_of(spending, self.log.folder / CALLS, at_once=True)
            return compose(Person(), store=store, mode=spending.calls)  # type: ignore[arg-type]
        return door_of(self.scenario.llm, spending, self.log.folder)

    @property
    def _is_played(self) -> bool:
        return self.scenario.mind.kind == HUMAN

    def on(
        self,
        begin: Callable[[], World],
        shots: Snapshooter,
        minds: Mapping[int, Mind] | None = None,
    ) -> Finished:
        """Run from the world that `begin` makes to the last round, and measure."""
        log, scenario = self.log, self.scenario
        lived = self._lived(begin(), shots, minds or {})
        if lived.live is None:
            gc.collect()  # the metrics are folded over a world of their own: one at a time
        metrics = lived.live or measured_log(log, scenario, genesis=lived.genesis)
        seconds = time.perf_counter() - lived.began
        meter = self.door.meter if self.door else None
        measured = measurement(log, metrics)
        keep_measures(log, scenario, measured, lived.panel)
        return Finished(
            measured,
            lived.agents,
            lived.rounds,
            lived.decisions,
            seconds,
            lived.resumed_at,
            meter.total() if meter else Counts(),
            meter.by_purpose if meter else {},
            dict(self.unusable),
            memory_problems(log) if measured.totals["memory_failed"] else {},
            failed_slates(log) if measured.totals["failed"] else 0,
            dict(meter.by_endpoint) if meter else {},
        )

    def _lived(self, world: World, shots: Snapshooter, minds: Mapping[int, Mind]) -> _Lived:
        """Run to the last round; nothing returned refers to the world."""
        log, scenario, resumed_at = self.log, self.scenario, world.round
        found = log.partial(resumed_at + 1)
        live = (
            suite(scenario.metrics, scenario.run.part_deadline)
            if resumed_at == 0 and not found
            else None
        )
        if self.watch:
            live = live or measured_upto(log, resumed_at)
            self.watch.begin(world, live, scenario.rounds, found)
        self.crew = self.recruit(log, world) if self.recruit else None
        sim = self._simulation(world, shots, live, minds)
        self.progress.begin(log.folder.name, scenario.rounds, len(world.agents))
        began = time.perf_counter()
        log.set_state("running")
        self._run(sim, found)
        whole = parse(log.scenario, str(log.folder)).rounds
        log.set_state("finished" if world.round >= whole else "stopped")
        self.progress.end()
        done = (world.genesis, len(world.agents), world.round, sim.decisions, resumed_at, began)
        return _Lived(*done, live, LivePanel(world, {}).panel())

    def _simulation(
        self, world: World, shots: Snapshooter, live: Metrics | None, minds: Mapping[int, Mind]
    ) -> Simulation:
        parts = parts_of(self.scenario, world.genesis, self.door)
        if minds:
            mixed = MixedMind(dict(minds), parts.mind)
            parts = msgspec.structs.replace(parts, mind=mixed, present=frozenset(minds))

        watch, meter = self.watch, self.door.meter if self.door else None
        if watch and meter:
            watch.spend(meter)

        def advance(round_: int, done: int, total: int) -> None:
            self.progress.advance(round_, done, total)
            if meter:
                self.progress.spend(meter)

        keeper: Keeper = CallFirstLog(self.log, self.door) if self.door else self.log
        if watch:
            keeper = Arriving(keeper, watch)
        return Simulation(
            world,
            keeper,
            parts,
            self._rules(),
            self.log.seed,
            measures=live,
            after_round=lambda: shots.after_round(world),
            listeners=self._listeners(parts),
            progress=advance,
            stopping=self.stopping,
            control=watch.control if watch else None,
            keep=lambda queued: intervene(self.log, [one.written for one in queued]),
            places=self.places,
            workers=self.workers,
            crew=self.crew,
        )

    def _listeners(self, parts: Parts) -> list[Listener]:
        def fail(chapter: Chapter, _: View) -> None:
            for entry in chapter.entries:
                if isinstance(entry.event, Failed) and chapter.phase != MEMORY:
                    self.unusable[entry.event.why.partition(":")[0]] += 1

        listeners: list[Listener] = [fail] if self.door else []
        serving = parts.recommender
        if isinstance(serving, Serving) and serving.has_services:
            listeners.append(serving.hear)
        listeners += [self.crew.hear] if self.crew else []
        return [*listeners, self.watch.hear] if self.watch else listeners

    def _rules(self) -> Rules:
        """Return the rules; models get no more visits than they can serve at once."""
        rules, models = self.scenario.run, self.scenario.llm
        if self._is_played:  # one question at a time, and no hurry
            return msgspec.structs.replace(rules, concurrency=1, deadline=0.0, part_deadline=0.0)
        if self.door is None:
            return rules
        endpoints = endpoints_of(models)
        if endpoints:
            # Twice the calls: some visits are between two of them.
            visits = 2 * calls_at_once(models) or ENDPOINT_VISITS * len(endpoints)
            visits = rules.concurrency or visits
        else:
            # A model on this machine may be slow: each call has its deadline, queues have none.
            visits = min(rules.concurrency or EMBEDDED_VISITS, EMBEDDED_VISITS)
            rules = msgspec.structs.replace(rules, deadline=0.0)
        return msgspec.structs.replace(rules, concurrency=visits)

    def _run(self, sim: Simulation, found: Sequence[Chapter]) -> None:
        async def work() -> None:
            try:
                await run(sim, found)
            finally:
                if isinstance(sim.parts.recommender, Serving):
                    sim.parts.recommender.close()
                self.places.close()
                if self.crew:
                    self.crew.close()
                if self.door:
                    await self.door.close()

        folder = self.log.folder
        try:
            run_sync(work)
            self._keep_pending()
        except Paused:
            self._keep_pending()
            self.log.set_state("stopped")
            where = f"stopped in round {sim.world.round}"
            raise Interrupted(
                f"{where}; continue with: {shell_command('resume', folder)}"
            ) from None
        except Halt as halt:
            self._keep_pending()
            self.log.set_state("stopped", str(halt))
            raise Interrupted(f"{halt}: {shell_command('resume', folder)}") from halt
        except BaseException as error:
            with suppress(AudienceError):  # the first error matters more than a full disk
                if isinstance(error, KeyboardInterrupt):
                    self.log.set_state("stopped")
                else:
                    self.log.set_state("failed", str(error) or repr(error))
            raise

    def _keep_pending(self) -> None:
        """Store changes that are queued for a round that has not opened yet."""
        if self.watch:
            intervene(self.log, [one.written for one in self.watch.control.pending])


class CallFirstLog:
    """A log that flushes the calls behind a commit first."""

    def __init__(self, log: Log, door: GatewayStack) -> None:
        self.append = log.append
        self._log, self._door = log, door

    def commit(self) -> None:
        self._door.flush()
        self._log.commit()
