"""The JSON replies about runs as a whole: their lines, their scenarios, and what was deleted."""

from __future__ import annotations

from typing import Any

import msgspec

from audience.web.reply_types import (
    ControlState,
    CostForecast,
    PanelReply,
    RunState,
    ScenarioProblem,
)


class RunRow(msgspec.Struct, frozen=True):
    """A run's line in the list."""

    id: str
    title: str
    state: RunState
    round: int
    rounds: int
    agents: int
    seed: int
    cost: float | None
    calls: int
    mind: str
    memory: str
    recommender: str
    dataset: str
    started_here: bool
    parent: str | None
    branch_at: int | None
    n: int
    """Arrival number of the last chapter."""
    group: str
    """The id of the experiment or study that it is a run of; empty if of none."""
    changed: int
    """When its files last changed, in seconds since 1970."""
    satisfaction: float | None
    """Mean satisfaction with which people left, 0 to 1; None if not known, or not yet."""
    failures: int | None
    """Decisions and pages that failed; None while they are counted."""
    failed_calls: int
    error: str
    """Why it failed or had to stop, and what to do."""


class UnreadableRun(msgspec.Struct, frozen=True):
    """The line of a run that cannot be read."""

    id: str
    title: str
    state: RunState
    error: str
    group: str = ""
    changed: int = 0


class RunDetail(RunRow, frozen=True):
    """All that a page needs when it opens a run."""

    control: ControlState
    panel: PanelReply
    scenario: dict[str, Any]


class ScenarioKey(msgspec.Struct, frozen=True):
    """A key with its value in two scenarios; None: it is not there."""

    key: str
    a: str | None
    b: str | None


class ScenarioCheck(msgspec.Struct, frozen=True):
    """Whether a scenario can be run."""

    ok: bool
    problems: list[ScenarioProblem]
    estimate: CostForecast | None
    toml: str | None
    differences: list[ScenarioKey] | None = None
    """What differs from the run that it is like, where one is named."""


class ScenarioForm(msgspec.Struct, frozen=True):
    """A scenario in the fields of the form for new runs."""

    title: str
    agents: int
    rounds: int
    seed: int
    seeds: int
    dataset: str
    recommenders: list[str]
    """The recommender, or that of each arm, the reference first."""
    mind: str
    memory: str
    llm: str
    model: str


class RunScenario(msgspec.Struct, frozen=True):
    """What a run or an experiment was: its scenario as text and as a form."""

    id: str
    title: str
    toml: str
    form: ScenarioForm
    is_plain: bool
    """Whether the arms, if there are any, differ by their recommender alone."""


class ScenarioPair(msgspec.Struct, frozen=True):
    """Every key of the scenarios of two runs, with its value in each."""

    keys: list[ScenarioKey]


class DeletedRow(msgspec.Struct, frozen=True):
    """Something in the trash."""

    key: str
    id: str
    """What it was called, and will be again."""
    title: str
    runs: int
    deleted: int
    """When, in seconds since 1970."""


class EmptiedTrash(msgspec.Struct, frozen=True):
    """How many things were removed for good."""

    removed: int
