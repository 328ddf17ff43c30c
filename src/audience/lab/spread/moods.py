"""Emotion and attitude beside reach: real curves of both, and how far simulated ones are off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.lab.spread.curves import Curves, correlation, msed
from audience.lab.spread.real import MOODS, Truth, lines_in, place_of
from audience.results import CORRELATION, POSITIVE, Column, Interval, ResultTable, t_interval
from audience.world import Floats

STEADY = "as in the last fitted hour"
_FIELDS = {"emotion": "emotion", "attitude": "positive"}
"""The column of a file, and what a simulation calls it."""


class MoodFit(msgspec.Struct, frozen=True):
    """How one model predicts one of the curves."""

    mood: str
    model: str
    msed: Interval
    correlation: Interval
    curves: tuple[tuple[float, ...], ...]
    """One row per seed, from the onset on."""


def moods_in(path: Path) -> dict[str, Floats]:
    """Return the columns `emotion` and `attitude` of a curve, as far as the file has them."""
    file, lines = lines_in(path)
    moods = {}
    for name in MOODS:
        place = place_of(lines[0][1], name) if lines else None
        if place is not None:
            moods[name] = np.array([_share(line, place, at, file) for at, line in lines[1:]])
    return moods


def _share(line: str, place: int, number: int, file: Path) -> float:
    cells = line.split(",")
    text = cells[place].strip() if place < len(cells) else ""
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0.0 <= share <= 1.0:
        raise BadInput(f"--data {file}, line {number}: {text[:40]!r} is not a number from 0 to 1")
    return share


def mood_fits(
    truth: Truth, moods: Mapping[str, Floats], model: str, courses: Sequence[Curves]
) -> list[MoodFit]:
    """Return the error of a model's emotion and attitude on the predicted hours, over seeds."""
    fits = []
    for name, whole in moods.items():
        curves = [np.array(getattr(course, _FIELDS[name])) for course in courses]
        fits.append(_fit(truth, name, whole[truth.onset :], model, curves))
    return fits


def steady(truth: Truth, moods: Mapping[str, Floats]) -> list[MoodFit]:
    """Return the control: everything stays as it was in the last fitted hour."""
    fits = []
    for name, whole in moods.items():
        real = whole[truth.onset :]
        flat = real.copy()
        flat[truth.fitted :] = real[truth.fitted - 1]
        fits.append(_fit(truth, name, real, STEADY, [flat]))
    return fits


def _fit(truth: Truth, name: str, real: Floats, model: str, curves: Sequence[Floats]) -> MoodFit:
    rest = real[truth.fitted :]
    errors, agreements = [], []
    for curve in curves:
        guess = curve[truth.fitted : len(real)]
        known = np.isfinite(guess)  # nobody had a view yet elsewhere
        errors.append(msed(rest[known], guess[known], 1.0) if known.any() else math.nan)
        agreements.append(correlation(rest[known], guess[known]) if known.any() else math.nan)
    return MoodFit(
        name,
        model,
        t_interval(np.array(errors), POSITIVE),
        t_interval(np.array(agreements), CORRELATION),
        tuple(tuple(curve[: len(real)].tolist()) for curve in curves),
    )


def mood_table(fits: Sequence[MoodFit]) -> ResultTable:
    """Return a table with one row per curve and model."""
    columns = (
        Column("curve", is_text=True),
        Column("model", is_text=True),
        Column("MSED predicted", digits=4),
        Column("correlation", digits=3),
    )
    ordered = sorted(fits, key=lambda fit: list(MOODS).index(fit.mood))
    rows = tuple((fit.mood, fit.model, fit.msed, fit.correlation) for fit in ordered)
    note = (
        "emotion: mean level of those who know, 0 calm to 1 intense; attitude: the share in favour "
        "among those with a view. Neither was fitted. Language minds state their own emotion and "
        "attitude."
    )
    return ResultTable(columns, rows, "emotion and attitude", note)
