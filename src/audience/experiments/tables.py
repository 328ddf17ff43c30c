"""The summary of findings as rows of text, and as CSV, LaTeX, Markdown and JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence

import msgspec

from audience.experiments.findings import Findings
from audience.experiments.summary import Contrast, Line, summary

NOTHING = "–"
_COLUMNS = (
    "metric", "label", "unit", "better", "arm", "mean", "low", "high", "count", "over", "reference",
    "difference", "difference_low", "difference_high", "percent", "pairs", "paired_over",
    "judgement",
)  # fmt: skip
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$", "–": "--",
    "…": r"\ldots{}", "\n": " ",
}  # fmt: skip


def shown(
    mean: float, low: float = math.nan, high: float = math.nan, *, signed: bool = False
) -> str:
    """Return a number and its interval for people, to as many digits as the interval supports."""
    if not math.isfinite(mean):
        return NOTHING
    bounded = math.isfinite(low) and math.isfinite(high)
    places = _places(mean, (high - low) / 2.0 if bounded else 0.0)
    text = _number(mean, places, signed)
    if bounded:
        text += f" [{_number(low, places, False)}, {_number(high, places, False)}]"
    return text


def _places(mean: float, half: float) -> int:
    if half > 0.0:
        return min(6, max(0, 1 - math.floor(math.log10(half))))
    if mean == round(mean):
        return 0
    return min(6, max(0, 2 - math.floor(math.log10(abs(mean)))))


def _number(value: float, places: int, signed: bool) -> str:
    rounded = round(value, places) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''},.{places}f}".replace("-", "−")


def change(contrast: Contrast) -> str:
    """Return the difference in % of the reference."""
    if not math.isfinite(contrast.percent):
        return NOTHING
    return f"{_number(contrast.percent, 0 if abs(contrast.percent) >= 100 else 1, True)} %"


def rows(findings: Findings) -> list[list[str]]:
    """Return the summary as text: a header and one row per metric."""
    return text_rows(findings, summary(findings))


def text_rows(findings: Findings, lines: Sequence[Line]) -> list[list[str]]:
    """Return given lines as text: a header and one row per metric."""
    pairs = list(dict.fromkeys((d.other, d.reference) for d in findings.differences))
    header = ["Metric", "Unit", *(arm.name for arm in findings.arms)]
    for other, reference in pairs:
        header += [f"{other} − {reference}", f"{other} in % of {reference}"]
    table = [header]
    for line in lines:
        found = {(contrast.other, contrast.reference): contrast for contrast in line.contrasts}
        row = [line.label, line.unit, *(shown(c.mean, c.low, c.high) for c in line.cells)]
        for pair in pairs:
            row += _compared(found.get(pair))
        table.append(row)
    return table


def _compared(contrast: Contrast | None) -> list[str]:
    if contrast is None:
        return [NOTHING, NOTHING]
    difference = shown(contrast.difference, contrast.low, contrast.high, signed=True)
    said = change(contrast)
    return [difference, f"{said} ({contrast.judgement})" if contrast.judgement else said]


def to_csv(findings: Findings) -> str:
    """Return one row per metric and arm with every digit; an undefined number is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for line in summary(findings):
        contrasts = {contrast.other: contrast for contrast in line.contrasts}
        for cell in line.cells:
            row: list[object] = [line.metric, line.label, line.unit, line.better, cell.arm]
            row += [cell.mean, cell.low, cell.high, cell.count, cell.over]
            row += _numbers(contrasts.get(cell.arm))
            writer.writerow(["" if value != value else value for value in row])
    return out.getvalue()


def _numbers(contrast: Contrast | None) -> list[object]:
    if contrast is None:
        return [""] * 8
    return [
        contrast.reference, contrast.difference, contrast.low, contrast.high,
        contrast.percent, contrast.pairs, contrast.over, contrast.judgement,
    ]  # fmt: skip


def to_latex(findings: Findings) -> str:
    """Return a plain tabular that needs no package."""
    table = rows(findings)
    lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in table]
    # A row that begins with a bracket would be read as an option of the line break above it.
    lines = ["{}" + line if line.startswith(("[", "*")) else line for line in lines]
    columns = "ll" + "r" * (len(table[0]) - 2)
    head = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", lines[0], r"\hline"]
    return "\n".join([*head, *lines[1:], r"\hline", r"\end{tabular}", ""])


def escape_latex(text: str) -> str:
    """Return text as LaTeX shows it unchanged."""
    return "".join(_LATEX.get(letter, letter) for letter in text)


def to_markdown(findings: Findings) -> str:
    """Return a pipe table."""
    table = [[escape_markdown(cell) for cell in row] for row in rows(findings)]
    rule = ["---", "---", *["---:"] * (len(table[0]) - 2)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [table[0], rule, *table[1:]])


def escape_markdown(text: str) -> str:
    """Return text on one line as Markdown shows it unchanged."""
    for letter in "\\`*_<|#":
        text = text.replace(letter, f"\\{letter}")
    return " ".join(text.replace("](", "\\](").split())


def to_json(findings: Findings) -> str:
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
        "facts": findings.facts,
        "summary": summary(findings),
        "arms": arms,
        "scenario": findings.scenario,
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


WRITERS: dict[str, Callable[[Findings], str]] = {"csv": to_csv, "tex": to_latex, "json": to_json}
"""The formats that are the table and nothing else."""
