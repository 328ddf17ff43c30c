"""The summary of findings as one table, and as CSV, LaTeX and JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from audience.results.band import plain_band
from audience.results.findings import Findings
from audience.results.interval import Interval
from audience.results.judgement import CLEAR
from audience.results.summary_lines import ArmCell, Contrast, Line, summary
from audience.results.table import (
    NOTHING,
    Column,
    ResultTable,
    Value,
    csv_text,
    number,
    text_of,
    to_latex,
)
from audience.results.validation import validation_line

_COLUMNS = (
    "metric", "label", "unit", "better", "arm", "mean", "low", "high", "count", "over", "reference",
    "difference", "difference_low", "difference_high", "percent", "pairs", "paired_over",
    "judgement",
)  # fmt: skip
ONE_RUN = "one run"
"""What a number is of that is not a mean."""


def result_table(
    findings: Findings, lines: Sequence[Line] | None = None, *, brief: bool = False
) -> ResultTable:
    """Return one row per metric: every arm, then the differences; `brief`: no percentages."""
    lines = summary(findings) if lines is None else lines
    pairs = list(dict.fromkeys((d.other, d.reference) for d in findings.differences))
    columns = [Column(head, is_text=True) for head in ("Metric", "Unit", "Mean over")]
    columns += [Column(_marked(arm.name, findings.marks)) for arm in findings.arms]
    for other, reference in pairs:
        columns.append(Column(f"{other} − {reference}", signed=True, half=brief))
        if not brief:
            columns.append(Column(f"{other} in % of {reference}"))
    rows = tuple(_row(line, pairs, brief=brief) for line in lines)
    return ResultTable(tuple(columns), rows)


def _row(line: Line, pairs: Sequence[tuple[str, str]], *, brief: bool) -> tuple[Value, ...]:
    contrasts = {(contrast.other, contrast.reference): contrast for contrast in line.contrasts}
    row: list[Value] = [line.label, line.unit, mean_over(line.cells)]
    row += [Interval(c.mean) if brief else Interval(c.mean, c.low, c.high) for c in line.cells]
    for pair in pairs:
        contrast = contrasts.get(pair)
        row.append(_difference(contrast, brief=brief))
        if not brief:
            row.append(_percent(contrast))
    return tuple(row)


def _marked(arm: str, marks: Mapping[str, str]) -> str:
    return f"{arm} ({marks[arm]})" if marks.get(arm) else arm


def _difference(contrast: Contrast | None, *, brief: bool) -> Value:
    """Return a difference; in a brief table with a star only if it was judged to be clear."""
    if contrast is None:
        return None
    interval = Interval(contrast.difference, contrast.low, contrast.high)
    if not brief or contrast.judgement in CLEAR:
        return interval
    return text_of(interval, Column("", signed=True, half=True)).rstrip("*")


def mean_over(cells: Sequence[ArmCell]) -> str:
    """Return what the numbers of a line are means over."""
    return ", ".join(dict.fromkeys(cell.over or ONE_RUN for cell in cells))


def _percent(contrast: Contrast | None) -> str:
    if contrast is None:
        return NOTHING
    text = change(contrast)
    return f"{text} ({contrast.judgement})" if contrast.judgement else text


def change(contrast: Contrast) -> str:
    """Return the difference in % of the reference."""
    if not math.isfinite(contrast.percent):
        return NOTHING
    places = 0 if abs(contrast.percent) >= 100 else 1
    return f"{number(contrast.percent, places, signed=True)} %"


def findings_to_csv(findings: Findings) -> str:
    """Return one row per metric and arm with all digits; an undefined number is an empty cell."""
    rows = []
    for line in summary(findings):
        contrasts = {contrast.other: contrast for contrast in line.contrasts}
        for cell in line.cells:
            row: list[object] = [line.metric, line.label, line.unit, line.better, cell.arm]
            row += [cell.mean, cell.low, cell.high, cell.count, cell.over]
            rows.append(row + _numbers(contrasts.get(cell.arm)))
    return csv_text(_COLUMNS, rows)


def _numbers(contrast: Contrast | None) -> list[object]:
    if contrast is None:
        return [""] * 8
    return [
        contrast.reference, contrast.difference, contrast.low, contrast.high,
        contrast.percent, contrast.pairs, contrast.over, contrast.judgement,
    ]  # fmt: skip


def findings_to_json(findings: Findings) -> str:
    """Return everything but the numbers of single people; an undefined number is null."""
    arms = [
        {
            "name": arm.name,
            "runs": [
                {"folder": run.folder, "seed": run.seed, "digest": run.digest}
                | {"totals": run.totals, "rounds": run.rounds}
                for run in arm.runs
            ],
        }
        for arm in findings.arms
    ]
    whole = {
        "title": findings.title,
        "verdict": findings.verdict,
        "marks": findings.marks,
        "notes": findings.notes,
        "sensitivity": plain_band(findings),
        "fitting": msgspec.to_builtins(findings.fitting),
        "facts": findings.facts,
        "validation": validation_line(findings.scenario),
        "summary": summary(findings),
        "arms": arms,
        "scenario": findings.scenario,
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


WRITERS: dict[str, Callable[[Findings], str]] = {
    "csv": findings_to_csv,
    "tex": lambda findings: to_latex(result_table(findings)),
    "json": findings_to_json,
}
"""The formats that hold the table and nothing else."""
