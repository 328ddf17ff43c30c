"""Endpoints of experiments, arms by seeds: progress, verdict, curves and segments."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
from fastapi import APIRouter
from starlette.responses import Response

from audience.errors import AudienceError
from audience.metrics import LABELS, round_unit
from audience.results import (
    Arm,
    Contrast,
    Findings,
    Interval,
    Lead,
    headline,
    html,
    lead_in,
    summary,
    t_interval,
)
from audience.runs import EXPERIMENT, gathered, members_by_segment, scenario_of, variants
from audience.scenario import Scenario, text_of
from audience.web.experiment_types import (
    ArmCurve,
    ExperimentFindings,
    ExperimentReply,
    ExperimentRow,
    ExperimentRun,
    LeadReply,
    MetricCurves,
    SegmentContrast,
)
from audience.web.later import Later, stamp_of
from audience.web.measures import REPORT_POLICY, shown_findings
from audience.web.replies import Missing, json_reply
from audience.web.requests import RunId
from audience.web.run_list import RunList
from audience.web.run_registry import RunRegistry
from audience.web.run_types import UnreadableRun
from audience.web.scenarios import Offer
from audience.world import Floats

KEPT = 8
BAND = "sensitivity.json"
SEGMENTED = "satisfaction"
"""The metric by which segments are compared."""


class Experiments:
    """The experiments of a folder, and what was found in those read last."""

    def __init__(self, registry: RunRegistry, offer: Offer, lines: RunList) -> None:
        self._registry, self._offer, self._lines = registry, offer, lines
        self._verdicts: Later[str] = Later()
        self._lock = threading.Lock()
        self._kept: dict[Path, tuple[tuple[int, ...], Findings]] = {}

    def row(self, folder: Path) -> ExperimentRow:
        """Return an experiment's line in the list."""
        scenario = scenario_of(folder)
        place = folder.resolve()  # asked before its runs: what has ended since, they tell
        is_conducted, is_tried = (
            place in some for some in (self._registry.conducted, self._registry.trying)
        )
        runs = list(self._runs(folder, scenario))
        done = sum(run.state == "finished" for run in runs)
        state = "trying" if is_tried else _state(runs, is_conducted=is_conducted)
        names = list(variants(scenario))
        id_ = self._registry.folders.id_of(folder)
        stamp = stamp_of(folder, folder / BAND, *_databases(folder, scenario))
        made = max(stamp[::2]) // 1_000_000_000
        verdict = None
        if done == len(runs):
            verdict = self._verdicts.value(
                folder, stamp, lambda: short_verdict(self.findings(folder, scenario))
            )
        return ExperimentRow(
            id_, scenario.title, names, scenario.seeds, state, done, len(runs), made, verdict or ""
        )

    def reply(self, folder: Path) -> ExperimentReply:
        """Return all that a page shows of an experiment."""
        scenario = scenario_of(folder)
        row = self.row(folder)
        return ExperimentReply(
            **msgspec.structs.asdict(row),
            runs=list(self._runs(folder, scenario)),
            scenario=text_of(self._offer.shown(scenario)),
            findings=None if row.done < row.all else self._shown(folder, scenario),
        )

    def _shown(self, folder: Path, scenario: Scenario) -> ExperimentFindings:
        findings = self.findings(folder, scenario)
        heads = [each for each in findings.differences if each.metric == findings.declared]
        leads = {head.other: lead_in(findings.band, head) for head in heads}
        lines = summary(findings)
        return ExperimentFindings(
            findings.verdict,
            list(findings.notes),
            list(lines),
            [line.metric for line in headline(lines)],
            curves(findings),
            self._segments(findings),
            {arm: _lead(lead) for arm, lead in leads.items() if lead},
        )

    def findings(self, folder: Path, scenario: Scenario) -> Findings:
        """Return what a finished experiment shows; read again only if a file of it changed."""
        files = [folder / BAND, *_databases(folder, scenario)]
        stamp = stamp_of(*files)
        with self._lock:
            if folder not in self._kept or self._kept[folder][0] != stamp:
                self._kept[folder] = stamp, gathered(folder)
                while len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[folder][1]

    def _runs(self, folder: Path, scenario: Scenario) -> Iterable[ExperimentRun]:
        for arm in variants(scenario):
            for seed in range(scenario.seed, scenario.seed + scenario.seeds):
                yield self._run(folder / arm / f"seed-{seed}", arm, seed, scenario.rounds)

    def _run(self, place: Path, arm: str, seed: int, rounds: int) -> ExperimentRun:
        if not (place / "run.db").is_file():
            return ExperimentRun(arm, seed, "", "waiting", 0, rounds, "")
        line = self._lines.row(place)
        done = 0 if isinstance(line, UnreadableRun) else line.round
        return ExperimentRun(arm, seed, line.id, line.state, done, rounds, line.error)

    def _segments(self, findings: Findings) -> list[SegmentContrast]:
        """Return the mean satisfaction of each segment in every arm, and its paired difference."""
        first = findings.arms[0]
        rows = []
        groups: dict[tuple[str, str], list[list[int]]] = {}
        for run in first.runs:
            with self._registry.readers.reading(Path(run.folder).resolve()) as reader:
                members = members_by_segment(reader.world(0))
            for key, mine in members.items():
                groups.setdefault(key, []).append(mine)
        for (by, name), people in sorted(groups.items()):
            if len(people) < len(first.runs):
                continue
            values = {arm.name: _means(arm, people) for arm in findings.arms}
            rows.append(_contrasted(by, name, people, values))
        return rows


def _state(runs: list[ExperimentRun], *, is_conducted: bool) -> str:
    """Return the state of an experiment: between two of its runs, it goes on."""
    states = {run.state for run in runs}
    for state in ("failed", "running", "elsewhere", "paused"):
        if state in states:
            return state
    if is_conducted:
        return "running"
    return "finished" if states == {"finished"} else "stopped"


def short_verdict(findings: Findings) -> str:
    """Return the verdict in a few words: the declared metric of every arm beside the first."""
    if findings.is_withheld:
        return "withheld: too much failed"
    line = next((one for one in summary(findings) if one.metric == findings.declared), None)
    if line is None or not line.contrasts:
        return ""
    told = [_told(one) for one in line.contrasts]
    return f"{line.label}: {'; '.join(told)}"


def _told(one: Contrast) -> str:
    if one.judgement in ("", "unclear"):
        return f"{one.other} no clear difference"
    if math.isfinite(one.percent):
        return f"{one.other} {one.percent:+.1f} %".replace("-", "−")
    return f"{one.other} {one.judgement}"


def _lead(lead: Lead) -> LeadReply:
    flips = [setting.name for setting in lead.flips]
    return LeadReply(lead.stays, lead.clear, lead.settings, flips)


def _databases(folder: Path, scenario: Scenario) -> list[Path]:
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    return [
        folder / arm / f"seed-{seed}" / "run.db" for arm in variants(scenario) for seed in seeds
    ]


def _means(arm: Arm, people: list[list[int]]) -> Floats:
    """Return the mean of a segment in the run of every seed."""
    means = []
    for run, members in zip(arm.runs, people, strict=True):
        values = run.agents.get(SEGMENTED, np.zeros(0))
        mine = values[[who for who in members if who < len(values)]]
        mine = mine[~np.isnan(mine)]
        means.append(float(mine.mean()) if len(mine) else np.nan)
    return np.array(means)


def _contrasted(
    by: str, name: str, people: list[list[int]], values: dict[str, Floats]
) -> SegmentContrast:
    arms = list(values)
    means = {arm: _mean(each) for arm, each in values.items()}
    differences = {arm: _interval(values[arm] - values[arms[0]]) for arm in arms[1:]}
    size = round(sum(map(len, people)) / len(people))
    return SegmentContrast(by, name, size, means, differences)


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _interval(values: Floats) -> Interval | None:
    known = values[~np.isnan(values)]
    return t_interval(known) if len(known) > 1 else None


def curves(findings: Findings) -> list[MetricCurves]:
    """Return the metrics shown first by round: for each arm the mean over seeds and its band."""
    found = []
    for line in headline(summary(findings)):
        arms = [ArmCurve(arm.name, _points(arm, line.metric)) for arm in findings.arms]
        if any(len(arm.points) > 1 for arm in arms):
            label = LABELS.get(line.metric, (line.label, "", ""))[0]
            found.append(MetricCurves(line.metric, label, round_unit(line.metric), arms))
    return found


def _points(arm: Arm, metric: str) -> list[tuple[int, float, float, float]]:
    points = []
    for rows in zip(*(run.rounds for run in arm.runs), strict=False):
        values = np.array([row.get(metric, np.nan) for row in rows])
        values = values[~np.isnan(values)]
        if not len(values):
            continue
        mean = t_interval(values)
        low, high = (mean.low, mean.high) if len(values) > 1 else (mean.mean, mean.mean)
        points.append((int(rows[0]["round"]), mean.mean, low, high))
    return points


def router(registry: RunRegistry, offer: Offer, lines: RunList) -> APIRouter:
    """Return the endpoints of experiments."""
    api = APIRouter()
    experiments = Experiments(registry, offer, lines)

    @api.get("/experiments", response_class=Response)
    def listed() -> Response:
        """Return a line for every experiment that can be read."""
        rows = []
        for folder, mark in registry.folders.found().wholes.items():
            if mark != EXPERIMENT:
                continue
            try:
                rows.append(experiments.row(folder))
            except AudienceError:
                continue  # its runs are in the list of runs, with what is wrong
        return json_reply(rows)

    @api.get("/experiments/{run}", response_class=Response)
    def detail(run: RunId) -> Response:
        """Return an experiment: its runs, and once all have ended, what they show."""
        return json_reply(experiments.reply(registry.folders.experiment_of(run)))

    @api.get("/experiments/{run}/report", response_class=Response)
    def report(run: RunId) -> Response:
        """Return the report of a finished experiment as a page that opens offline."""
        folder = registry.folders.experiment_of(run)
        scenario = scenario_of(folder)
        if experiments.row(folder).done < len(variants(scenario)) * scenario.seeds:
            raise Missing("this experiment has no report before all its runs have ended")
        page = html(shown_findings(experiments.findings(folder, scenario), offer))
        headers = {"content-security-policy": REPORT_POLICY}
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    return api
