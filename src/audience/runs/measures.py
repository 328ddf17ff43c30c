"""Metrics folded from a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from audience.log import Log, failed_slates
from audience.metrics import Metrics, measure, suite
from audience.results import Measured
from audience.runs.kept_measures import Numbers, kept_of
from audience.scenario import Scenario, parse
from audience.world import OPENING, Chapter, Genesis

Seen = Callable[[int], None]
"""Called with the round that is being read."""


def measured_log(
    log: Log, scenario: Scenario, seen: Seen | None = None, genesis: Genesis | None = None
) -> Metrics:
    """Return the metrics of a log, folded from its beginning; `genesis` saves reading it."""
    begin = genesis or log.genesis()
    return measure(_watched(log.chapters(), seen), begin, suite(scenario.metrics))


def measured_upto(log: Log, round_: int, seen: Seen | None = None) -> Metrics:
    """Return the metrics of a log to the end of a round."""
    chapters = _watched(log.chapters(end_round=round_ + 1), seen)
    return measure(chapters, log.genesis(), suite(parse(log.scenario, str(log.folder)).metrics))


def _watched(chapters: Iterator[Chapter], seen: Seen | None) -> Iterator[Chapter]:
    for chapter in chapters:
        if seen and chapter.phase == OPENING:
            seen(chapter.round)
        yield chapter


def measurement(log: Log, metrics: Numbers) -> Measured:
    """Return a log's metrics with its folder, seed and digest."""
    totals = metrics.value()  # once: a metric may take seconds
    return Measured(
        str(log.folder),
        log.seed,
        log.digest(),
        totals,
        tuple(metrics.by_round()),
        metrics.per_agent(),
        failed_share(log, totals),
        failed_pages(log, totals),
    )


def failed_share(log: Log, totals: Mapping[str, float]) -> float:
    """Return the share of decisions that failed: of those on arriving, on pages and in talks.

    Pages that a recommender failed to fill are no decisions.
    """
    if not totals.get("failed"):
        return 0.0
    failed = totals["failed"] - failed_slates(log)
    made = totals["visits"] + totals["pages"] + totals["lines"]
    return failed / max(made, failed, 1.0)


def failed_pages(log: Log, totals: Mapping[str, float]) -> float:
    """Return the share of pages that the recommender failed to fill."""
    failed = failed_slates(log) if totals.get("failed") else 0
    return failed / (failed + totals["pages"]) if failed else 0.0


def measured(folder: Path, seen: Seen | None = None) -> Measured:
    """Return the metrics of a run as far as its log goes; `seen` is called for each round."""
    with Log.open(folder) as log:
        if (kept := kept_of(log)) and kept.measured.digest == log.digest():
            return replace(kept.measured, folder=str(log.folder))
        return measurement(log, measured_log(log, parse(log.scenario, str(folder)), seen))
