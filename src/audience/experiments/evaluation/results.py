"""What an evaluation found: a value with its interval for everybody, and paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import msgspec
import numpy as np

from audience.llm import Counts
from audience.results import Interval, finite, t_interval
from audience.world.rng import Floats

AREA = ", AUC"
"""The end of the name of a group that tells a second measure of the same tasks."""
Values = Mapping[str, Floats]
"""One number per person for each contestant; NaN where it was not asked."""


class ContestCell(msgspec.Struct, frozen=True):
    """One contestant in one column."""

    value: Interval
    users: int
    against_best: Interval | None = None
    """How much more than the best baseline, over the same people, paired; none for itself."""


class ContestantRow(msgspec.Struct, frozen=True):
    """One contestant."""

    name: str
    kind: str
    """`baseline`, `mind` or `people`."""
    cells: dict[str, dict[str, ContestCell]]
    """By group and column."""
    model: str = ""
    unreadable: int = 0
    """Answers that could not be read; they are scored as wrong."""
    spent: Counts = msgspec.field(default_factory=Counts)


class Result(msgspec.Struct, frozen=True):
    """One evaluation, ready to be printed, drawn and kept."""

    name: str
    title: str
    dataset: str
    users: int
    seed: int
    model: str
    groups: tuple[str, ...]
    columns: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    """Columns in which less is better."""
    rows: tuple[ContestantRow, ...]
    best: dict[str, dict[str, str]]
    """The best baseline by group and column."""
    headline: str
    """The column that is drawn."""
    notes: tuple[str, ...] = ()
    calls_now: int = 0
    """Of all the calls it rests on, those made for this result; the others were kept."""

    @property
    def spent(self) -> Counts:
        return reduce(Counts.plus, (row.spent for row in self.rows), Counts())


class Who(msgspec.Struct, frozen=True):
    """A contestant as far as a table tells of it."""

    name: str
    kind: str
    model: str = ""
    unreadable: int = 0
    spent: Counts = msgspec.field(default_factory=Counts)


def rows_of(
    who: Sequence[Who],
    values: Mapping[str, Mapping[str, Values]],
    lower: Sequence[str] = (),
) -> tuple[tuple[ContestantRow, ...], dict[str, dict[str, str]]]:
    """Return the rows of a table and its best baselines, from values by group and column."""
    kinds = {one.name: one.kind for one in who}
    best: dict[str, dict[str, str]] = {}
    cells: dict[str, dict[str, dict[str, ContestCell]]] = {one.name: {} for one in who}
    for group, columns in values.items():
        for column, found in columns.items():
            baselines = {name: each for name, each in found.items() if kinds[name] == "baseline"}
            first = best_of(baselines, is_lower=column in lower)
            if first:
                best.setdefault(group, {})[column] = first
            for name, each in found.items():
                reference = found[first] if first and first != name else None
                cells[name].setdefault(group, {})[column] = cell_of(each, reference)
    rows = (
        ContestantRow(one.name, one.kind, cells[one.name], one.model, one.unreadable, one.spent)
        for one in who
    )
    return tuple(rows), best


def best_of(values: Values, *, is_lower: bool = False) -> str:
    """Return whose mean is best; nobody where there is none."""
    some = {name: each[~np.isnan(each)] for name, each in values.items()}
    means = {name: float(each.mean()) for name, each in some.items() if len(each)}
    if not means:
        return ""
    return min(means, key=lambda name: means[name] if is_lower else -means[name])


def cell_of(values: Floats, reference: Floats | None) -> ContestCell:
    """Return a mean and its paired difference to a reference over the same people."""
    mean = t_interval(values)
    against = None if reference is None else t_interval(values - reference)
    return ContestCell(mean, mean.count, against)


def plain(result: Result) -> dict[str, object]:
    """Return a result as plain values; what is not a number becomes None."""
    tree = finite(result)
    assert isinstance(tree, dict)
    return tree
