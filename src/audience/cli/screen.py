"""What a terminal shows: results on standard output, progress on standard error."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from audience.experiments.experiment import SUMMARY
from audience.experiments.findings import Difference, Findings, interval, readable
from audience.metrics import LABELS


class Bar:
    """Progress bars for one run or many: rounds done, visits per second, time left."""

    def __init__(self, console: Console, total_runs: int, rounds: int) -> None:
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._all = self._progress.add_task("rounds", total=total_runs * rounds, speed="")
        self._now: TaskID | None = None
        self._visits = 0
        self._counted = 0
        self._round = 0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, name: str, rounds: int, agents: int) -> None:
        self._now = self._progress.add_task(f"{name}: visits", total=None, speed="")
        self._round, self._counted = 0, 0

    def advance(self, round_: int, done: int, total: int) -> None:
        if self._round and round_ != self._round:
            self._progress.advance(self._all)
        self._visits += max(done - (self._counted if round_ == self._round else 0), 0)
        self._round, self._counted = round_, done
        seconds = self._progress.tasks[0].elapsed or 0.0
        speed = f"{self._visits / seconds:,.0f} visits/s" if seconds > 0.2 else ""
        self._progress.update(self._all, speed=speed)
        if self._now is not None:
            self._progress.update(self._now, completed=done, total=total)

    def end(self) -> None:
        if self._round:
            self._progress.advance(self._all)
        if self._now is not None:
            self._progress.remove_task(self._now)
            self._now = None


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C ask for a stop at the next commit point; a second one stops at once."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = {one: signal.signal(one, ask) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for one, old in before.items():
            signal.signal(one, old)


def summary_table(findings: Findings, metrics: Sequence[str] = SUMMARY) -> Table:
    """Return an outcome as a table: metrics down, arms across, paired differences at the right."""
    table = Table(title=None, header_style="bold", show_edge=False)
    table.add_column("metric")
    for arm in findings.arms:
        table.add_column(arm.name, justify="right")
    for arm in findings.arms[1:]:
        table.add_column(f"{arm.name} − {findings.arms[0].name}", justify="right")
    by_name = {(one.metric, one.other): one for one in findings.differences}
    for metric in metrics:
        if metric not in findings.arms[0].runs[0].totals:
            continue
        label = LABELS[metric][0] if metric in LABELS else metric
        cells = [readable(interval(arm.values(metric))[0]) for arm in findings.arms]
        for arm in findings.arms[1:]:
            cells.append(_difference(by_name[metric, arm.name]))
        table.add_row(label, *cells)
    return table


def _difference(one: Difference) -> str:
    if math.isnan(one.low):
        return f"[dim]{one.difference:+.3g}[/]"
    style = "green" if one.is_clear else "dim"
    return f"[{style}]{one.difference:+.3g} ± {(one.high - one.low) / 2:.2g}[/]"
