"""What a server holds: the shelf of runs, those that go on here, and what is read of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from audience.engine import Control
from audience.errors import AudienceError, BadInput, Interrupted
from audience.experiments.experiment import conduct, scenario_of
from audience.experiments.models import Spending, copy_calls
from audience.experiments.runs import resume
from audience.experiments.scenario import Scenario, parse
from audience.experiments.watching import Watch
from audience.experiments.writing_down import text_of
from audience.llm.store import FILE as CALLS
from audience.log import Log, is_held
from audience.web.readers import Readers
from audience.web.replies import Conflict
from audience.web.shelf import Shelf

BEGIN_S = 120.0
END_S = 30.0
log = logging.getLogger(__name__)


class Here:
    """A run that goes on in a thread of this server."""

    def __init__(self, folder: Path, watch: Watch) -> None:
        self.folder = folder
        self.watch = watch
        self.thread: threading.Thread | None = None
        self.error = ""
        self.waits: Callable[[], bool] = lambda: False
        """Says whether it waits for somebody who plays."""
        self.let_go: Callable[[], None] = lambda: None
        """Lets it wait for nobody who plays."""

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


class Hall:
    """The runs of one folder. All that changes a run goes through its Control."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.shelf = Shelf(root)
        self.readers = Readers()
        self.lives: dict[Path, int] = {}
        """How often a run was begun again here."""
        self._here: dict[Path, Here] = {}
        self._lock = threading.RLock()

    def here(self, folder: Path) -> Here | None:
        """Return the run if it goes on here, or did last."""
        return self._here.get(folder.resolve())

    def live(self, folder: Path) -> Here | None:
        """Return the run if it goes on here now."""
        found = self.here(folder)
        return found if found and found.is_alive else None

    def steered(self, folder: Path) -> Here:
        """Return the run that goes on here, or say why it cannot be steered."""
        found = self.live(folder)
        if found is None:
            raise Conflict(f"{folder.name} does not go on here; play it first")
        return found

    def start(
        self, scenario: Scenario, folder: Path, *, paused: bool, spending: Spending | None = None
    ) -> Path:
        """Begin a scenario in a new folder; return the folder of its (first) run."""
        first: list[Path] = []

        def watching(place: Path) -> Watch:
            with self._lock:
                found = Here(place.resolve(), Watch(Control(paused=paused and not first)))
                found.thread = threading.current_thread()
                self._here[found.folder] = found
                first.append(found.folder)
            return found.watch

        self._go(folder, lambda: conduct(scenario, folder, spending=spending, watching=watching))
        if not first:
            raise Conflict(f"{folder.name} takes long to begin; look again soon")
        return first[0]

    def take_up(
        self, folder: Path, *, paused: bool = False, spending: Spending | None = None
    ) -> Here:
        """Go on with a run where it was committed last."""
        folder = folder.resolve()
        with self._lock:
            if found := self.live(folder):
                return found
            if is_held(folder):
                raise Conflict(f"{folder.name} is being written elsewhere; it can be watched only")
            with Log.open(folder) as kept:
                done, whole = kept.complete_rounds(), scenario_of(folder).rounds
                opened = done + bool(kept.partial(done + 1))
            if done >= whole:
                raise Conflict(f"{folder.name} has reached its last round, {whole}")
            here = Here(folder, Watch(Control(paused=paused, opened=opened)))
            self._here[folder] = here

            def work() -> None:
                here.thread = threading.current_thread()
                resume(folder, spending=spending, watch=here.watch)

            self._go(folder, work)
        return here

    def stop(self, folder: Path) -> None:
        """Let a run end at its next commit point, and wait for that."""
        if found := self.live(folder):
            found.stop()
            if found.thread:
                found.thread.join(END_S)
            if found.is_alive:
                raise Conflict(f"{folder.name} still ends what is under way; try again soon")

    def reset(self, folder: Path) -> Path:
        """Begin a run again from its genesis, paused; what was lived is kept beside it."""
        folder = folder.resolve()
        with self._lock:
            self.stop(folder)
            if is_held(folder):
                raise Conflict(f"{folder.name} is being written elsewhere; it can be watched only")
            with Log.open(folder) as lived:
                genesis, seed = lived.genesis(), lived.seed
                scenario = replace(parse(lived.scenario, folder.name), played=())
                lineage = lived.lineage
            if lineage and lineage.at:
                raise BadInput(f"{folder.name} is a branch; branch its parent at round 0 instead")
            before = _beside(folder)
            self.readers.forget(folder)
            folder.rename(before)
            Log.create(folder, genesis, text_of(scenario), seed).close()
            if (before / CALLS).is_file():
                copy_calls(before / CALLS, folder / CALLS)
            self.lives[folder] = self.lives.get(folder, 0) + 1
            self.take_up(folder, paused=True)
        return before

    def close(self) -> None:
        """Stop every run at its next commit point and let the files go."""
        with self._lock:
            alive = [one for one in self._here.values() if one.is_alive]
        for one in alive:
            one.stop()
        for one in alive:
            if one.thread:
                one.thread.join(END_S)
        self.readers.close()

    def _go(self, folder: Path, work: Callable[[], object]) -> None:
        """Do work in a thread; return when the run is there, raise what kept it from beginning."""
        failed: list[BaseException] = []

        def living() -> None:
            try:
                work()
            except Interrupted as stopped:
                failed.append(stopped)
                self._note(threading.current_thread(), stopped)
            except AudienceError as error:
                failed.append(error)
                self._note(threading.current_thread(), error)
            except Exception as error:
                log.exception("the run in %s broke off", folder)
                failed.append(AudienceError(f"the run broke off: {error!r}"))
                self._note(threading.current_thread(), failed[-1])

        thread = threading.Thread(target=living, name=f"run {folder.name}", daemon=True)
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
            mine = [one for one in self._here.values() if one.thread is thread]
        return any(one.watch.begun.is_set() for one in mine)

    def _note(self, thread: threading.Thread, error: BaseException) -> None:
        for one in list(self._here.values()):
            if one.thread is thread and not isinstance(error, Interrupted):
                one.error = str(error)


def _beside(folder: Path) -> Path:
    count = 1
    while (place := folder.with_name(f"{folder.name}-before-{count}")).exists():
        count += 1
    return place
