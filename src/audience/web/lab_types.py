"""The JSON replies about studies and evaluations."""

from __future__ import annotations

from typing import Literal

import msgspec

LabKind = Literal["study", "evaluation"]
JobState = Literal["waiting", "running", "finished", "failed", "cancelled"]


class LabOffer(msgspec.Struct, frozen=True):
    """A study or an evaluation that can be started here."""

    kind: LabKind
    name: str
    question: str
    needs: list[str]
    """What has to be there: `data`, `run`, `model`; empty if nothing."""
    takes: list[str]
    """The options that it has, such as `seeds`."""
    quick: str
    """How long a quick one takes, roughly; empty if there is none."""
    full: str
    arms: list[str]


class ArmRuns(msgspec.Struct, frozen=True):
    """How many runs of an arm have ended, and of how many."""

    arm: str
    done: int
    all: int


class LabJob(msgspec.Struct, frozen=True):
    """A study or an evaluation under way, or one that ended since the server began."""

    id: str
    kind: LabKind
    name: str
    question: str
    options: str
    """What it was started with, in words."""
    state: JobState
    done: int
    all: int
    """Steps, such as runs or answers; 0 if not known."""
    now: str
    """What is being done."""
    arms: list[ArmRuns]
    seconds: int
    error: str
    result: str
    """The id of what it has written; empty until there is something."""


class LabRow(msgspec.Struct, frozen=True):
    """A study or an evaluation in the folder, also one of a terminal."""

    id: str
    kind: LabKind
    name: str
    title: str
    state: str
    """`finished`, `running` or `unfinished`."""
    done: int
    all: int
    arms: list[str]
    seeds: int
    verdict: str
    changed: int


class LabReply(msgspec.Struct, frozen=True):
    """All that the Lab shows: what can be started, what goes on, what was found."""

    offers: list[LabOffer]
    jobs: list[LabJob]
    results: list[LabRow]
    refused: str
    """Why evaluations cannot be started here; empty if they can."""


class LabFigure(msgspec.Struct, frozen=True):
    """A figure by the name under which it is fetched."""

    file: str
    title: str


class LabResult(LabRow, frozen=True):
    """What a study or an evaluation found."""

    method: list[str]
    notes: list[str]
    text: str
    """Its tables and remarks in Markdown."""
    figures: list[LabFigure]
    has_report: bool
    command: str
    """How to go on with it in a terminal, if it is not finished."""
