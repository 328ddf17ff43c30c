"""Figures that take long to read: worked out in a thread, one at a time, and remembered."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from audience.errors import AudienceError

T = TypeVar("T")
Stamp = tuple[int, ...]
"""The times of change and sizes of some files, in turn."""
log = logging.getLogger(__name__)


def stamp_of(*files: Path) -> Stamp:
    """Return times of change and sizes; 0 for a file that is empty or not there."""
    found: list[int] = []
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            found += [0, 0]
        else:  # SQLite leaves an empty journal behind whoever only reads
            found += [stat.st_mtime_ns, stat.st_size] if stat.st_size else [0, 0]
    return tuple(found)


class Later(Generic[T]):
    """Values by folder. What is asked for is worked out later, and again if its files change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[Stamp, T | None]] = {}
        self._wanted: dict[Path, tuple[Stamp, Callable[[], T]]] = {}
        self._thread: threading.Thread | None = None

    def value(self, folder: Path, stamp: Stamp, make: Callable[[], T]) -> T | None:
        """Return the value that is known, also an older one; ask for it if it is not up to date."""
        with self._lock:
            at, value = self._known.get(folder, ((), None))
            if at != stamp:
                self._wanted[folder] = stamp, make
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="later", daemon=True)
                    self._thread.start()
        return value

    def is_known(self, folder: Path, stamp: Stamp) -> bool:
        """Return whether a value of these very files is known."""
        return self._known.get(folder, ((), None))[0] == stamp

    def close(self) -> None:
        """Work out nothing more."""
        with self._lock:
            self._wanted.clear()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread = None
                    return
                folder = next(iter(self._wanted))
                stamp, make = self._wanted.pop(folder)
            value: T | None = None
            try:
                value = make()
            except (AudienceError, OSError) as error:
                log.info("%s: %s", folder, error)
            except Exception:
                log.exception("%s could not be read", folder)
            with self._lock:
                self._known[folder] = stamp, value
