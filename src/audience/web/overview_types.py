"""The JSON reply of the overview of a run."""

from __future__ import annotations

import msgspec


class Funnel(msgspec.Struct, frozen=True):
    """How many visits came to each step, and how many items those steps were about."""

    visits: int
    shown: int
    """Visits that were shown something."""
    picked: int
    """Visits in which something was picked."""
    rated: int
    """Visits in which something was rated."""
    returned: int
    """Visits after which the same person also came in the next round."""
    known: int
    """Visits of which that is known: the next round is complete."""
    items_shown: int
    picks: int
    ratings: int


class HeatRow(msgspec.Struct, frozen=True):
    """A genre or an item by span of rounds: its share of all items shown, and of all picks."""

    name: str
    item: int
    """-1 for a genre."""
    shown: list[float | None]
    picked: list[float | None]


class OverviewReply(msgspec.Struct, frozen=True):
    """A round and the run up to it at a glance."""

    round: int
    progress: float
    """The share of the log that was read; less than 1 while a long one is first read."""
    now: Funnel
    so_far: Funnel
    satisfaction: list[int]
    """People by their satisfaction at the end of the round, in ten equal steps from 0 to 1."""
    mean: float | None
    spans: list[tuple[int, int]]
    """The first and last round of each column of the heat tables."""
    genres: list[HeatRow]
    items: list[HeatRow]
