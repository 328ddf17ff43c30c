"""The folder that a run or an experiment is to fill."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from audience.errors import BadInput
from audience.experiments.experiment import FILE, is_experiment
from audience.log import is_held

_OURS = (FILE, "run.db*", "lock", "report.*", "figures", "export", "verdicts.*")


def make_room(folder: Path, *, overwrite: bool = False) -> None:
    """Refuse a folder that holds something; when told, remove the run or experiment in it."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    there = sorted(folder.iterdir()) if folder.exists() else []
    if all(path.name == "lock" or path.name.startswith("run.db.partial") for path in there):
        return  # a creation that was killed may have left these, and the next one clears them
    if not is_experiment(folder) and not (folder / "run.db").is_file():
        listed = ", ".join(path.name for path in there[:3])
        raise BadInput(
            f"--out {folder} is not empty and holds no run of ours ({listed}); "
            "empty it yourself, or choose another folder with --out"
        )
    if not overwrite:
        raise BadInput(
            f"--out {folder} holds a run already; go on with `audience resume {folder}`, "
            "choose another folder with --out, or replace it with --overwrite"
        )
    _remove(folder, there)


def _remove(folder: Path, there: list[Path]) -> None:
    foreign = [path.name for path in there if not _is_ours(path)]
    if foreign:
        raise BadInput(
            f"--overwrite: {folder} holds {', '.join(foreign[:3])} besides a run; "
            "move that away, or choose another folder with --out"
        )
    for place in _runs_in(folder):
        if is_held(place):
            raise BadInput(f"--overwrite: {place} is being written; stop it first")
    for path in there:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _is_ours(path: Path) -> bool:
    return any(fnmatch(path.name, name) for name in _OURS) or any(path.glob("seed-*"))


def _runs_in(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.glob("*/seed-*")
