"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from audience.errors import BadInput


def replace_all(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write files and return their paths. Where one cannot be written, all stay as they were."""
    parts = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in contents}
    path = Path()
    try:
        for path, content in contents.items():
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "a folder is in its place")
            path.parent.mkdir(parents=True, exist_ok=True)
            parts[path].write_bytes(content)
        for path, part in parts.items():
            part.replace(path)
    except OSError as error:
        raise BadInput(
            f"{path} could not be written: {error.strerror or error}; "
            "nothing was changed. Choose a folder you may write to, or free some space"
        ) from error
    finally:
        _discard(parts.values())
    return list(contents)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to that takes the place of `path` once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        _discard([part])


def claim(mark: Path, text: str, other: str) -> None:
    """Make a folder one's own by a file in it; refuse one that holds something else."""
    folder = mark.parent
    if mark.is_file():
        if mark.read_text("utf-8") != text:
            raise BadInput(f"--out {folder} holds {other}; choose another folder with --out")
        return
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"--out {folder} is not empty; choose another folder with --out")
    replace_all({mark: text.encode()})


def _discard(parts: Iterable[Path]) -> None:
    for part in parts:
        with suppress(OSError):
            part.unlink(missing_ok=True)
