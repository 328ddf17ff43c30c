"""A run's log framed as server-sent events: chapters in the order of their arrival."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from audience.log import Log, Row, last_arrival
from audience.world import CLOSING

BODY = 128_000
"""Maximum bytes of chapters in an update, unless a single chapter is longer."""
ROWS = 500
Numbers = Callable[[int], bytes]
"""Returns what is sent with the end of a round."""


class Update(msgspec.Struct, frozen=True):
    """The chapters after one number up to another, as they are sent."""

    after: int
    last: int
    body: bytes


def frame(event: str, value: bytes, number: int | None = None) -> bytes:
    """Return a server-sent event."""
    id_ = b"" if number is None else b"id: %d\n" % number
    return b"%bevent: %b\ndata: %b\n\n" % (id_, event.encode(), value)


class LogReader:
    """A run's log in the order of arrival; read by several threads and closed by another."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._log: Log | None = Log.open(folder)

    def update(self, after: int, upto: int | None, most: int, numbers: Numbers) -> Update:
        """Return the next chapters after a number; none once the reader is closed."""
        parts: list[bytes] = []
        size, last = 0, after
        for seq, (round_, phase, rank, agent, body) in self._rows(after):
            if upto is not None and seq > upto:
                break
            value = b'{"n":%d,"round":%d,"phase":%d,"rank":%d,"agent":%d,"entries":%b}' % (
                seq, round_, phase, rank, agent, body,
            )  # fmt: skip
            parts.append(frame("chapter", value, seq))
            last, size = seq, size + len(value)
            if phase == CLOSING:
                parts.append(numbers(round_))
            if size >= most:
                break
        return Update(after, last, b"".join(parts))

    def newest(self) -> int:
        """Return the number of the chapter that arrived last; 0 if there is none."""
        with self._lock:
            return last_arrival(self._log) if self._log else 0

    def close(self) -> None:
        with self._lock:
            if self._log:
                self._log.close()
                self._log = None

    def _rows(self, after: int) -> list[tuple[int, Row]]:
        with self._lock:
            return self._log.arrived(after, limit=ROWS) if self._log else []
