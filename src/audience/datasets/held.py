"""A dataset whose people's last item is held out: what an offline check has to find again."""

from __future__ import annotations

from collections.abc import Sequence

from audience.plugins import find
from audience.world.clock import Clock
from audience.world.genesis import Genesis, Past


class HeldOut:
    """The dataset `of`, less the last item that everybody lived who lived two or more."""

    def __init__(self, of: str = "films", **options: object) -> None:
        self.of = find("datasets", of)(**options)

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        whole: Genesis = self.of.genesis(people, seed, clock)
        parts = (whole.catalogue, whole.profiles, whole.ties, whole.clock, whole.domain)
        return Genesis(*parts, split_last(whole.past)[0], whole.others)

    def held(self, people: int, seed: int, clock: Clock) -> tuple[Past, ...]:
        """Return what `genesis` leaves out."""
        return split_last(self.of.genesis(people, seed, clock).past)[1]


def split_last(past: Sequence[Past]) -> tuple[tuple[Past, ...], tuple[Past, ...]]:
    """Return all but everybody's last item, and these; of equal moments the later row is last."""
    rows: dict[int, list[int]] = {}
    for row, one in enumerate(past):
        rows.setdefault(one.agent, []).append(row)
    last = {
        max(mine, key=lambda row: (past[row].at, row)) for mine in rows.values() if len(mine) > 1
    }
    kept = tuple(one for row, one in enumerate(past) if row not in last)
    return kept, tuple(past[row] for row in sorted(last))
