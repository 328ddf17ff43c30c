"""Endpoints of a run's metrics and its report."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

import msgspec
import numpy as np
from fastapi import APIRouter
from starlette.responses import Response

from audience.metrics import LABELS, round_unit
from audience.results import Arm, Findings, Measured, csv_text, html, mean_over, summary
from audience.runs import Numbers, gathered, members_by_segment
from audience.scenario import parse, text_of
from audience.web.readers import Reader
from audience.web.replies import json_reply
from audience.web.reply_types import (
    ItemCount,
    MetricLabel,
    MetricsReply,
    PopularityReply,
    SegmentRow,
    SummaryRow,
)
from audience.web.requests import RunId
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer
from audience.world import Floats, World

REPORTS = 4
CURVE = 500
TOP = 50
_ENTROPY = ("entropy_exposure", "entropy_consumption", "entropy_taste")
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)


class Reports:
    """The reports that were requested last; drawing one takes seconds."""

    def __init__(self, registry: RunRegistry, offer: Offer) -> None:
        self._registry, self._offer = registry, offer
        self._lock = threading.Lock()  # figures are drawn one at a time
        self._kept: OrderedDict[Path, tuple[tuple[int, int], str]] = OrderedDict()

    def page(self, folder: Path) -> str:
        """Return the report of a run as it is now."""
        with self._registry.readers.reading(folder) as reader:
            moment = self._registry.lives.get(folder, 0), reader.last
        with self._lock:
            if folder not in self._kept or self._kept[folder][0] != moment:
                self._kept[folder] = moment, html(shown_findings(gathered(folder), self._offer))
            self._kept.move_to_end(folder)
            while len(self._kept) > REPORTS:
                self._kept.popitem(last=False)
            return self._kept[folder][1]


def shown_findings(findings: Findings, offer: Offer) -> Findings:
    """Return findings as a reply may show them: what is offered by its name."""
    if offer.offered is None:
        return findings
    replace = msgspec.structs.replace
    arms = tuple(
        replace(arm, runs=tuple(replace(run, folder=Path(run.folder).name) for run in arm.runs))
        for arm in findings.arms
    )
    scenario = text_of(offer.shown(parse(findings.scenario)))
    return replace(findings, scenario=scenario, arms=arms)


def router(registry: RunRegistry, offer: Offer) -> APIRouter:
    """Return the endpoints of metrics and reports."""
    api = APIRouter()
    reports = Reports(registry, offer)

    @api.get("/runs/{run}/metrics", response_class=Response)
    def metrics(run: RunId) -> Response:
        """Return all metrics of the complete rounds."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            done = reader.log.complete_rounds()
            return json_reply(reader.remembered("metrics", done, lambda: numbers(reader)))

    @api.get("/runs/{run}/metrics.csv", response_class=Response)
    def table(run: RunId) -> Response:
        """Return the metrics of each round as CSV."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            rounds = reader.metrics()[1].by_round()
        names = list(rounds[0]) if rounds else ["round"]
        rows = ([_cell(row.get(name, np.nan)) for name in names] for row in rounds)
        text = csv_text(names, rows)
        named = {"content-disposition": 'attachment; filename="metrics.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=named)

    @api.get("/runs/{run}/report", response_class=Response)
    def report(run: RunId) -> Response:
        """Return the report as a page that opens offline."""
        page = reports.page(registry.folders.folder_of(run))
        headers = {"content-security-policy": REPORT_POLICY}
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    return api


def _cell(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.10g}"


def numbers(reader: Reader) -> MetricsReply:
    """Return all that the charts of a run are drawn from."""
    done, metrics = reader.metrics()
    world = reader.world(done)
    rounds, totals = metrics.by_round(), metrics.value()
    rated = totals.get("ratings", 0.0)
    shares = [totals.get(f"rating_{stars}", 0.0) if rated else 0.0 for stars in range(1, 6)]
    return MetricsReply(
        done,
        labels={
            name: MetricLabel(label, unit, round_unit(name), better)
            for name, (label, unit, better) in LABELS.items()
        },
        summary=summary_rows(reader, metrics) if done else [],
        rounds=rounds,
        totals=totals,
        segments=segments(world, metrics.per_agent()),
        histogram=[round(rated * share) for share in shares],
        popularity=popularity(world),
        entropy={name: [values.get(name) for values in rounds] for name in _ENTROPY},
    )


def summary_rows(reader: Reader, metrics: Numbers) -> list[SummaryRow]:
    """Return every metric as the report of the run gives it."""
    rounds = tuple(metrics.by_round())
    run = Measured("", reader.log.seed, "", metrics.value(), rounds, metrics.per_agent())
    findings = Findings("", (Arm("", (run,)),), (), "", "", {})
    return [
        SummaryRow(
            line.metric,
            line.label,
            line.unit,
            line.better,
            mean_over(line.cells),
            *(cell.mean, cell.low, cell.high),
        )
        for line in summary(findings)
        for cell in line.cells
    ]


def popularity(world: World) -> PopularityReply:
    """Return how often each item was picked in the run, most popular first."""
    lived = world.interactions.items[len(world.genesis.past) :]
    counts = np.bincount(lived, minlength=len(world.catalogue))
    order = np.argsort(-counts, kind="stable")
    top = [item for item in order[:TOP].tolist() if counts[item]]
    curve = counts[order]
    curve = curve[curve > 0]
    picked = np.unique(np.linspace(0, max(len(curve) - 1, 0), CURVE).astype(int))
    return PopularityReply(
        [(int(place) + 1, int(curve[place])) for place in picked] if len(curve) else [],
        [ItemCount(item, world.catalogue[item].title, int(counts[item])) for item in top],
    )


def segments(world: World, each: dict[str, Floats]) -> dict[str, list[SegmentRow]]:
    """Return the means of every metric of people, by interest, gender, age and habit."""
    rows: dict[str, list[SegmentRow]] = {}
    for (by, name), members in sorted(members_by_segment(world).items()):
        rows.setdefault(by, []).append(_means(name, members, each))
    return rows


def _means(name: str, members: list[int], each: dict[str, Floats]) -> SegmentRow:
    chosen = np.array(members)
    values: dict[str, float | None] = {}
    for metric, numbers_ in each.items():
        mine = numbers_[chosen[chosen < len(numbers_)]]
        mine = mine[~np.isnan(mine)]
        values[metric] = float(mine.mean()) if len(mine) else None
    return SegmentRow(name, len(members), values)
