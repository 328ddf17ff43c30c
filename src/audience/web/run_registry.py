"""The runs of a folder, and running them in threads of this server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from audience.engine import Control
from audience.errors import AudienceError, BadInput, Interrupted
from audience.files import free_path
from audience.llm import FILE as CALLS, copy_calls
from audience.log import Log, is_held
from audience.results import Fitting
from audience.runs import (
    Outcome,
    Watch,
    conduct,
    resume,
    scenario_of,
    with_sensitivity,
)
from audience.scenario import Scenario, SpendingOptions, parse, spent_in, text_of
from audience.web.readers import Readers
from audience.web.replies import Conflict
from audience.web.run_folders import RunFolders

BEGIN_S = 120.0
END_S = 30.0
log = logging.getLogger(__name__)


class LocalRun:
    """A run that goes on in a thread of this server."""

    def __init__(self, folder: Path, watch: Watch) -> None:
        self.folder = folder
        self.watch = watch
        self.thread: threading.Thread | None = None
        self.error = ""
        self.spending = SpendingOptions()
        """What its calls, and questions to its people, may cost together."""
        self.waits: Callable[[], bool] = lambda: False
        """Returns whether it waits for a player."""
        self.let_go: Callable[[], None] = lambda: None
        """Ends its waiting for players."""

    def stop(self) -> None:
        """Ask it to end at its next commit point."""
        self.watch.control.stop()
        self.let_go()

    @property
    def rounds(self) -> int:
        """The last round it goes to."""
        return self.watch.whole

    @property
    def is_alive(self) -> bool:
        return self.thread is not None and self.thread.is_alive()


class RunRegistry:
    """The runs of a folder, and those that go on here. A run is changed through its Control."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.folders = RunFolders(root)
        self.readers = Readers()
        self.lives: dict[Path, int] = {}
        """How often each run was reset here."""
        self.trying: set[Path] = set()
        """Experiments whose runs have ended and which are tried before other audiences."""
        self.conducted: set[Path] = set()
        """Experiments whose runs are being lived here, also between two of them."""
        self._here: dict[Path, LocalRun] = {}
        self._closing = False
        self._lock = threading.RLock()

    def here(self, folder: Path) -> LocalRun | None:
        """Return the run if it goes on here or did before."""
        return self._here.get(folder.resolve()) if self._here else None

    def live(self, folder: Path) -> LocalRun | None:
        """Return the run if it goes on here now."""
        run = self.here(folder)
        return run if run and run.is_alive else None

    def spending_left(self, folder: Path) -> SpendingOptions:
        """Return what questions to a run's people may cost: what its own budget leaves."""
        run = self.here(folder)
        if run is None:
            return SpendingOptions()
        with Log.open(folder) as kept:
            models = parse(kept.scenario, folder.name).llm
        return run.spending.after(spent_in(folder, models))

    def steered(self, folder: Path) -> LocalRun:
        """Return the run that goes on here; raise if it does not."""
        run = self.live(folder)
        if run is None:
            raise Conflict(f"{folder.name} is not running here; play it first")
        return run

    def start(
        self,
        scenario: Scenario,
        folder: Path,
        *,
        paused: bool,
        spending: SpendingOptions | None = None,
        fitting: Fitting | None = None,
        speed: float = 0.0,
    ) -> Path:
        """Start a scenario in a new folder; return the folder of its (first) run."""
        first: list[Path] = []

        def watching(place: Path) -> Watch:
            self._end_runs_of_this_thread()
            with self._lock:
                run = LocalRun(
                    place.resolve(), Watch(Control(paused=paused and not first, speed=speed))
                )
                run.thread = threading.current_thread()
                run.spending = spending or SpendingOptions()
                self._here[run.folder] = run
                first.append(run.folder)
            return run.watch

        def work() -> None:
            options = {"spending": spending, "watching": watching, "fitting": fitting}
            self.conducted.add(folder.resolve())
            try:
                outcome = conduct(scenario, folder, **options)  # type: ignore[arg-type]
                self._end_runs_of_this_thread()
                self._try_others(scenario, outcome, folder.resolve())
            finally:
                self.conducted.discard(folder.resolve())

        self._go(folder, work)
        if not first:
            raise Conflict(f"{folder.name} takes long to start; look again soon")
        return first[0]

    def _try_others(self, scenario: Scenario, outcome: Outcome, folder: Path) -> None:
        """Try an experiment before other audiences; what they show is kept in its folder."""
        self.trying.add(folder)
        try:
            with_sensitivity(scenario, outcome, lambda: self._closing)
        finally:
            self.trying.discard(folder)

    def _end_runs_of_this_thread(self) -> None:
        """Let go of the runs that ended here: one thread lives all runs of an experiment."""
        with self._lock:
            for run in self._here.values():
                if run.thread is threading.current_thread():
                    run.thread = None

    def take_up(
        self, folder: Path, *, paused: bool = False, spending: SpendingOptions | None = None
    ) -> LocalRun:
        """Resume a run from its last commit."""
        folder = folder.resolve()
        with self._lock:
            if run := self.live(folder):
                return run
            if is_held(folder):
                raise Conflict(f"another process is writing {folder.name}; it can only be watched")
            with Log.open(folder) as kept:
                done, whole = kept.complete_rounds(), scenario_of(folder).rounds
                opened = done + bool(kept.partial(done + 1))
            if done >= whole:
                raise Conflict(f"{folder.name} has reached its last round, {whole}")
            before = self.here(folder)
            speed = before.watch.control.steering.speed if before else 0.0
            run = LocalRun(folder, Watch(Control(paused=paused, speed=speed, opened=opened)))
            run.spending = spending or (before.spending if before else run.spending)
            self._here[folder] = run

            def work() -> None:
                run.thread = threading.current_thread()
                resume(folder, spending=spending, watch=run.watch)

            self._go(folder, work)
        return run

    def stop(self, folder: Path) -> None:
        """Stop a run at its next commit point, and wait for that."""
        if run := self.live(folder):
            run.stop()
            if run.thread:
                run.thread.join(END_S)
            if run.is_alive:
                raise Conflict(f"{folder.name} is still finishing a visit; try again soon")

    def reset(self, folder: Path) -> Path:
        """Start a run again from its genesis, paused; the old run is kept beside it."""
        folder = folder.resolve()
        with self._lock:
            self.stop(folder)
            if is_held(folder):
                raise Conflict(f"another process is writing {folder.name}; it can only be watched")
            with Log.open(folder) as lived:
                genesis, seed = lived.genesis(), lived.seed
                scenario = replace(parse(lived.scenario, folder.name), played=())
                lineage = lived.lineage
            if lineage and lineage.at:
                raise BadInput(f"{folder.name} is a branch; branch its parent at round 0 instead")
            before = free_path(folder.with_name(f"{folder.name}-before"))
            self.readers.forget(folder)
            folder.rename(before)
            Log.create(folder, genesis, text_of(scenario), seed).close()
            if (before / CALLS).is_file():
                copy_calls(before / CALLS, folder / CALLS)
            self.lives[folder] = self.lives.get(folder, 0) + 1
            self.take_up(folder, paused=True)
        return before

    def forget(self, folder: Path) -> None:
        """Let go of the runs in a folder that is about to be moved, or has come back."""
        with self._lock:
            for run in [run for run in self._here if run.is_relative_to(folder)]:
                del self._here[run]
            self.lives[folder] = self.lives.get(folder, 0) + 1
        self.readers.forget_below(folder)

    def close(self) -> None:
        """Stop every run at its next commit point and close the files."""
        self._closing = True
        with self._lock:
            alive = [run for run in self._here.values() if run.is_alive]
        for run in alive:
            run.stop()
        for run in alive:
            if run.thread:
                run.thread.join(END_S)
        self.readers.close()

    def _go(self, folder: Path, work: Callable[[], object]) -> None:
        """Do work in a thread; return once the run has begun, raise what kept it from that."""
        failed: list[BaseException] = []

        def target() -> None:
            try:
                work()
            except AudienceError as error:
                failed.append(error)
            except Exception as error:
                log.exception("the run in %s failed", folder)
                failed.append(AudienceError(f"the run failed: {error!r}"))
            if failed and not isinstance(failed[0], Interrupted):
                self._note(threading.current_thread(), str(failed[0]))

        thread = threading.Thread(target=target, name=f"run {folder.name}", daemon=True)
        thread.start()
        for _ in range(int(BEGIN_S / 0.01)):
            thread.join(0.01)
            begun = self._begun(thread)
            if begun or not thread.is_alive():
                break
        if failed and not self._begun(thread):
            raise failed[0]

    def _begun(self, thread: threading.Thread) -> bool:
        with self._lock:
            mine = [run for run in self._here.values() if run.thread is thread]
        return any(run.watch.begun.is_set() for run in mine)

    def _note(self, thread: threading.Thread, error: str) -> None:
        for run in list(self._here.values()):
            if run.thread is thread:
                run.error = error
