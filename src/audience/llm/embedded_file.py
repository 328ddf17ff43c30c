"""Whether a model's file is whole, found out once per file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from audience.download import checksum_of, kept_folder


class _Seen(msgspec.Struct, frozen=True):
    size: int
    changed: int
    sha256: str


def cache_folder() -> Path:
    """Return where models are kept for this user: XDG_CACHE_HOME or ~/.cache."""
    return kept_folder("models")


def is_whole(path: Path, wanted: str) -> bool:
    """Return whether a file has the wanted sha256; an unchanged file is read only once."""
    notes = cache_folder() / "checked.json"
    known = _read(notes)
    status = path.stat()
    seen = known.get(str(path))
    if seen is None or (seen.size, seen.changed) != (status.st_size, status.st_mtime_ns):
        seen = _Seen(status.st_size, status.st_mtime_ns, checksum_of(path))
        _write(notes, {**known, str(path): seen})
    return seen.sha256 == wanted


def _read(notes: Path) -> dict[str, _Seen]:
    try:
        return msgspec.json.decode(notes.read_bytes(), type=dict[str, _Seen])
    except (OSError, msgspec.DecodeError):
        return {}


def _write(notes: Path, known: dict[str, _Seen]) -> None:
    # A folder that cannot be written costs a second look next time, nothing else.
    with contextlib.suppress(OSError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        partial = notes.with_suffix(f".{os.getpid()}")
        partial.write_bytes(msgspec.json.encode(known))
        partial.replace(notes)
