"""Comparing finished runs: paired differences, where they part, conditions for a gate."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import msgspec

from audience.errors import BadInput, unknown
from audience.experiments import runs as one_run
from audience.experiments.experiment import findings, gathered, is_experiment, scenario_of
from audience.experiments.findings import Arm, Difference, Findings
from audience.log import Log
from audience.metrics import LABELS
from audience.world.events import PHASES

_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*([+-]?\d+(?:\.\d+)?)\s*(%?)\s*")


def compared(folders: Sequence[Path]) -> Findings:
    """Return every run against the first; or the arms of one experiment."""
    if len(folders) == 1:
        if is_experiment(folders[0]):
            return gathered(folders[0])
        raise BadInput("give two runs or more to compare, or one experiment")
    digests = {}
    for folder in folders:
        with Log.open(folder) as log:
            digests[folder] = log.genesis().digest
    for folder, digest in digests.items():
        if digest != digests[folders[0]]:
            raise BadInput(
                f"{folder} and {folders[0]} begin with different people or items; "
                "compare arms of one experiment, or branches of one run"
            )
    names = _names(folders)
    arms = tuple(
        Arm(name, (one_run.measured(folder),)) for name, folder in zip(names, folders, strict=True)
    )
    return findings(scenario_of(folders[0]), arms)


def _names(folders: Sequence[Path]) -> list[str]:
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]


def first_difference(folders: Sequence[Path]) -> str | None:
    """Return where two logs part, in words; None when they are equal."""
    with Log.open(folders[0]) as one, Log.open(folders[1]) as two:
        for mine, theirs in zip_longest(one.chapters(), two.chapters()):
            if mine == theirs:
                continue
            chapter = mine or theirs
            assert chapter is not None
            who = f" of person {chapter.agent}" if chapter.agent >= 0 else ""
            place = f"round {chapter.round}, {PHASES[chapter.phase]}{who}"
            if mine is None or theirs is None:
                return f"{place}: only {folders[0] if theirs is None else folders[1]} has it"
            for first, second in zip_longest(mine.entries, theirs.entries):
                if first != second:
                    events = [one.event if one else "nothing" for one in (first, second)]
                    return f"{place}: {events[0]} against {events[1]}"
            return place
    return None


class Condition(msgspec.Struct, frozen=True):
    """Such as `satisfaction < -2%`: on how another run differs from the first."""

    text: str
    metric: str
    sign: str
    bound: float
    relative: bool

    def holds(self, differences: Sequence[Difference]) -> bool:
        """Say whether any compared run differs so."""
        for one in differences:
            value = one.percent if self.relative else one.difference
            if one.metric == self.metric and not math.isnan(value) and self._is(value):
                return True
        return False

    def _is(self, value: float) -> bool:
        match self.sign:
            case "<":
                return value < self.bound
            case "<=":
                return value <= self.bound
            case ">":
                return value > self.bound
        return value >= self.bound


def condition(text: str) -> Condition:
    """Return the condition that a text such as `satisfaction < -2%` states."""
    found = _CONDITION.fullmatch(text)
    if not found:
        raise BadInput(f'--fail-if {text!r} is not METRIC < NUMBER, as in "satisfaction < -2%"')
    metric, sign, bound, percent = found.groups()
    if metric not in LABELS:
        raise BadInput(f"--fail-if: {unknown('metric', metric, LABELS)}")
    return Condition(text.strip(), metric, sign, float(bound), bool(percent))


def parting(found: Findings, failed: Sequence[str], parted: str | None) -> dict[str, object]:
    """Return a comparison as plain values; what is not a number becomes None."""
    rows = [
        {key: _plain(value) for key, value in msgspec.to_builtins(one).items()}
        | {"percent": _plain(one.percent)}
        for one in found.differences
    ]
    return {
        "verdict": found.verdict,
        "failed": list(failed),
        "first_difference": parted,
        "differences": rows,
    }


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
