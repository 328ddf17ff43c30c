"""Findings as files: a page that opens offline, tables, and figures for a paper."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audience.errors import BadInput, unknown
from audience.experiments._page import page
from audience.experiments.calibration_figures import CAPTION, calibration_figure
from audience.experiments.calibration_files import calibrations_in
from audience.experiments.figures import caption, draw
from audience.experiments.findings import Findings
from audience.experiments.tables import WRITERS, to_markdown
from audience.results import escape_markdown, figure_files, replace_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("html", "md", "csv", "tex", "json")
_DRAWN = ("html", "md", "tex")
"""The formats that come with a folder of figures."""
_RULES = ("rule", "recsim")


def write(findings: Findings, folder: Path, formats: Sequence[str] = ("html",)) -> list[Path]:
    """Write report.FORMAT for each format, and figures/, and return the paths.

    All files change together: where one cannot be written, all stay as they were.
    """
    for given in formats:
        if given not in FORMATS:
            raise unknown("report format", given, FORMATS)
    if not findings.arms:
        raise BadInput("there is nothing to report: no arm has a run; give at least one run")
    drawn, captions = _figures(findings) if set(formats) & set(_DRAWN) else ({}, {})
    contents: dict[Path, bytes] = {}
    for given in dict.fromkeys(formats):
        if given == "html":
            text = page(findings, drawn, captions, limits(findings))
        elif given == "md":
            text = _markdown(findings, captions)
        else:
            text = WRITERS[given](findings)
        contents[folder / f"report.{given}"] = text.encode("utf-8", "replace")
    for name, figure in drawn.items():
        for file, content in figure_files(figure, name).items():
            contents[folder / "figures" / file] = content
    return replace_all(contents)


def html(findings: Findings) -> str:
    """Return the report as one page, with nothing beside it."""
    return page(findings, *_figures(findings), limits(findings))


def _figures(findings: Findings) -> tuple[dict[str, Figure], dict[str, str]]:
    """Return figures and captions by name; fitted parameters come with how they were fitted."""
    drawn = draw(findings)
    captions = {name: caption(name, findings) for name in drawn}
    for place, one in enumerate(calibrations_in(findings.scenario), 1):
        name = f"calibration_{place}"
        drawn[name] = calibration_figure(one)
        captions[name] = f"Mind {one.mind}, fitted to {one.source}. {CAPTION}"
    return drawn, captions


def limits(findings: Findings) -> list[str]:
    """Return what these findings cannot say."""
    said = [_minds(findings.scenario)]
    if any(len(arm.runs) == 1 for arm in findings.arms):
        said.append(
            "One seed: an interval over people says how sure the difference is within this one "
            "audience, not how much another audience would differ. Run more seeds for that."
        )
    else:
        said.append(
            "An interval over seeds says how much the result moves between simulated audiences "
            "made alike; it says nothing of how far the simulation is from real people. It is "
            "Student's, and wide where seeds are few."
        )
    said.append(
        "Intervals are 95 % each and not corrected for looking at many metrics: of twenty that "
        "do not differ, about one will look clear."
    )
    return said


def _minds(scenario: str) -> str:
    try:
        tree = tomllib.loads(scenario)
    except tomllib.TOMLDecodeError:
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
    for name, text in captions.items():
        parts.append(f"![{name}](figures/{name}.png)\n\n{escape_markdown(text)}")
    parts += ["## All numbers", to_markdown(findings).rstrip(), "## How this was made"]
    runs = [
        f"{escape_markdown(arm.name)}, seed {run.seed}: `{run.digest}`"
        for arm in findings.arms
        for run in arm.runs
    ]
    facts = [
        f"{escape_markdown(key)}: {escape_markdown(value)}" for key, value in findings.facts.items()
    ]
    parts.append("\n".join(f"- {line}" for line in (*facts, *limits(findings), *runs)))
    # A fence longer than any in the scenario cannot be closed from inside it.
    fence = "`" * max(3, _longest_ticks(findings.scenario) + 1)
    parts.append(f"{fence}toml\n{findings.scenario.strip()}\n{fence}")
    return "\n\n".join(parts) + "\n"


def _longest_ticks(text: str) -> int:
    return max(
        (len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0
    )
