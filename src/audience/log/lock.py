"""One writer: a lock that the system itself drops when its holder dies."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from audience.errors import Unusable
from audience.log.faults import writing

NAME = "lock"


class Lock:
    """The right to write into a run folder, held until released."""

    def __init__(self, folder: Path) -> None:
        with writing(folder):
            self._path = folder / NAME
            self._file = _locked(self._path)
            self._held = True
            try:
                os.ftruncate(self._file, 0)
                os.write(self._file, str(os.getpid()).encode())
            except OSError:
                self.release()
                raise

    def release(self) -> None:
        """Let others write. Doing it twice does no harm."""
        # Unlinked while still held: whoever waits on the old file finds that its name is gone.
        if self._held:
            self._held = False
            with suppress(OSError):
                self._path.unlink()
            os.close(self._file)


def _locked(path: Path) -> int:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            writer = os.read(file, 32).decode(errors="replace")
            os.close(file)
            raise Unusable(_busy(path.parent, writer)) from None
        except OSError:
            os.close(file)
            raise
        if _still_named(path, file):
            return file
        os.close(file)


def _still_named(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _busy(folder: Path, writer: str) -> str:
    who = f"the process with id {writer}" if writer else "another program"
    return f"{folder} is being written by {who}; wait until it ends, or stop it, then try again"


def is_held(folder: Path) -> bool:
    """Say whether somebody writes into a run folder now."""
    try:
        file = os.open(folder / NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False
