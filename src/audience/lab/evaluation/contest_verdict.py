"""The finding of a contest in one sentence, from its result as it was stored."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec


class _Interval(msgspec.Struct, frozen=True):
    mean: float | None = None
    low: float | None = None
    high: float | None = None


class _Cell(msgspec.Struct, frozen=True):
    against_best: _Interval | None = None


class _Row(msgspec.Struct, frozen=True):
    name: str
    kind: str
    cells: dict[str, dict[str, _Cell]]


class _Contest(msgspec.Struct, frozen=True):
    groups: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    best: dict[str, dict[str, str]]
    lower_is_better: tuple[str, ...] = ()
    headline: str = ""


def stored_finding(folder: Path) -> str:
    """Return how every mind compares with the best baseline; "" if the folder has no contest."""
    try:
        contest = msgspec.json.decode((folder / "result.json").read_bytes(), type=_Contest)
    except (OSError, msgspec.DecodeError):
        return ""
    if not contest.groups or not contest.columns:
        return ""
    group, column = contest.groups[0], contest.headline or contest.columns[0]
    best = contest.best.get(group, {}).get(column, "")
    clauses = [
        clause
        for row in contest.rows
        if row.kind == "mind" and (clause := _clause(row, group, column, contest))
    ]
    if not best or not clauses:
        return ""
    return f"{column}, {group}, against the best baseline ({best}): {'; '.join(clauses)}."


def _clause(row: _Row, group: str, column: str, contest: _Contest) -> str:
    cell = row.cells.get(group, {}).get(column)
    apart = cell.against_best if cell else None
    if apart is None or apart.mean is None or apart.low is None or apart.high is None:
        return ""
    if not math.isfinite(apart.mean):
        return ""
    shown = f"{apart.mean:+.3f} [{apart.low:+.3f}, {apart.high:+.3f}]".replace("-", "−")
    if apart.low <= 0.0 <= apart.high:
        return f"no difference of {row.name} could be shown ({shown})"
    is_better = (apart.mean < 0.0) == (column in contest.lower_is_better)
    return f"{row.name} is {'better' if is_better else 'worse'} by {shown}"
