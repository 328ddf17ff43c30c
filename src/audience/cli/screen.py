"""Terminal output: results on standard output, progress on standard error, stops by Ctrl-C."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
import msgspec
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from audience.engine import stop_at_once
from audience.llm import Meter
from audience.results import Findings, ResultTable, print_table, result_table, summary
from audience.runs import SUMMARY, summary_of
from audience.terminal import Console

MEAN_OVER = "Mean over"
ONE_RUN = "one run"


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
        self._rounds = rounds
        self._all = self._progress.add_task("rounds", total=total_runs * rounds, speed="")
        self._now: TaskID | None = None
        self._ended = 0
        self._visits = 0
        self._counted = 0
        self._round = 0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, name: str, rounds: int, agents: int) -> None:
        self._now = self._progress.add_task(f"{escape(name)}: visits", total=None, speed="")
        self._round, self._counted = 0, 0

    def advance(self, round_: int, done: int, total: int) -> None:
        self._visits += max(done - (self._counted if round_ == self._round else 0), 0)
        self._round, self._counted = round_, done
        seconds = self._progress.tasks[0].elapsed or 0.0
        speed = f"{self._visits / seconds:,.0f} visits/s" if seconds > 0.2 else ""
        before = self._ended * self._rounds
        self._progress.update(self._all, completed=before + round_ - 1, speed=speed)
        if self._now is not None:
            self._progress.update(self._now, completed=done, total=total)

    def spend(self, meter: Meter) -> None:
        total = meter.total()
        tokens = f"{total.tokens / 1000:,.1f}k tokens"
        failed = f", {total.failed} failed" if total.failed else ""
        words = f"{total.calls:,} calls, {tokens}, {meter.cost()}{failed}"
        if self._now is not None:
            self._progress.update(self._now, speed=words)

    def end(self) -> None:
        self._ended += 1
        self._progress.update(self._all, completed=self._ended * self._rounds)
        if self._now is not None:
            self._progress.remove_task(self._now)
            self._now = None


OFTEN = 0.3
"""Seconds between two lines of progress about the same."""


def progress_lines() -> Callable[[str, int, int], None]:
    """Return what tells progress to a program as JSON lines on standard error, if it asked so.

    The page does, by `AUDIENCE_PROGRESS=lines`: it has no terminal to draw a bar in.
    """
    if os.environ.get("AUDIENCE_PROGRESS") != "lines":
        return lambda name, done, total: None
    last = {"": 0.0}

    def tell(name: str, done: int, total: int) -> None:
        now = time.monotonic()
        if name not in last or now - last[name] >= OFTEN or done >= total:
            last[name] = now
            line = msgspec.json.encode({"progress": name, "done": done, "all": total})
            click.echo(line.decode(), err=True)

    return tell


class PoolBar:
    """A bar for runs that go on in parallel: the rounds of all of them together, runs done."""

    def __init__(self, console: Console, runs: int, rounds: int) -> None:
        self._progress = Progress(
            TextColumn("[bold]rounds"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[runs]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._runs, self._rounds = runs, rounds
        self._rounds_done = self._runs_done = 0
        self._task = self._progress.add_task("", total=rounds, runs="")

    def __enter__(self) -> PoolBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def watch(self, rounds: int, runs: int) -> None:
        """Add rounds and runs that are done."""
        self._rounds_done += rounds
        self._runs_done += runs
        whole = self._rounds * self._runs_done // max(self._runs, 1)
        done = min(max(self._rounds_done, whole), self._rounds)
        runs_done = f"{self._runs_done} of {self._runs} runs"
        self._progress.update(self._task, completed=done, runs=runs_done)


@contextmanager
def reading(folders: Sequence[Path]) -> Iterator[Callable[[int], None]]:
    """Show on standard error how far logs have been read; yield what to call each round."""
    from audience.runs import is_experiment, scenario_of

    rounds = 0
    for folder in folders:
        scenario = scenario_of(folder)
        runs = max(len(scenario.arms), 1) * scenario.seeds if is_experiment(folder) else 1
        rounds += runs * scenario.rounds
    columns = (TextColumn("[bold]reading rounds"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task("", total=rounds)
        yield lambda round_: progress.advance(task)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Stop at the next commit point on Ctrl-C, at once on a second one; yield the test for it."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        if len(asked) == 1:
            os.write(2, b"\nStopping at the next commit point; press again to stop at once.\n")
        elif len(asked) == 2:
            stop_at_once(number)
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def print_findings(findings: Findings, metrics: Sequence[str] = ()) -> None:
    """Print the table, what its intervals mean, and the answer."""
    table = summary_table(findings, metrics or summary_of(findings))
    if findings.differences:
        over = findings.differences[0].over
        note = f"Differences are paired; ± is their 95 % interval over {over}, * if clear (Holm)."
        table = msgspec.structs.replace(table, note=" ".join(filter(None, (table.note, note))))
    print_table(table)
    console = Console(highlight=False)
    console.print()
    console.print(findings.verdict, style="bold", markup=False, soft_wrap=True)
    for note in findings.notes:
        console.print(note, style="dim", markup=False, soft_wrap=True)


def summary_table(findings: Findings, metrics: Sequence[str] = SUMMARY) -> ResultTable:
    """Return an outcome as a table: metrics down, arms across, paired differences at the right.

    What all means are over is said once, below the table, instead of in every row.
    """
    lines = {line.metric: line for line in summary(findings)}
    chosen = [lines[metric] for metric in metrics if metric in lines]
    table = result_table(findings, chosen, brief=True)
    place = [column.head for column in table.columns].index(MEAN_OVER)
    values = {row[place] for row in table.rows}
    if len(values) != 1:
        return table
    over = str(values.pop())
    return msgspec.structs.replace(
        table,
        columns=table.columns[:place] + table.columns[place + 1 :],
        rows=tuple(row[:place] + row[place + 1 :] for row in table.rows),
        note="" if over == ONE_RUN else f"Means over {over}.",
    )
