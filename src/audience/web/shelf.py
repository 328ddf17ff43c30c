"""The folder in which runs lie: their ids, and no way out of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from audience.errors import BadInput
from audience.log.schema import FILE
from audience.web.replies import Missing

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
