"""Endpoints of the trash: runs, experiments and studies that were deleted and can come back."""

from __future__ import annotations

import re
import secrets
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path as InPath
from starlette.responses import Response

from audience.errors import AudienceError, BadInput, Unusable
from audience.files import replace_all
from audience.lab.studies import STUDY_FILE
from audience.log import FILE, is_held
from audience.runs import EXPERIMENT
from audience.web.lab_results import is_evaluation
from audience.web.replies import Conflict, Missing, json_reply
from audience.web.requests import Deletion
from audience.web.run_registry import RunRegistry
from audience.web.run_types import DeletedRow, EmptiedTrash
from audience.web.scenarios import Offer

TRASH = ".trash"
"""The folder inside that of the runs; runs in it are listed nowhere."""
_NOTE, _CONTENT = "deleted.json", "content"
_KEY = re.compile(r"[0-9a-f]{16}")
Key = Annotated[str, InPath(min_length=1, max_length=40)]


class _Note(msgspec.Struct, frozen=True):
    """What is kept of something deleted: where it was, and how it was called."""

    id: str
    parts: tuple[str, ...]
    title: str
    runs: int


class Trash:
    """Moves folders of runs into the trash and back. Nothing outside the root is touched."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._lock = threading.Lock()
        self.is_busy: Callable[[Path], bool] = lambda folder: False
        """Returns whether something else is writing a folder."""

    def delete(self, id_: str, title: str = "") -> DeletedRow:
        """Move a run, an experiment, a study or an evaluation into the trash."""
        folder = self._registry.folders.place_of(id_, "run or experiment")
        marks = (FILE, EXPERIMENT, STUDY_FILE)
        if not is_evaluation(folder, self._registry) and not any(
            (folder / mark).is_file() for mark in marks
        ):
            raise Missing(f"there is no run or experiment {id_[:80]!r}")
        with self._lock:
            self._check(folder)
            return self.put(folder, title)

    def put(self, folder: Path, title: str = "") -> DeletedRow:
        """Move a folder that nobody uses into the trash."""
        root = self._registry.folders.root.resolve()
        parts = folder.relative_to(root).parts
        runs = len(_runs_in(folder))
        place = self._root() / secrets.token_hex(8)
        note = _Note(self._registry.folders.id_of(folder), parts, title or folder.name, runs)
        replace_all({place / _NOTE: msgspec.json.encode(note)})
        self._registry.forget(folder)
        try:
            folder.rename(place / _CONTENT)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise Unusable(f"{folder.name} could not be moved: {error.strerror}") from error
        return _row(place, note)

    def _check(self, folder: Path) -> None:
        folders = self._registry.folders
        if whole := folders.whole_of(folder):
            raise Conflict(
                f"{folder.name} is a run of {folders.id_of(whole)}, which would be incomplete "
                f"without it; delete {folders.id_of(whole)} as a whole"
            )
        if folder in self._registry.conducted or self.is_busy(folder):
            raise Conflict(f"{folder.name} is still going on; stop it first")
        for run in _runs_in(folder):
            if self._registry.live(run):
                raise Conflict(f"{folder.name} is still going on; stop it first")
            if is_held(run):
                raise Conflict(
                    f"another process is writing {folder.name}; end it there, then delete it"
                )

    def rows(self) -> list[DeletedRow]:
        """Return what is in the trash, the newest first."""
        found = []
        for place in self._places():
            with suppress(Missing):
                found.append(_row(place, _note_in(place)))
        return sorted(found, key=lambda row: (-row.deleted, row.key))

    def restore(self, key: str) -> DeletedRow:
        """Move something back to where it was."""
        with self._lock:
            place = self._place(key)
            note = _note_in(place)
            target = self._target(note)
            if target.exists():
                raise Conflict(
                    f"there is a {note.id} again; rename or delete that one first, then restore"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                (place / _CONTENT).rename(target)
            except OSError as error:
                raise Unusable(f"{note.id} could not be moved: {error.strerror}") from error
            self._registry.forget(target)
            row = _row(place, note)
            shutil.rmtree(place, ignore_errors=True)
            return row

    def empty(self) -> int:
        """Remove for good what is in the trash; return how many things that were."""
        with self._lock:
            places = self._places()
            for place in places:
                shutil.rmtree(place)
            return len(places)

    def _target(self, note: _Note) -> Path:
        """Return where something was; a note that leads elsewhere was tampered with."""
        folders = self._registry.folders
        target = folders.root.resolve().joinpath(*note.parts)
        is_own = note.parts and not any("/" in part for part in note.parts)
        if not is_own or not folders.is_inside(target.parent.resolve() / target.name):
            raise BadInput(f"{note.id[:80]!r} does not lead into the folder of runs")
        return target

    def _root(self) -> Path:
        """Return the trash; a link or a file in its place is refused."""
        root = self._registry.folders.root.resolve() / TRASH
        if root.is_symlink() or (root.exists() and not root.is_dir()):
            raise Unusable(f"{TRASH} in the folder of runs is not a folder; remove it, try again")
        root.mkdir(exist_ok=True)
        return root

    def _places(self) -> list[Path]:
        return [
            place
            for place in self._root().iterdir()
            if _KEY.fullmatch(place.name) and place.is_dir() and not place.is_symlink()
        ]

    def _place(self, key: str) -> Path:
        place = self._root() / key if _KEY.fullmatch(key) else None
        if place is None or place.is_symlink() or not place.is_dir():
            raise Missing(f"there is no {key[:40]!r} in the trash; it was restored or removed")
        return place


def _note_in(place: Path) -> _Note:
    try:
        note = msgspec.json.decode((place / _NOTE).read_bytes(), type=_Note)
    except (OSError, msgspec.DecodeError) as error:
        raise Missing(f"{place.name} in the trash cannot be read: {error}") from None
    return note


def _row(place: Path, note: _Note) -> DeletedRow:
    deleted = (place / _NOTE).stat().st_mtime
    return DeletedRow(place.name, note.id, note.title, note.runs, int(deleted))


def _runs_in(folder: Path) -> list[Path]:
    return [path.parent for path in folder.rglob(FILE)]


def router(trash: Trash, offer: Offer, title_of: Callable[[str], str]) -> APIRouter:
    """Return the endpoints of the trash; `title_of` returns the title of what an id names."""
    api = APIRouter()

    def check() -> None:
        if offer.offered is not None:
            raise Conflict(
                "runs cannot be deleted or restored where the page is offered to others; whoever "
                "serves it can do so in the folder, or with a server for this machine alone"
            )

    @api.get("/trash", response_class=Response)
    def listed() -> Response:
        """Return what was deleted and can be restored."""
        return json_reply([] if offer.offered is not None else trash.rows())

    @api.post("/trash", response_class=Response)
    def delete(body: Deletion) -> Response:
        """Move a run, an experiment or a study into the trash."""
        check()
        title = ""
        with suppress(AudienceError):
            title = title_of(body.id)
        return json_reply(trash.delete(body.id, title))

    @api.post("/trash/{key}/restore", response_class=Response)
    def restore(key: Key) -> Response:
        """Move something back from the trash."""
        check()
        return json_reply(trash.restore(key))

    @api.post("/trash/empty", response_class=Response)
    def empty() -> Response:
        """Remove everything in the trash for good."""
        check()
        return json_reply(EmptiedTrash(trash.empty()))

    return api
