"""The report as one HTML page that asks nothing of the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import msgspec

from audience.experiments.findings import Findings
from audience.experiments.summary import Contrast, Line, headline, summary
from audience.experiments.tables import ONE_RUN, change, over, result_table
from audience.results import inline, shown, to_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIRST = 3
"""Columns before those of the arms."""
_MARKS = {"better": "▲ ", "worse": "▼ "}
_MARKED = "▲ better or ▼ worse than {} by more than the 95 % interval; grey: no clear difference."


class Told(msgspec.Struct, frozen=True):
    """What a study says besides its findings."""

    question: str
    method: tuple[str, ...]
    command: str
    """What to type to get the same again."""


def page(
    findings: Findings,
    drawn: Mapping[str, Figure],
    captions: Mapping[str, str],
    limits: Sequence[str],
    told: Told | None = None,
) -> str:
    """Return the whole page; of a study with its question, its method and its command."""
    lines = summary(findings)
    template = files("audience.experiments").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(
        title=escape(findings.title),
        question=f'<p class="question">{_kept(told.question)}</p>\n' if told else "",
        verdict=_found(findings.verdict) if told else _verdict(findings.verdict),
        lead=_method(told.method) if told else _cards(findings, lines),
        figures=_figures(drawn, captions, is_first=told is None),
        table=_table(findings, lines),
        legend=escape(_legend(findings)),
        command=f"<p>Reproduce with</p>\n<pre>{escape(told.command)}</pre>\n" if told else "",
        facts="\n".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in _facts(findings)),
        limits="\n".join(f"<li>{escape(limit)}</li>" for limit in limits),
        runs=_runs(findings),
        scenario=escape(findings.scenario),
    )


def _verdict(text: str) -> str:
    """Return the verdict with what it comes down to in large and its numbers below."""
    lead, colon, rest = text.partition(": ")
    if not colon or len(lead) > 120:
        return f'<p class="verdict">{_kept(text)}</p>'
    return f'<p class="verdict">{_kept(lead)}:</p>\n<p class="detail">{_kept(rest)}</p>'


def _found(text: str) -> str:
    size = "verdict long" if len(text) > 120 else "verdict"
    return f'<p class="{size}">{_kept(text)}</p>'


def _method(lines: Sequence[str]) -> str:
    listed = "\n".join(f"<li>{_kept(line)}</li>" for line in lines)
    return f'<h2>Method</h2>\n<ol class="method">\n{listed}\n</ol>'


def _cards(findings: Findings, lines: Sequence[Line]) -> str:
    cards = "\n".join(_card(line) for line in headline(lines)[:8])
    marks = _kept(_MARKED.format(findings.arms[0].name)) if findings.differences else ""
    return (
        f'<section aria-label="Key numbers"><div class="cards">\n{cards}\n</div>\n'
        f'<p class="note">{marks}</p></section>'
    )


def _card(line: Line) -> str:
    changes = {contrast.other: contrast for contrast in line.contrasts}
    values = "".join(
        f'<dt title="{escape(cell.arm)}">{escape(cell.arm)}</dt>'
        f"<dd>{escape(shown(_rounded(cell.mean)))}</dd>"
        f"<dd>{_change(changes.get(cell.arm))}</dd>"
        for cell in line.cells
    )
    mean = over(line.cells)
    unit = ", ".join([*([line.unit] if line.unit else []), _over(mean)])
    unit = f" <small>{escape(unit)}</small>"
    return f'<div class="card"><h3>{escape(line.label)}{unit}</h3><dl>{values}</dl></div>'


def _over(mean: str) -> str:
    return mean if mean == ONE_RUN else f"mean over {mean}"


def _rounded(value: float) -> float:
    """Return a count without its digits after the point, which a card has no room for."""
    return float(round(value)) if abs(value) >= 1000.0 else value


def _change(contrast: Contrast | None) -> str:
    if contrast is None:
        return ""
    said = contrast.judgement or "unclear"
    return f'<span class="{said}">{_MARKS.get(said, "")}{_kept(change(contrast))}</span>'


def _kept(text: str) -> str:
    """Return text as HTML whose numbers stay on one line with their %."""
    return escape(text).replace(" %", "&nbsp;%")


def _figures(drawn: Mapping[str, Figure], captions: Mapping[str, str], *, is_first: bool) -> str:
    """Return all charts; what changed comes first, or last where a study has charts of its own."""
    parts = {name: _figure(name, figure, captions[name]) for name, figure in drawn.items()}
    changed = parts.pop("differences", "")
    changed = f"<h2>What changed</h2>\n{changed}\n" if changed else ""
    charts = '<h2>Charts</h2>\n<div class="charts">\n' + "\n".join(parts.values()) + "\n</div>"
    charts = charts if parts else ""
    return changed + charts if is_first else f"{charts}\n{changed}"


def _figure(name: str, figure: Figure, caption: str) -> str:
    kind = ' class="wide"' if name == "differences" else ""
    said = escape(caption)
    chart = f'<div class="chart" role="img" aria-label="{said}">{inline(figure, name)}</div>'
    return f"<figure{kind}>{chart}<figcaption>{said}</figcaption></figure>"


def _table(findings: Findings, lines: Sequence[Line]) -> str:
    table = result_table(findings, lines)
    classes = []
    for line in lines:
        marks = [""] * len(table.columns)
        for place, contrast in enumerate(line.contrasts):
            marks[_FIRST + len(line.cells) + 2 * place + 1] = contrast.judgement
        classes.append(marks)
    return to_html(table, classes)


def _legend(findings: Findings) -> str:
    many = len(findings.arms[0].runs) > 1
    over = "seeds" if many else "people"
    alone = "" if many else " A number without one is a total of the one run."
    return (
        f"In brackets: 95 % interval of the mean over {over}; of a difference, over pairs of the "
        f"same {'seed' if many else 'person'} in both arms.{alone} “–”: not defined here."
    )


def _facts(findings: Findings) -> list[tuple[str, str]]:
    facts = {key.lower() for key in findings.facts}
    seeds = sorted({run.seed for arm in findings.arms for run in arm.runs})
    added = [("Arms", ", ".join(arm.name for arm in findings.arms))]
    added.append(("Seeds", ", ".join(map(str, seeds))))
    given = [(key[:1].upper() + key[1:], value) for key, value in findings.facts.items()]
    return given + [pair for pair in added if pair[0].lower() not in facts]


def _runs(findings: Findings) -> str:
    rows = "".join(
        f"<tr><td>{escape(arm.name)}</td><td>{run.seed}</td><td>{escape(run.folder)}</td>"
        f"<td><code>{escape(run.digest)}</code></td></tr>"
        for arm in findings.arms
        for run in arm.runs
    )
    head = "<tr><th>Arm</th><th>Seed</th><th>Folder</th><th>Digest</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
