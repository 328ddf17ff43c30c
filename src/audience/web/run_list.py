"""The lines of all runs; what lies in files is read again only when they change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import msgspec

from audience.errors import AudienceError
from audience.llm import FILE as CALLS, CallStore
from audience.log import (
    FILE,
    Log,
    failures_upto,
    is_held,
    last_arrival,
    mean_satisfaction,
    stored_scenario,
)
from audience.scenario import Scenario, cost_of, label, parse
from audience.web.later import Later, Stamp, stamp_of
from audience.web.reply_types import RunState
from audience.web.run_registry import LocalRun, RunRegistry
from audience.web.run_types import RunRow, UnreadableRun

_DOLLARS = re.compile(r"\$(\d+\.\d+)$")


class RunFigures(msgspec.Struct, frozen=True):
    """Figures for which a whole log is read."""

    satisfaction: float | None
    failures: int


class _Stored(msgspec.Struct, frozen=True):
    """What the files of a run say."""

    fields: dict[str, Any]
    written: str
    halted: str


class RunList:
    """Reads the lines of runs. All requests share one."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._kept: dict[Path, tuple[Stamp, _Stored | str]] = {}
        self._figures: Later[RunFigures] = Later()

    def rows(self) -> list[RunRow | UnreadableRun]:
        """Return a line for every run."""
        found = self._registry.folders.found()
        ids = {folder: self._registry.folders.id_of(folder) for folder in found.wholes}
        rows = [self._line(folder, _group(ids, folder)) for folder in found.runs]
        for gone in self._kept.keys() - set(found.runs):
            self._kept.pop(gone, None)
        return rows

    def row(self, folder: Path) -> RunRow | UnreadableRun:
        """Return a run's line."""
        whole = self._registry.folders.whole_of(folder)
        return self._line(folder, self._registry.folders.id_of(whole) if whole else "")

    def _line(self, folder: Path, group: str) -> RunRow | UnreadableRun:
        """Return a run's line; `group` is the experiment or study that it belongs to."""
        stamp = self._stamp(folder)
        changed = max(stamp[0], stamp[2]) // 1_000_000_000
        stored = self._stored(folder, stamp)
        if isinstance(stored, str):
            id_ = self._registry.folders.id_of(folder)
            return UnreadableRun(id_, folder.name, "failed", stored, group, changed)
        state = self.state(folder, stored)
        live = self._registry.live(folder)
        figures = self._read(folder, stamp, live, state)
        return RunRow(
            **stored.fields,
            state=state,
            started_here=live is not None,
            group=group,
            changed=changed,
            satisfaction=figures.satisfaction if figures else None,
            failures=figures.failures if figures else None,
            error=self._error(folder, state, stored.halted),
        )

    def state(self, folder: Path, stored: _Stored) -> RunState:
        done, whole = stored.fields["round"], stored.fields["rounds"]
        return state_of(self._registry, folder, stored.written, done, whole)

    def close(self) -> None:
        self._figures.close()

    def _stamp(self, folder: Path) -> Stamp:
        names = (FILE, f"{FILE}-wal", CALLS, f"{CALLS}-wal")
        return stamp_of(*(folder / name for name in names))

    def _stored(self, folder: Path, stamp: Stamp) -> _Stored | str:
        at, stored = self._kept.get(folder, ((), ""))
        if at != stamp:
            try:
                stored = _stored_in(folder, self._registry.folders.id_of(folder))
            except (AudienceError, OSError) as error:
                stored = str(error)
            self._kept[folder] = stamp, stored
        return stored

    def _read(
        self, folder: Path, stamp: Stamp, live: LocalRun | None, state: RunState
    ) -> RunFigures | None:
        if state == "elsewhere":  # its log grows, and would be read from its beginning each time
            return None
        if live is None:
            return self._figures.value(folder, stamp, lambda: figures_in(folder))
        rounds = live.watch.rounds
        last = rounds[-1].get("satisfaction") if rounds else None
        known = last is not None and last == last
        return RunFigures(last if known else None, live.watch.panel.failures)

    def _error(self, folder: Path, state: RunState, halted: str) -> str:
        ended = self._registry.here(folder)
        is_over = state in ("stopped", "failed")
        return (ended.error if ended else "") or (halted if is_over else "")


def _group(ids: Mapping[Path, str], folder: Path) -> str:
    return next((ids[parent] for parent in folder.parents if parent in ids), "") if ids else ""


def _stored_in(folder: Path, id_: str) -> _Stored:
    with Log.open(folder) as log:
        scenario = parse(stored_scenario(log), folder.name)
        return _Stored(row_fields(folder, id_, log, scenario), log.state, log.halted)


def row_fields(folder: Path, id_: str, log: Log, scenario: Scenario) -> dict[str, Any]:
    """Return what a run's line says of its files, besides the figures that take long."""
    lineage = log.lineage
    calls, failed = calls_of(folder)
    return {
        "id": id_,
        "title": scenario.title,
        "round": log.complete_rounds(),
        "rounds": scenario.rounds,
        "agents": scenario.agents,
        "seed": log.seed,
        "cost": dollars_of(folder, scenario),
        "calls": calls,
        "failed_calls": failed,
        "mind": scenario.mind.kind,
        "memory": scenario.memory.kind,
        "recommender": label(scenario.recommender.kind),
        "dataset": scenario.dataset.kind,
        "parent": lineage.parent if lineage else None,
        "branch_at": lineage.at if lineage else None,
        "n": last_arrival(log),
    }


def figures_in(folder: Path) -> RunFigures:
    """Return the figures of a run from its whole log."""
    with Log.open(folder) as log:
        return RunFigures(mean_satisfaction(log), failures_upto(log, log.complete_rounds()))


def state_of(registry: RunRegistry, folder: Path, written: str, done: int, whole: int) -> RunState:
    """Return the state of a run; `written` is what its log says."""
    if live := registry.live(folder):
        return live_state(live)
    ended = registry.here(folder)
    if ended and ended.error:
        return "failed"
    if written == "running":
        return "elsewhere" if is_held(folder) else "stopped"
    if written == "finished" and done < whole:
        return "stopped"
    return cast("RunState", written)


def live_state(run: LocalRun) -> RunState:
    """Return the state of a run that goes on here."""
    if not run.watch.control.steering.going:
        return "paused"
    return "waiting" if run.waits() else "running"


def dollars_of(folder: Path, scenario: Scenario) -> float | None:
    """Return what a run's calls have cost; None if that is not known."""
    try:
        cost = cost_of(folder, scenario.llm)
    except AudienceError:
        return None
    dollars = _DOLLARS.match(cost)
    return float(dollars[1]) if dollars else (0.0 if cost == "–" else None)


def calls_of(folder: Path) -> tuple[int, int]:
    """Return how many calls a run has made, and how many of them failed."""
    if not (folder / CALLS).is_file():
        return 0, 0
    try:
        with closing(CallStore(folder / CALLS, read_only=True)) as calls:
            return len(calls), calls.failed()
    except AudienceError:
        return 0, 0
