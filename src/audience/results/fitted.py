"""Fitted people: the figures that minds were fitted to, beside what they were before."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from audience.files import replace_all
from audience.results.table import Column, ResultTable

FILE = "people.json"
"""Holds a fitting, beside the runs of the people it is about."""


class FittedFigure(msgspec.Struct, frozen=True):
    """One figure of real people, and that of fitted and of usual minds in their place."""

    name: str
    target: float | None
    """None where real people have no such figure."""
    fitted: float
    before: float
    source: str
    """Where the target comes from."""


class Fitting(msgspec.Struct, frozen=True):
    """What minds were fitted to, and how close they came."""

    source: str
    figures: tuple[FittedFigure, ...] = ()
    notes: tuple[str, ...] = ()
    """What is to be said of the fit, such as what was no better than before."""


def fitting_table(fitting: Fitting) -> ResultTable:
    """Return the figures as a table."""
    numbers = (Column(head, digits=3) for head in ("target", "fitted", "before"))
    columns = (Column("", is_text=True), *numbers, Column("source", is_text=True))
    rows = tuple(
        (
            each.name,
            math.nan if each.target is None else each.target,
            *(each.fitted, each.before, each.source),
        )
        for each in fitting.figures
    )
    return ResultTable(columns, rows, note=" ".join(fitting.notes))


def write_fitting(fitting: Fitting, folder: Path) -> None:
    """Keep a fitting in the folder of a run or an experiment."""
    replace_all({folder / FILE: msgspec.json.format(msgspec.json.encode(fitting))})


def read_fitting(folder: Path) -> Fitting | None:
    """Return the fitting in a folder; None if there is none that can be read."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Fitting)
    except (OSError, msgspec.MsgspecError):
        return None
