"""The folder in which runs lie: their ids, and no way out of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from msgspec.structs import replace

from audience.engine import Control
from audience.errors import AudienceError, BadInput, Interrupted
from audience.llm import FILE as CALLS
from audience.log import FILE, Log, is_held
from audience.runs import Watch, conduct, resume, scenario_of
from audience.scenario import Scenario, SpendingOptions, copy_calls, parse, text_of
from audience.web.readers import Readers
from audience.web.replies import Conflict, Missing

DEPTH = 4
"""How deep runs may lie: experiment, arm and seed, and one folder around them."""
LONGEST = 60


class Shelf:
    """Finds runs by id. An id is the run's path below the folder, `~` between its parts."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def id_of(self, folder: Path) -> str:
        parts = folder.resolve().relative_to(self.root.resolve()).parts
        return "~".join(part.replace("%", "%25").replace("~", "%7E") for part in parts)

    def folder_of(self, id_: str) -> Path:
        """Return the folder of a run; anything but a run below the root is missing."""
        parts = [unquote(part) for part in id_.split("~")]
        if len(id_) > 1000 or any(not is_name(part) for part in parts):
            raise Missing(f"there is no run {id_[:80]!r}")
        root = self.root.resolve()
        folder = root.joinpath(*parts)
        with suppress(OSError):
            found = folder.resolve()
            if found.is_relative_to(root) and found != root and (found / FILE).is_file():
                return found
        raise Missing(f"there is no run {id_[:80]!r}")

    def runs(self) -> Iterator[Path]:
        """Yield the folders of all runs, in order."""
        root = self.root.resolve()
        found = {path.parent for depth in range(1, DEPTH + 1) for path in _at(root, depth)}
        yield from sorted(one for one in found if one.resolve().is_relative_to(root))

    def free(self, name: str) -> Path:
        """Return a folder for a new run: the name itself, or with a number."""
        slug = "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
        slug = slug[:LONGEST] or "run"
        count, place = 1, self.root / slug
        while place.exists():
            count += 1
            place = self.root / f"{slug}-{count}"
        return place

    def named(self, name: str) -> Path:
        """Return the folder of a new run that somebody named; refuse what is no plain name."""
        if not is_name(name) or name.startswith(".") or len(name) > LONGEST or "~" in name:
            raise BadInput(f"name {name[:80]!r} cannot name a folder; use letters, digits, - and _")
        if not name.isprintable():
            raise BadInput("a name may hold printable characters alone")
        place = self.root / name
        if place.exists():
            raise BadInput(f"there is a run {name!r} already; choose another name")
        return place


def _at(root: Path, depth: int) -> Iterator[Path]:
    return root.glob("/".join(["*"] * depth) + f"/{FILE}")


def is_name(part: str) -> bool:
    """Say whether a text names one folder and leads nowhere else."""
    return part not in ("", ".", "..") and not set(part) & set("/\\\0")


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
        self,
        scenario: Scenario,
        folder: Path,
        *,
        paused: bool,
        spending: SpendingOptions | None = None,
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
        self, folder: Path, *, paused: bool = False, spending: SpendingOptions | None = None
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
