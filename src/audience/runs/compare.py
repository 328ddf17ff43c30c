"""Comparison of finished runs: paired differences, and the first difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import msgspec

from audience.errors import BadInput, shell_command
from audience.log import Log
from audience.results import Arm, Findings, judged
from audience.runs.experiment import findings, gathered, is_experiment, scenario_of
from audience.runs.gate import Ruling, failed_in, plain_rulings
from audience.runs.marks import marks_of
from audience.runs.measures import Seen, measured
from audience.runs.narrative import Teller, printable
from audience.world import PHASES, Entry


def compared(folders: Sequence[Path], seen: Seen | None = None) -> Findings:
    """Return every run against the first; or the arms of one experiment."""
    if len(folders) == 1:
        if is_experiment(folders[0]):
            return gathered(folders[0], seen)
        raise BadInput(
            f"{folders[0]} is one run; give two or more to compare, or the folder of an experiment"
        )
    _check_comparable(folders)
    names = _names(folders)
    arms = tuple(
        Arm(name, (measured(folder, seen),)) for name, folder in zip(names, folders, strict=True)
    )
    marks = marks_of(dict(zip(names, map(scenario_of, folders), strict=True)))
    return findings(scenario_of(folders[0]), arms, marks)


def _check_comparable(folders: Sequence[Path]) -> None:
    first, found = folders[0], dict[Path, tuple[str, int]]()
    for folder in folders:
        if is_experiment(folder):
            raise BadInput(
                f"{folder} is an experiment; compare it alone, or name runs in it: "
                f"{folder}/ARM/seed-N"
            )
        with Log.open(folder) as log:
            found[folder] = log.genesis().digest, log.complete_rounds()
    for folder, (genesis, rounds) in found.items():
        if genesis != found[first][0]:
            raise BadInput(
                f"{folder} and {first} begin with different people or items; "
                "compare arms of one experiment, or branches of one run"
            )
        if rounds != found[first][1]:
            short, long = sorted((folder, first), key=lambda place: found[place][1])
            raise BadInput(
                f"{short} has {found[short][1]} complete rounds and {long} {found[long][1]}; "
                f"continue with: {shell_command('resume', short, '--rounds', found[long][1])}"
            )


def _names(folders: Sequence[Path]) -> list[str]:
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]


def first_difference(folders: Sequence[Path]) -> str | None:
    """Return the first difference between two logs in words; None if they are equal."""
    with Log.open(folders[0]) as one, Log.open(folders[1]) as two:
        tellers = Teller(one.genesis()), Teller(two.genesis())
        for mine, theirs in zip_longest(one.chapters(), two.chapters()):
            chapter = mine or theirs
            assert chapter is not None
            for teller, told in zip(tellers, (mine, theirs), strict=True):
                for entry in told.entries if told else ():
                    teller.learn(entry.event)
            if mine == theirs:
                continue
            who = f" of person {chapter.agent}" if chapter.agent >= 0 else ""
            place = f"round {chapter.round}, {PHASES[chapter.phase]}{who}"
            if mine is None or theirs is None:
                return f"{place}: only {folders[0] if theirs is None else folders[1]} has it"
            for first, second in zip_longest(mine.entries, theirs.entries):
                if first != second:
                    return f"{place}: {_against(tellers, (first, second))}"
            return place
    return None


def _against(tellers: Sequence[Teller], entries: Sequence[Entry | None]) -> str:
    """Return two entries side by side, in the words of the story if those differ."""
    lines = [
        (printable(teller.line(one.event)).strip() or str(one.event)) if one else "nothing"
        for teller, one in zip(tellers, entries, strict=True)
    ]
    if lines[0] == lines[1]:
        lines = [str(entry.event if entry else None) for entry in entries]
    return f"{lines[0]} against {lines[1]}"


def plain_comparison(
    findings: Findings, rulings: Sequence[Ruling], first: str | None
) -> dict[str, object]:
    """Return a comparison as plain values; NaN becomes None."""
    judgements = judged(findings)
    rows = [
        {key: _plain(value) for key, value in msgspec.to_builtins(difference).items()}
        | {
            "percent": _plain(difference.percent),
            "judgement": judgements[difference.other, difference.metric],
        }
        for difference in findings.differences
    ]
    return {
        "verdict": findings.verdict,
        "marks": findings.marks,
        "notes": list(findings.notes),
        "failed": list(failed_in(rulings)),
        "gate": plain_rulings(rulings),
        "first_difference": first,
        "differences": rows,
    }


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
