"""Labels: the scores that people gave in the page, as means with intervals, and their agreement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.lab.judging.tables import Agreed, agreement
from audience.results import Interval, csv_text, t_interval
from audience.runs import RunNote, notes_in

KINDS = ("decision", "talk", "person")
_SCALE = (1.0, 5.0)


class Label(msgspec.Struct, frozen=True):
    """A score that somebody gave to a decision, talk or person of a run."""

    run: str
    kind: str
    thing: str
    """What was scored: its place in the run's log, such as `decision.12.0`."""
    agent: int
    author: str
    score: int
    note: str
    words: str


class LabelMean(msgspec.Struct, frozen=True):
    """The mean score of one kind of thing of a run."""

    run: str
    kind: str
    mean: Interval
    """Over things, each the mean over those who scored it, with a 95 % t interval."""
    things: int
    scores: int
    authors: int


class LabelTables(msgspec.Struct, frozen=True):
    """All scores, their means, and how far people agree on what two or more of them scored."""

    labels: list[Label]
    means: list[LabelMean]
    agreed: list[Agreed]


def labels_of(runs: Sequence[Path]) -> LabelTables:
    """Return the scores kept beside some runs; raise if there are none."""
    labels = [_label(run.name, note) for run in runs for note in notes_in(run) if note.score]
    if not labels:
        listed = ", ".join(str(run) for run in runs)
        raise BadInput(f"{listed}: nobody scored anything; open a run in the page, under Notes")
    names = dict.fromkeys(label.run for label in labels)
    groups = [(name, kind) for name in names for kind in KINDS]
    means = [
        _mean(name, kind, mine)
        for name, kind in groups
        if (mine := [one for one in labels if (one.run, one.kind) == (name, kind)])
    ]
    return LabelTables(labels, means, [_agreed(kind, labels) for kind in KINDS])


def _label(run: str, note: RunNote) -> Label:
    what = note.subject
    score = note.score or 0
    place = (run, what.kind, what.about, what.agent)
    return Label(*place, note.author, score, note.text, note.words)


def _by_thing(labels: Sequence[Label]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the score of each author, by run and thing."""
    things: dict[tuple[str, str], dict[str, float]] = {}
    for label in labels:
        things.setdefault((label.run, label.thing), {})[label.author.casefold()] = label.score
    return things


def _mean(run: str, kind: str, labels: Sequence[Label]) -> LabelMean:
    things = _by_thing(labels)
    means = np.array([np.mean(list(scores.values())) for scores in things.values()], np.float64)
    authors = {label.author.casefold() for label in labels}
    interval = t_interval(means, _SCALE)
    return LabelMean(run, kind, interval, len(things), len(labels), len(authors))


def _agreed(kind: str, labels: Sequence[Label]) -> Agreed:
    mine = _by_thing([label for label in labels if label.kind == kind])
    return Agreed(kind, agreement(list(mine.values()), ordered=True))


def labels_csv(found: LabelTables) -> str:
    """Return all scores as CSV, a line each."""
    heads = [field.name for field in msgspec.structs.fields(Label)]
    rows = ([str(value) for value in msgspec.structs.astuple(label)] for label in found.labels)
    return csv_text(heads, rows)
