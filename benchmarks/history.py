"""Results that are kept: one file a run, what got slower since, and a figure over all of them."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from audience.results import colour, key, panels, short, styled_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent / "results"
SLOWER = 0.10
"""How much more of a machine's time something may take before it is told."""


class Machine(msgspec.Struct, frozen=True):
    """The kind of machine, which says nothing about whose it is."""

    cpu: str
    cores: int
    python: str
    system: str

    @property
    def name(self) -> str:
        return f"{self.cpu}, {self.cores} cores, Python {self.python}"


class KeptFigure(msgspec.Struct, frozen=True):
    """One number of a benchmark, once for each repetition."""

    name: str
    unit: str
    """Units of speed are `s` and `ms`, and those that end in `/s`."""
    values: tuple[float, ...]
    calibrations: tuple[float, ...]
    """Seconds of the calibration loop around each repetition."""

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    @property
    def ratio(self) -> float:
        """The median in the machine's own time; less is better.

        A time is divided by that of the calibration loop, a rate and that time are multiplied and
        inverted. A share is inverted; a size is itself.
        """
        return statistics.median(map(self._ratio, self.values, self.calibrations))

    @property
    def plain_ratio(self) -> float:
        """The same by the clock, as if all machines were equally fast at all times."""
        return self._ratio(self.value, 1.0)

    def _ratio(self, value: float, calibration: float) -> float:
        if self.unit.endswith("/s"):
            return 1.0 / (value * calibration)
        if self.unit in ("s", "ms"):
            return value / calibration
        return 1.0 / value if self.unit in ("share", "times") else value


class KeptResult(msgspec.Struct, frozen=True):
    """What one run of the benchmarks found, on a kind of machine, of a commit."""

    date: str
    commit: str
    is_clean: bool
    """Whether the code was as committed."""
    machine: Machine
    figures: tuple[KeptFigure, ...]

    def find(self, name: str) -> KeptFigure | None:
        return next((figure for figure in self.figures if figure.name == name), None)


class Change(NamedTuple):
    """A figure beside the latest kept one of the same kind of machine."""

    before: KeptFigure
    now: KeptFigure
    commit: str
    """Of the former one."""

    @property
    def more(self) -> float:
        """How much more of the machine's time it takes, as a share; below 0 if it takes less."""
        return self.now.ratio / self.before.ratio - 1.0

    @property
    def takes_longer(self) -> bool:
        """Whether it is worse by the clock too.

        The calibration loop does not gain from a faster machine just what a program gains, so a
        machine twice as fast as before makes everything look slower.
        """
        return self.now.plain_ratio > self.before.plain_ratio


def this_machine() -> Machine:
    version = ".".join(platform.python_version_tuple()[:2])
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{platform.system()} {platform.machine()}"
    return Machine(_processor(), cores or 1, version, system)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return (names or [platform.processor() or platform.machine()])[0]


def new_result(figures: Sequence[KeptFigure]) -> KeptResult:
    """Return the result of this moment, commit and machine."""
    date = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())
    changed = _git("status", "--porcelain", "--", ".", ":!benchmarks/results")
    commit = _git("rev-parse", "--short=10", "HEAD") or "unknown"
    return KeptResult(date, commit, not changed, this_machine(), tuple(figures))


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=FOLDER.parents[1], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def keep(result: KeptResult, folder: Path = FOLDER) -> Path:
    """Write a result into a file of its own, with its medians, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.date}-{result.commit}.json"
    tree = msgspec.to_builtins(result)
    for told, figure in zip(tree["figures"], result.figures, strict=True):
        told |= {"value": figure.value, "ratio": figure.ratio}
    text = msgspec.json.format(msgspec.json.encode(tree), indent=2)
    path.write_bytes(text + b"\n")
    return path


def kept_results(folder: Path = FOLDER) -> list[KeptResult]:
    """Return all results of a folder, oldest first."""
    read = (
        msgspec.json.decode(path.read_bytes(), type=KeptResult) for path in folder.glob("*.json")
    )
    return sorted(read, key=lambda result: result.date)


def changes(result: KeptResult, history: Sequence[KeptResult]) -> list[Change]:
    """Return each figure beside the latest one that was kept of the same kind of machine."""
    earlier = [
        kept for kept in history if kept.date < result.date and kept.machine == result.machine
    ]
    found = []
    for now in result.figures:
        for kept in reversed(earlier):
            before = kept.find(now.name)
            if before is not None and before.unit == now.unit:
                found.append(Change(before, now, kept.commit))
                break
    return found


def slower(found: Sequence[Change]) -> list[Change]:
    """Return what takes more of the machine's time than may be noise, worst first."""
    worse = (change for change in found if change.more > SLOWER and change.takes_longer)
    return sorted(worse, key=lambda change: -change.more)


@styled_figure
def history_figure(history: Sequence[KeptResult]) -> Figure:
    """Return a panel for each figure: its ratio over commits, as percent of the first.

    Less is better; machines of different kinds have lines of their own.
    """
    names = list(dict.fromkeys(each.name for result in history for each in result.figures))
    machines = list(dict.fromkeys(result.machine for result in history))
    figure, axes = panels(len(names), 3, (0.4, 3.0), (0.8, 1.8))
    for panel, name in zip(axes, names, strict=True):
        unit = ""
        for place, machine in enumerate(machines):
            points = [
                (at, each)
                for at, result in enumerate(history)
                if result.machine == machine and (each := result.find(name)) is not None
            ]
            if points:
                unit, first = points[0][1].unit, points[0][1].ratio
                ratios = [100.0 * each.ratio / first for _, each in points]
                panel.plot(
                    [at for at, _ in points], ratios, "o-", color=colour(place), markersize=3
                )
        panel.set_title(f"{name} ({unit})", fontsize=9)
        panel.set_ylim(bottom=0.0)
        panel.set_xlim(-0.5, len(history) - 0.5)
        commits = [result.commit[:7] for result in history]
        panel.set_xticks(range(len(history)), commits, rotation=90, fontsize=6)
    axes[0].set_ylabel("ratio, first = 100")
    key(figure, [(short(machine.name, 60), place) for place, machine in enumerate(machines)])
    return figure
