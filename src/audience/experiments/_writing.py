"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

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


def _discard(parts: Iterable[Path]) -> None:
    for part in parts:
        with suppress(OSError):
            part.unlink(missing_ok=True)
