"""The folder of runs: finding runs, experiments and studies by id, and free places for new ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import msgspec

from audience.errors import BadInput
from audience.files import slug_of
from audience.lab.studies import STUDY_FILE
from audience.log import FILE
from audience.runs import EXPERIMENT
from audience.web.replies import Missing

DEPTH = 4
"""How deep runs may be nested: experiment, arm and seed, and one folder around them."""
LONGEST = 60
WHOLES = (EXPERIMENT, STUDY_FILE)
"""The files that mark a folder whose runs belong together."""


class FoundFolders(msgspec.Struct, frozen=True):
    """What lies below a folder of runs, each in order."""

    runs: list[Path]
    wholes: dict[Path, str]
    """Experiments and studies, with the file that marks each."""
    others: list[Path]
    """Folders of the first level that are no run: evaluations are among them."""


class RunFolders:
    """Finds runs by id: the run's path below the folder, with `~` between its parts."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def id_of(self, folder: Path) -> str:
        parts = folder.resolve().relative_to(self.root.resolve()).parts
        return "~".join(part.replace("%", "%25").replace("~", "%7E") for part in parts)

    def folder_of(self, id_: str) -> Path:
        """Return the folder of a run; an id that leads outside the root is missing."""
        return self.marked(id_, (FILE,), "run")

    def experiment_of(self, id_: str) -> Path:
        """Return the folder of an experiment; an id that leads outside the root is missing."""
        return self.marked(id_, (EXPERIMENT,), "experiment")

    def marked(self, id_: str, files: tuple[str, ...], what: str) -> Path:
        """Return the folder that an id names if it has one of these files; else it is missing."""
        place = self.place_of(id_, what)
        if any((place / file).is_file() for file in files):
            return place
        raise Missing(f"there is no {what} {id_[:80]!r}")

    def place_of(self, id_: str, what: str) -> Path:
        """Return the folder that an id names; one that leads outside the root is missing."""
        parts = [unquote(part) for part in id_.split("~")]
        if len(id_) <= 1000 and all(is_name(part) and part[0] != "." for part in parts):
            with suppress(OSError):
                place = self.root.resolve().joinpath(*parts).resolve()
                if self.is_inside(place) and place.is_dir():
                    return place
        raise Missing(f"there is no {what} {id_[:80]!r}")

    def is_inside(self, place: Path) -> bool:
        """Return whether a resolved path lies below the root, and not among what is hidden."""
        root = self.root.resolve()
        if not place.is_relative_to(root) or place == root:
            return False
        return not any(part.startswith(".") for part in place.relative_to(root).parts)

    def whole_of(self, folder: Path) -> Path | None:
        """Return the experiment or study that a run is part of."""
        root = self.root.resolve()
        for parent in folder.resolve().parents:
            if parent == root or not parent.is_relative_to(root):
                return None
            if any((parent / file).is_file() for file in WHOLES):
                return parent
        return None

    def found(self) -> FoundFolders:
        """Return all runs, experiments and studies below the root, by one walk."""
        runs: list[Path] = []
        wholes: dict[Path, str] = {}
        others: list[Path] = []
        for folder, depth, names in self._walked(self.root.resolve(), 1):
            mark = next((file for file in WHOLES if file in names), "")
            if FILE in names:
                runs.append(folder)
            if mark:
                wholes[folder] = mark
            if depth == 1 and FILE not in names:
                others.append(folder)
        return FoundFolders(sorted(runs), dict(sorted(wholes.items())), sorted(others))

    def _walked(self, folder: Path, depth: int) -> Iterator[tuple[Path, int, set[str]]]:
        """Yield folders with their depth and the names of their files; hidden ones are left out."""
        for place, is_link in _folders_in(folder):
            if is_link and not self.is_inside(place.resolve()):
                continue
            with suppress(OSError):
                yield place, depth, {entry.name for entry in os.scandir(place) if entry.is_file()}
                if depth < DEPTH:
                    yield from self._walked(place, depth + 1)

    def runs(self) -> Iterator[Path]:
        """Yield the folders of all runs, in order."""
        yield from self.found().runs

    def free(self, name: str) -> Path:
        """Return a folder for a new run: the name as a slug, with a number if it is taken."""
        slug = slug_of(name)[:LONGEST] or "run"
        count, place = 1, self.root / slug
        while place.exists():
            count += 1
            place = self.root / f"{slug}-{count}"
        return place

    def named(self, name: str) -> Path:
        """Return the folder of a new run that the user named; refuse unsafe names."""
        if not is_name(name) or name.startswith(".") or len(name) > LONGEST or "~" in name:
            raise BadInput(f"name {name[:80]!r} cannot name a folder; use letters, digits, - and _")
        if not name.isprintable():
            raise BadInput("a name may contain printable characters only")
        place = self.root / name
        if place.exists():
            raise BadInput(f"there is a run {name!r} already; choose another name")
        return place


def is_name(part: str) -> bool:
    """Return whether a text names a folder and leads nowhere else."""
    return part not in ("", ".", "..") and not set(part) & set("/\\\0")


def _folders_in(folder: Path) -> list[tuple[Path, bool]]:
    """Return the folders in a folder that are not hidden, and whether each is a link."""
    with os.scandir(folder) as entries:
        return [
            (Path(entry.path), entry.is_symlink())
            for entry in entries
            if not entry.name.startswith(".") and entry.is_dir()
        ]
