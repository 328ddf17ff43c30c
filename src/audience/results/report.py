"""Reports of findings: an offline HTML page, Markdown, and the files they come with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import msgspec

from audience.errors import BadInput, unknown
from audience.files import replace_all
from audience.results.band import band_caption, band_figure
from audience.results.calibration import CAPTION, calibration_figure, calibrations_in
from audience.results.charts import caption, draw
from audience.results.figure import figure_files, inline
from audience.results.findings import Findings
from audience.results.fitted import Fitting, fitting_table
from audience.results.summary_lines import Contrast, Line, headline, summary
from audience.results.summary_table import ONE_RUN, WRITERS, change, mean_over, result_table
from audience.results.table import escape_markdown, shown, to_html, to_markdown
from audience.results.validation import validation_line
from audience.toml_reader import read_toml

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIRST = 3
"""Columns before those of the arms."""
_MARKS = {"better": "▲ ", "worse": "▼ "}
_MARKED = (
    "▲ better or ▼ worse than {}, clear after Holm's correction; grey: no clear difference, or one "
    "that is no verdict."
)


class StudyText(msgspec.Struct, frozen=True):
    """What a study's page says besides its findings."""

    question: str
    method: tuple[str, ...]
    command: str
    """What to type to reproduce it."""


def page(
    findings: Findings,
    drawn: Mapping[str, Figure],
    captions: Mapping[str, str],
    limits: Sequence[str],
    text: StudyText | None = None,
) -> str:
    """Return the whole page; for a study with its question, method and command."""
    lines = summary(findings)
    template = files("audience.results").joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(
        title=escape(findings.title),
        question=f'<p class="question">{_kept(text.question)}</p>\n' if text else "",
        verdict=(_answer(findings.verdict) if text else _verdict(findings.verdict))
        + "".join(f'\n<p class="note">{_kept(note)}</p>' for note in findings.notes),
        lead=_method(text.method) if text else _cards(findings, lines),
        figures=_figure_sections(drawn, captions, is_first=text is None),
        table=_table(findings, lines),
        legend=escape(_legend(findings)),
        command=f"<p>Reproduce with</p>\n<pre>{escape(text.command)}</pre>\n" if text else "",
        facts="\n".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in _facts(findings)),
        limits="\n".join(f"<li>{escape(limit)}</li>" for limit in limits),
        people=_people(findings.fitting),
        runs=_runs(findings),
        scenario=escape(findings.scenario),
    )


def _verdict(text: str) -> str:
    """Return the verdict with its conclusion in large type and its numbers below."""
    lead, colon, rest = text.partition(": ")
    if not colon or len(lead) > 120:
        return f'<p class="verdict">{_kept(text)}</p>'
    return f'<p class="verdict">{_kept(lead)}:</p>\n<p class="detail">{_kept(rest)}</p>'


def _answer(text: str) -> str:
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
    mean = mean_over(line.cells)
    unit = ", ".join([*([line.unit] if line.unit else []), _over(mean)])
    unit = f" <small>{escape(unit)}</small>"
    return f'<div class="card"><h3>{escape(line.label)}{unit}</h3><dl>{values}</dl></div>'


def _over(mean: str) -> str:
    return mean if mean == ONE_RUN else f"mean over {mean}"


def _rounded(value: float) -> float:
    """Return a large count without decimals, for which a card has no room."""
    return float(round(value)) if abs(value) >= 1000.0 else value


def _change(contrast: Contrast | None) -> str:
    if contrast is None:
        return ""
    judgement = contrast.judgement or "unclear"
    return f'<span class="{judgement}">{_MARKS.get(judgement, "")}{_kept(change(contrast))}</span>'


def _kept(text: str) -> str:
    """Return text as HTML in which numbers do not break from their %."""
    return escape(text).replace(" %", "&nbsp;%")


def _figure_sections(
    drawn: Mapping[str, Figure], captions: Mapping[str, str], *, is_first: bool
) -> str:
    """Return all charts; what changed comes first, or last if a study has its own charts."""
    parts = {name: _figure(name, figure, captions[name]) for name, figure in drawn.items()}
    changed = parts.pop("differences", "")
    changed = f"<h2>What changed</h2>\n{changed}\n" if changed else ""
    charts = '<h2>Charts</h2>\n<div class="charts">\n' + "\n".join(parts.values()) + "\n</div>"
    charts = charts if parts else ""
    return changed + charts if is_first else f"{charts}\n{changed}"


def _figure(name: str, figure: Figure, caption: str) -> str:
    kind = ' class="wide"' if name == "differences" else ""
    label = escape(caption)
    chart = f'<div class="chart" role="img" aria-label="{label}">{inline(figure, name)}</div>'
    return f"<figure{kind}>{chart}<figcaption>{label}</figcaption></figure>"


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
    alone = "" if many else " A number without one is of the run as a whole."
    return (
        f"In brackets: 95 % interval of the mean over {over}; of a difference, over pairs of the "
        f"same {'seed' if many else 'person'} in both arms.{alone} “–”: not defined."
    )


def _facts(findings: Findings) -> list[tuple[str, str]]:
    known = {key.lower() for key in findings.facts}
    seeds = sorted({run.seed for arm in findings.arms for run in arm.runs})
    added = [("Arms", ", ".join(arm.name for arm in findings.arms))]
    added.append(("Seeds", ", ".join(map(str, seeds))))
    facts = [(key[:1].upper() + key[1:], value) for key, value in findings.facts.items()]
    return facts + [pair for pair in added if pair[0].lower() not in known]


def _people(fitting: Fitting | None) -> str:
    """Return what people were fitted to, beside how they were before."""
    if fitting is None:
        return ""
    table = f'<div class="scroll">\n{to_html(fitting_table(fitting))}\n</div>\n'
    return f"<h3>People fitted to {escape(fitting.source)}</h3>\n{table}"


def _runs(findings: Findings) -> str:
    rows = "".join(
        f"<tr><td>{escape(arm.name)}</td><td>{run.seed}</td><td>{escape(run.folder)}</td>"
        f"<td><code>{escape(run.digest)}</code></td></tr>"
        for arm in findings.arms
        for run in arm.runs
    )
    head = "<tr><th>Arm</th><th>Seed</th><th>Folder</th><th>Digest</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


FORMATS = ("html", "md", "csv", "tex", "json")
_DRAWN = ("html", "md", "tex")
"""The formats that come with a folder of figures."""
_RULES = ("rule", "recsim")


def write_report(
    findings: Findings, folder: Path, formats: Sequence[str] = ("html",)
) -> list[Path]:
    """Write report.FORMAT for each format, and figures/, and return the paths.

    All files change together: if one cannot be written, all stay as they were.
    """
    for kind in formats:
        if kind not in FORMATS:
            raise unknown("report format", kind, FORMATS)
    if not findings.arms:
        raise BadInput("there is nothing to report: no arm has a run; give at least one")
    drawn, captions = _figures(findings) if set(formats) & set(_DRAWN) else ({}, {})
    contents: dict[Path, bytes] = {}
    for kind in dict.fromkeys(formats):
        if kind == "html":
            text = page(findings, drawn, captions, limits(findings))
        elif kind == "md":
            text = _markdown(findings, captions)
        else:
            text = WRITERS[kind](findings)
        contents[folder / f"report.{kind}"] = text.encode("utf-8", "replace")
    for name, figure in drawn.items():
        for file, content in figure_files(figure, name).items():
            contents[folder / "figures" / file] = content
    return replace_all(contents)


def html(findings: Findings) -> str:
    """Return the report as one page, without other files."""
    return page(findings, *_figures(findings), limits(findings))


def _figures(findings: Findings) -> tuple[dict[str, Figure], dict[str, str]]:
    """Return figures and captions by name, with those of the calibrations used."""
    drawn = draw(findings)
    captions = {name: caption(name, findings) for name in drawn}
    if findings.band and findings.band.settings:
        drawn["sensitivity"] = band_figure(findings.band)
        captions["sensitivity"] = band_caption(findings.band)
    for place, calibration in enumerate(calibrations_in(findings.scenario), 1):
        name = f"calibration_{place}"
        drawn[name] = calibration_figure(calibration)
        captions[name] = f"Mind {calibration.mind}, fitted to {calibration.source}. {CAPTION}"
    return drawn, captions


def limits(findings: Findings) -> list[str]:
    """Return what these findings cannot say."""
    lines = [_minds(findings.scenario), validation_line(findings.scenario)]
    if any(len(arm.runs) == 1 for arm in findings.arms):
        lines.append(
            "One seed: an interval over people says how certain a difference is within this "
            "audience, not how much another audience would differ. Run more seeds for that."
        )
    else:
        lines.append(
            "An interval over seeds says how much the result varies between simulated audiences of "
            "the same kind; it does not say how far the simulation is from real people. It is "
            "Student's, and wide if seeds are few."
        )
    if findings.differences:
        lines.append(_CORRECTED)
    return lines


_CORRECTED = (
    "Intervals are 95 % each. What is called clear is corrected for the number of metrics (Holm), "
    "for each arm: the metric of the verdict is judged alone, those of the summary together, all "
    "others together. Differences between several arms are not corrected for the number of arms."
)


def _minds(scenario: str) -> str:
    try:
        tree = read_toml(scenario, "scenario")
    except BadInput:
        tree = {}
    arms = tree.get("arms", {})
    parts = (tree, *(arms.values() if isinstance(arms, dict) else ()))
    kinds = {_kind(part.get("mind", "rule")) for part in parts if isinstance(part, dict)}
    others = sorted(kinds - set(_RULES))
    if others:
        return f"Minds ({', '.join(others)}): models that answer in place of people, not people."
    return "Rule minds: a documented choice model, not people."


def _kind(mind: object) -> str:
    return str(mind.get("kind", "rule")) if isinstance(mind, dict) else str(mind)


def _markdown(findings: Findings, captions: dict[str, str]) -> str:
    parts = [f"# {escape_markdown(findings.title)}", f"**{escape_markdown(findings.verdict)}**"]
    parts += [escape_markdown(note) for note in findings.notes]
    for name, text in captions.items():
        parts.append(f"![{name}](figures/{name}.png)\n\n{escape_markdown(text)}")
    parts += [
        "## All numbers",
        to_markdown(result_table(findings)).rstrip(),
        "## How this was made",
    ]
    runs = [
        f"{escape_markdown(arm.name)}, seed {run.seed}: `{run.digest}`"
        for arm in findings.arms
        for run in arm.runs
    ]
    facts = [
        f"{escape_markdown(key)}: {escape_markdown(value)}" for key, value in findings.facts.items()
    ]
    parts.append("\n".join(f"- {line}" for line in (*facts, *limits(findings), *runs)))
    if findings.fitting:
        parts.append(f"## People fitted to {escape_markdown(findings.fitting.source)}")
        parts.append(to_markdown(fitting_table(findings.fitting)).rstrip())
    # A fence longer than any in the scenario cannot be closed by it.
    fence = "`" * max(3, _longest_ticks(findings.scenario) + 1)
    parts.append(f"{fence}toml\n{findings.scenario.strip()}\n{fence}")
    return "\n\n".join(parts) + "\n"


def _longest_ticks(text: str) -> int:
    return max(
        (len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0
    )
