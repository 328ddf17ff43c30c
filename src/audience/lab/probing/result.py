"""The result of a probe: rows with intervals, the table of a model, and its files."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.engine import run_sync
from audience.files import replace_all
from audience.lab.probing.questions import AT_ONCE, Asker, QuestionProgress
from audience.llm import Counts
from audience.results import (
    ANY,
    SHARE,
    Column,
    Interval,
    ResultTable,
    bootstrap,
    csv_text,
    json_text,
    mean_interval,
    percentile_interval,
    text_of,
    to_markdown,
)
from audience.scenario import Models, SpendingOptions, cost_of, door_of, name_of
from audience.world import Ints

Answer = tuple[int, float | None]
"""Whose answer it is, and its number; None if it could not be read."""


class ProbeRow(msgspec.Struct, frozen=True):
    """One row of a table. What is not known is None."""

    part: str
    what: str
    value: float | None
    low: float | None
    high: float | None
    count: int
    """Answers that the value is over."""
    unreadable: int = 0
    chance: float | None = None
    """What to expect without the effect: by guessing, or between strangers."""
    unit: str = "share"


def row(
    part: str,
    what: str,
    answers: Iterable[Answer],
    *,
    seed: int,
    chance: float | None = None,
    unread: float | None = None,
    unit: str = "share",
) -> ProbeRow:
    """Return the mean of answers with a 95 % interval over those who gave them.

    Unreadable answers are counted and left out, or scored as `unread` if that is given.
    """
    every = list(answers)
    lost = sum(value is None for _, value in every)
    known = [(whose, unread if value is None else value) for whose, value in every]
    kept = [(whose, value) for whose, value in known if value is not None]
    value, low, high = interval(kept, seed, is_share=unit == "share")
    return ProbeRow(part, what, value, low, high, len(kept), lost, chance, unit)


def interval(
    answers: Sequence[tuple[int, float]], seed: int, *, is_share: bool = True
) -> tuple[float | None, float | None, float | None]:
    """Return a mean with its bounds by a bootstrap over people.

    A share of none or all gets Wilson's bounds; if all samples are equal there are none.
    """
    # By number, not by who answered first, so that the bounds are reproducible.
    places = {whose: place for place, whose in enumerate(sorted({w for w, _ in answers}))}
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for whose, value in answers:
        sums[places[whose]] += value
        counts[places[whose]] += 1
    bounds = SHARE if is_share else ANY
    mean = mean_interval(sums, counts, seed=seed, names=("probe",), bounds=bounds)
    return known(mean)


def known(interval: Interval) -> tuple[float | None, float | None, float | None]:
    """Return mean, low and high; None for NaN, and for bounds that are equal."""
    mean, low, high = (None if math.isnan(value) else value for value in interval.three)
    # Samples that are all equal say nothing about the uncertainty.
    return (mean, None, None) if low == high else (mean, low, high)


def statistic_row(
    part: str, what: str, statistic: Callable[[Ints], float], units: int, *, seed: int, count: int
) -> ProbeRow:
    """Return the row of a statistic between 0 and 1 that is not a mean.

    `statistic` gets the indices of the `units` that were drawn.
    """
    samples = bootstrap(statistic, units, seed=seed, names=("probe",))
    value = statistic(np.arange(units))
    return ProbeRow(part, what, *known(percentile_interval(value, samples, bounds=SHARE)), count)


def difference(first: float | None, second: float | None) -> float | None:
    """Return the first less the second; None where either is not known."""
    return None if first is None or second is None else first - second


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known; None if nothing is."""
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else None


KEPT_AFTER = 10
"""Answers that a killed probe may lose at most."""


class ProbeTable(msgspec.Struct, frozen=True):
    """Rows of a table, and notes on reading them."""

    rows: tuple[ProbeRow, ...]
    notes: tuple[str, ...] = ()
    beside: str = "chance"
    """The head of the column that values are compared with."""


class Probed(msgspec.Struct, frozen=True):
    """The table of one model."""

    evaluation: str
    model: str
    dataset: str
    people: int
    seed: int
    rows: tuple[ProbeRow, ...]
    notes: tuple[str, ...]
    spent: Counts
    """What asking has cost now; reused answers cost nothing."""
    chosen: int
    """Choices between options that were asked for."""
    scored: int
    """Those that came with log-probabilities; the others were read from words."""
    cost: str = "–"
    in_all: str = "–"
    """What all calls stored in the folder have cost, earlier ones included."""
    beside: str = "chance"
    """The head of the column that values are compared with."""
    digits: int = 2

    @property
    def unreadable(self) -> int:
        return sum(row.unreadable for row in self.rows)


Work = Callable[[Asker], Awaitable[ProbeTable]]


def probe(
    evaluation: str,
    work: Work,
    *,
    dataset: str,
    people: int,
    models: Models,
    spending: SpendingOptions,
    out: Path,
    seed: int = 1,
    prompts: str = "",
    at_once: int = AT_ONCE,
    progress: QuestionProgress = lambda done, planned: None,
) -> Probed:
    """Return the table of a model; calls are stored in `out`, so that none is paid for twice."""
    out.mkdir(parents=True, exist_ok=True)
    door = door_of(models, spending, out)
    name = name_of(models)
    tables: list[Probed] = []

    def tell(done: int, planned: int) -> None:
        if done % KEPT_AFTER == 0:
            door.flush()
        progress(done, planned)

    async def ask() -> None:
        try:
            asker = Asker(
                door,
                model=name,
                prompts=prompts,
                seed=seed,
                at_once=at_once,
                where="" if name else models.address,
                progress=tell,
            )
            came = await work(asker)
            known_as = ", ".join(sorted(asker.answered_by)) or name or "unnamed"
            model = f"{known_as} (embedded)" if name == "embedded" else known_as
            figures = (came.rows, came.notes, door.meter.total(), asker.chosen, asker.scored)
            about = (evaluation, model, dataset, people, seed)
            tables.append(Probed(*about, *figures, cost=door.meter.cost(), beside=came.beside))
        finally:
            await door.close()

    run_sync(ask)
    return msgspec.structs.replace(tables[0], in_all=cost_of(out, models))


def plain(probed: Probed) -> dict[str, object]:
    """Return a table as plain values."""
    tree: dict[str, object] = msgspec.to_builtins(probed)
    spent = probed.spent
    tree["spent"] = {
        "calls": spent.calls,
        "reused": spent.reused,
        "failed": spent.failed,
        "prompt_tokens": spent.prompt,
        "completion_tokens": spent.completion,
        "cost": tree.pop("cost"),
        "in_all": tree.pop("in_all"),
    }
    return tree


def foot(probed: Probed) -> str:
    """Return the notes below a table."""
    spent = probed.spent
    lines = [
        f"model {probed.model}; {probed.people} people of {probed.dataset}, seed {probed.seed}; "
        "95 % intervals over people or items.",
        f"{spent.calls:,} calls ({spent.reused:,} more reused, {spent.failed:,} failed), "
        f"{spent.prompt:,} + {spent.completion:,} tokens, {probed.cost}; "
        f"all kept calls: {probed.in_all}; "
        f"{probed.scored:,} of {probed.chosen:,} choices by log-probability.",
        *probed.notes,
    ]
    return "\n".join(lines)


def table(probed: Probed) -> ResultTable:
    """Return the table of one model."""
    columns = (
        Column("part", is_text=True),
        Column("what", is_text=True),
        Column("value [95 %]"),
        Column(probed.beside, digits=probed.digits),
        Column("answers"),
        Column("unreadable"),
    )
    rows = tuple(
        (
            row.part,
            row.what,
            _value(row, probed.digits),
            "" if row.chance is None else row.chance,
            row.count,
            row.unreadable or "",
        )
        for row in probed.rows
    )
    return ResultTable(columns, rows, probed.model, foot(probed))


def _value(row: ProbeRow, digits: int) -> str:
    """Return a value with its interval; differences are signed."""
    mean, low, high = (
        math.nan if value is None else value for value in (row.value, row.low, row.high)
    )
    column = Column("", digits=digits, signed=row.unit == "difference")
    return text_of(Interval(mean, low, high), column)


def keep(probed: Probed, out: Path) -> list[Path]:
    """Write a table as JSON, Markdown and CSV; return the paths."""
    title = f"# {probed.evaluation}: {probed.model}"
    shown = "\n".join([title, "", to_markdown(table(probed), bare=True), foot(probed), ""])
    rows = (msgspec.structs.astuple(row) for row in probed.rows)
    contents = {
        out / f"{probed.evaluation}.json": json_text(plain(probed)),
        out / f"{probed.evaluation}.md": shown,
        out / f"{probed.evaluation}.csv": csv_text(ProbeRow.__struct_fields__, rows),
    }
    return replace_all({path: text.encode() for path, text in contents.items()})
