"""The digest of a run: a hash of its chapters in canonical order."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from struct import Struct
from typing import Any

_PLACE = Struct("<qqqqq")


class Digest:
    """The hash of the chapters that were added, each with its place and its length."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)
        self._reached: tuple[int, ...] = ()
        self.is_in_order = True
        """Whether every chapter came after those before it; if not, the hash means nothing."""

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add chapters: round, phase, rank, agent, body; what follows is left out."""
        reached, update, pack = self._reached, self._hash.update, _PLACE.pack
        for row in rows:
            place, body = row[:4], row[4]
            if place <= reached:
                self.is_in_order = False
                return
            reached = place
            update(pack(*place, len(body)) + body)
        self._reached = reached

    def value(self) -> str:
        return self._hash.hexdigest()
