"""Several cascades: a folder of curves, or cascades with a graph as diffusion repositories publish.

A file of cascades has one a line: `user,time user,time …`, or `user time user time …` after the
root's id, as in the datasets of Topo-LSTM, FOREST and their successors; `edges.txt` or `graph.txt`
beside it has the ties, `follower,followee` or separated by spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.lab.spread.real import FILE, RULE, FittedSpread, Society, Truth, curve_in, truth_of
from audience.results import Column, Interval, ResultTable, wilson
from audience.world import Floats, Ties

STEPS = 60
"""Into how many steps of equal length a cascade is divided."""
FEWEST = 50
"""Cascades with fewer people are left out."""
_GRAPHS = ("edges.txt", "graph.txt", "edges.csv")


class RealCascade(msgspec.Struct, frozen=True):
    """One curve and, where it is known, the graph it ran on."""

    name: str
    curve: Floats
    where: Society | None = None
    """None: a generated graph."""


class CascadeFits(msgspec.Struct, frozen=True):
    """All models on one cascade."""

    name: str
    truth: Truth
    rows: tuple[FittedSpread, ...]


def is_one_curve(path: Path) -> bool:
    """Return whether a path is a single curve, not a folder of several or a list of cascades."""
    return (path / FILE).exists() if path.is_dir() else path.suffix != ".txt"


def cascades_in(path: Path, most_people: int = 1_000) -> tuple[list[RealCascade], list[str]]:
    """Return the cascades of a file or folder, and notes on what was left out."""
    if is_one_curve(path):
        return [RealCascade(path.stem, curve_in(path))], []
    lists = [path] if path.is_file() else sorted(path.glob("cascade*.txt"))
    if lists:
        return _published(lists, most_people)
    found, notes = [], []
    for file in sorted(path.glob("*.csv")) if path.is_dir() else []:
        try:
            curve = curve_in(file)
            truth_of(curve)
        except BadInput as error:
            notes.append(f"{file.name} is left out: {error}")
            continue
        found.append(RealCascade(file.stem, curve))
    if not found:
        why = f" ({notes[0]})" if notes else ""
        raise BadInput(
            f"--data {path}: no curve found{why}; give a CSV of hour and active users, a folder of "
            "them, or cascade*.txt with edges.txt"
        )
    return found, notes


def _published(files: Sequence[Path], most_people: int) -> tuple[list[RealCascade], list[str]]:
    events: list[list[tuple[str, float]]] = []
    for file in files:
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if line.strip():
                events.append(_steps_of(line, f"{file}: line {number}"))
    large = [cascade for cascade in events if len(cascade) >= FEWEST]
    notes = []
    if len(large) < len(events):
        notes.append(f"{len(events) - len(large)} cascades of fewer than {FEWEST} people left out")
    large.sort(key=lambda cascade: -len(cascade))
    edges = _edges(files[0].parent)
    made = []
    for place, cascade in enumerate(large):
        curve = _binned(np.array([at for _, at in cascade]))
        try:
            truth_of(curve)
        except BadInput as error:
            notes.append(f"a cascade of {len(cascade)} people is left out: {error}")
            continue
        where = _society([who for who, _ in cascade], edges, most_people) if edges else None
        made.append(RealCascade(f"cascade {place + 1}", curve, where))
    if not made:
        raise BadInput(f"{files[0]}: no cascade has {FEWEST} people or more; nothing to predict")
    if edges is None:
        notes.append(f"no {' or '.join(_GRAPHS[:2])}: graphs are generated")
    return made, notes


def _steps_of(line: str, where: str) -> list[tuple[str, float]]:
    words = line.replace("\t", " ").split()
    if words and "," in words[-1]:
        pairs = [tuple(word.split(",", 1)) for word in words if "," in word]
    else:
        words = words[1:] if len(words) % 2 else words
        pairs = list(zip(words[::2], words[1::2], strict=True))
    try:
        steps = [(who, float(at)) for who, at in pairs]
    except ValueError as error:
        raise BadInput(f"{where}: {error}; write user,time for each step") from None
    first: dict[str, float] = {}
    for who, at in sorted(steps, key=lambda step: step[1]):
        first.setdefault(who, at)
    return list(first.items())


def _binned(moments: Floats) -> Floats:
    """Return the cumulative count after each of `STEPS` equal steps."""
    since = moments - moments.min()
    ends = float(since.max()) * np.arange(1, STEPS + 1) / STEPS
    return np.searchsorted(np.sort(since), ends, side="right").astype(np.float64)


def _edges(folder: Path) -> list[tuple[str, str]] | None:
    file = next((folder / name for name in _GRAPHS if (folder / name).exists()), None)
    if file is None:
        return None
    pairs = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        words = line.replace(",", " ").split()
        if len(words) < 2:
            if words:
                raise BadInput(f"{file}: line {number} names one person; write follower,followee")
            continue
        if words[0] != words[1]:
            pairs.append((words[0], words[1]))
    return pairs


def _society(order: Sequence[str], edges: Sequence[tuple[str, str]], most: int) -> Society:
    """Return the graph among those who took part and those tied to them, up to `most` people."""
    people: dict[str, int] = {}
    for who in order[:most]:
        people.setdefault(who, len(people))
    took_part = set(people)
    for pair in edges:
        for who, other in (pair, pair[::-1]):
            if len(people) < most and who in took_part and other not in people:
                people[other] = len(people)
    inside = {
        (people[first], people[other])
        for first, other in edges
        if first in people and other in people
    }
    listed = sorted(inside)
    firsts, others = [pair[0] for pair in listed], [pair[1] for pair in listed]
    weights = np.full(len(listed), 0.5, np.float32)
    ties = Ties.of(len(people), firsts, others, np.zeros(len(listed), np.uint8), weights)
    return Society(len(people), "published", ties, tuple(range(min(len(order), len(people)))))


def wins(fits: Sequence[CascadeFits]) -> ResultTable:
    """Return how often rule minds predict better than each other model, and who is best."""
    names = list(dict.fromkeys(row.name for each in fits for row in each.rows))
    best = [min(each.rows, key=_error).name for each in fits]
    lines = []
    for name in names:
        errors = [_error(row) for each in fits for row in each.rows if row.name == name]
        beaten = [won for each in fits if (won := _beats(each, name)) is not None]
        share = _share(beaten) if name != RULE else None
        first = sum(winner == name for winner in best)
        lines.append((name, float(np.median(errors)), share, f"{first} of {len(fits)}"))
    columns = (
        Column("model", is_text=True),
        Column("median MSED predicted", digits=4),
        Column("rule minds are better", digits=2),
        Column("best", is_text=True),
    )
    return ResultTable(columns, tuple(lines), f"{len(fits)} cascades")


def _error(row: FittedSpread) -> float:
    return row.msed.mean


def _beats(fits: CascadeFits, name: str) -> bool | None:
    by_name = {row.name: row for row in fits.rows}
    if name not in by_name or RULE not in by_name or name == RULE:
        return None
    return _error(by_name[RULE]) < _error(by_name[name])


def _share(won: Sequence[bool]) -> Interval | None:
    if not won:
        return None
    share = float(np.mean(won))
    return Interval(share, *wilson(share, len(won)), len(won))
