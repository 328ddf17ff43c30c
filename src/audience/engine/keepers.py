"""What keeps a run: where its chapters go, and the metrics that count them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from audience.log import SummedRow
from audience.world import Chapter, View


class Keeper(Protocol):
    """Where chapters go: a log on disk, or a list in a test."""

    def append(self, chapter: Chapter, body: bytes = b"") -> None: ...
    def commit(self) -> None: ...


@runtime_checkable
class RowKeeper(Keeper, Protocol):
    """One that takes chapters as rows, which nobody here has read."""

    def append_rows(self, rows: Iterable[SummedRow]) -> None: ...


class Measures(Protocol):
    """The metrics of a run, which other processes can count a part of."""

    @property
    def is_mergeable(self) -> bool:
        """Whether they can, as long as there are no topics."""
        ...

    def update_chapter(self, chapter: Chapter, world: View) -> None: ...
    def taken(self) -> bytes:
        """Return what was counted in this round, and forget it here."""
        ...

    def merge(self, taken: bytes, world: View) -> None: ...
