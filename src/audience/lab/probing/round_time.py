"""Efficiency: how long a round takes, by people, concurrent calls and endpoints (or keys)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from audience.errors import BadInput, Interrupted
from audience.llm import BudgetSpent, Counts, Endpoint
from audience.results import (
    POSITIVE,
    Column,
    ResultTable,
    colour,
    json_text,
    panels,
    styled_figure,
    t_interval,
    to_csv,
    to_markdown,
    write_result,
)
from audience.runs import Finished, start
from audience.scenario import Scenario, SpendingOptions, from_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WARM = 5
"""People of the round before the first one that counts: a server loads and compiles then."""
NAME = "efficiency"


class EfficiencyGrid(msgspec.Struct, frozen=True):
    """What is combined: numbers of people, concurrent calls and endpoints."""

    people: tuple[int, ...]
    calls: tuple[int, ...]
    """Concurrent calls per endpoint; 0: as many as raise throughput."""
    endpoints: tuple[int, ...]
    rounds: int = 1
    seeds: int = 1


class Timed(NamedTuple):
    """Rounds of one combination, timed once for each seed."""

    people: int
    calls: int
    endpoints: int
    seconds: tuple[float, ...]
    """Of a round, one for each seed."""
    spent: Counts
    """Over all rounds and seeds."""

    @property
    def whole(self) -> float:
        """Seconds that a round takes, as the mean over seeds."""
        return sum(self.seconds) / len(self.seconds)


def endpoints_by_key(
    urls: Sequence[str], keys: Sequence[str], model: str, price: str = ""
) -> tuple[Endpoint, ...]:
    """Return endpoints: one for each address, or one address once for each key."""
    if len(urls) > 1 and len(keys) > 1 and len(urls) != len(keys):
        raise BadInput(
            f"--llm names {len(urls)} endpoints and --key-env {len(keys)} keys; give one key, or "
            "as many as endpoints"
        )
    count = max(len(urls), len(keys))
    every = zip(
        urls if len(urls) > 1 else [*urls] * count,
        keys if len(keys) > 1 else [*(keys or [""])] * count,
        strict=True,
    )
    return tuple(Endpoint(url=url, key_env=key, model=model, price=price) for url, key in every)


def efficiency(
    grid: EfficiencyGrid,
    endpoints: Sequence[Endpoint],
    *,
    dataset: object = "films",
    spending: SpendingOptions,
    progress: Callable[[str], None] = lambda what: None,
) -> list[Timed]:
    """Return how long rounds of language-model people take; no answer is ever reused."""
    for number in grid.endpoints:
        if not 1 <= number <= len(endpoints):
            raise BadInput(f"--endpoints {number}: there are {len(endpoints)}; repeat --llm")
    left = [msgspec.structs.replace(spending, calls="fresh")]

    def run(people: int, calls: int, count: int, seed: int, rounds: int) -> Finished:
        tree = _tree(people, calls, endpoints[:count], rounds, dataset)
        with tempfile.TemporaryDirectory(prefix="audience-") as folder:
            try:
                finished = start(tree, seed, Path(folder) / "run", spending=left[0])
            except Interrupted as stopped:
                raise _halted(stopped) from None
        left[0] = left[0].after(finished.spent)
        return finished

    progress("a first round that does not count")
    run(min(*grid.people, WARM), max(grid.calls), max(grid.endpoints), 1, 1)
    timed = []
    for count, people, calls in product(grid.endpoints, grid.people, grid.calls):
        progress(f"{people:,} people, {calls or 'any'} calls in flight, {_of(count)}")
        runs = [run(people, calls, count, seed, grid.rounds) for seed in range(1, grid.seeds + 1)]
        spent = runs[0].spent
        for each in runs[1:]:
            spent = spent.plus(each.spent)
        seconds = tuple(each.seconds / grid.rounds for each in runs)
        timed.append(Timed(people, calls, count, seconds, spent))
    return timed


def _halted(stopped: Interrupted) -> Interrupted:
    """Return why rounds could not be timed; there is no run to resume."""
    if isinstance(stopped.__cause__, BudgetSpent):
        return Interrupted(
            "the budget is spent before every combination was timed; give a larger one, or fewer "
            "combinations"
        )
    return Interrupted(str(stopped.__cause__ or "stopped before every combination was timed"))


def _of(count: int) -> str:
    return f"{count} endpoint{'s' if count > 1 else ''}"


def _tree(
    people: int, calls: int, endpoints: Sequence[Endpoint], rounds: int, dataset: object
) -> Scenario:
    tree = {
        "agents": people,
        "rounds": rounds,
        "mind": "llm",
        "recommender": "popular",
        "dataset": dataset,
        "llm": {"endpoints": msgspec.to_builtins(list(endpoints)), "concurrency": calls},
        "activation": {"method": "random", "share": 1.0, "loyalty": 0.0},
    }
    return from_tree(tree, "eval efficiency")


def efficiency_table(timed: Sequence[Timed], grid: EfficiencyGrid, model: str) -> ResultTable:
    """Return a row for each combination."""
    counted = "seeds" if grid.seeds > 1 else ""
    columns = (
        Column("people"),
        Column("calls in flight"),
        Column("endpoints"),
        Column("s a round", over=counted, half=True, bounds=POSITIVE),
        Column("calls/s", digits=1),
        Column("in flight, mean", digits=1),
        Column("calls a person", digits=2),
        Column("prompt tokens a person", digits=0),
        Column("reply tokens a person", digits=0),
        Column("failed"),
    )
    rows = tuple(
        (
            each.people,
            each.calls or "any",
            each.endpoints,
            t_interval(np.array(each.seconds), bounds=POSITIVE),
            each.spent.calls / _elapsed(each, grid),
            each.spent.seconds / _elapsed(each, grid),
            each.spent.calls / _visits(each, grid),
            each.spent.prompt / _visits(each, grid),
            each.spent.completion / _visits(each, grid),
            each.spent.failed,
        )
        for each in timed
    )
    note = (
        f"model {model or 'unnamed'}; {grid.rounds} round{'s' if grid.rounds > 1 else ''} with "
        "everybody awake, popular items, no memory; a person: per person and round. Calls in "
        "flight are those allowed per endpoint; in flight, mean: the time of all calls over the "
        "time of the rounds. Answers are never reused."
    )
    return ResultTable(columns, rows, "efficiency", note)


def _elapsed(timed: Timed, grid: EfficiencyGrid) -> float:
    return max(sum(timed.seconds) * grid.rounds, 1e-9)


def _visits(timed: Timed, grid: EfficiencyGrid) -> int:
    return timed.people * grid.rounds * grid.seeds


@styled_figure
def efficiency_figure(timed: Sequence[Timed]) -> Figure:
    """Return seconds a round against people, concurrent calls and endpoints, as far as varied."""
    points = [(_axes_of(each), each.whole) for each in timed]
    sides = [at for at in range(3) if len({key[at] for key, _ in points}) > 1] or [0]
    figure, grid = panels(len(sides), 3, (0.4, 3.0), (0.4, 2.8), sharey=True)
    for axes, at in zip(grid, sides, strict=True):
        other = 0 if at == 1 else 1
        fixed = 3 - at - other
        # One endpoint and the most people are the usual case.
        usual = (max if fixed == 0 else min)(key[fixed] for key, _ in points)
        shown = [point for point in points if point[0][fixed] == usual]
        # No number stands for as many calls as raise throughput.
        _lines(axes, [point for point in shown if at != 1 or point[0][at]], at, other)
        axes.set_xlabel(("people", "calls in flight", "endpoints")[at])
    grid[0].set_ylabel("seconds a round")
    return figure


def _axes_of(timed: Timed) -> tuple[int, int, int]:
    return timed.people, timed.calls, timed.endpoints


def _lines(
    axes: Axes, points: Sequence[tuple[tuple[int, int, int], float]], at: int, other: int
) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    for place, value in enumerate(sorted({key[other] for key, _ in points})):
        line = sorted((key[at], seconds) for key, seconds in points if key[other] == value)
        name = f"{value:,} people" if other == 0 else f"calls: {value or 'any'}"
        axes.plot(*zip(*line, strict=True), "o-", color=colour(place), markersize=4, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    values = sorted({key[at] for key, _ in points})
    axes.set_xticks(values, [f"{value:,}" for value in values])
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.3g}"))
    for side in (axes.xaxis, axes.yaxis):
        side.set_minor_locator(NullLocator())
    axes.legend(fontsize=7)


def efficiency_values(
    timed: Sequence[Timed], grid: EfficiencyGrid, model: str
) -> dict[str, object]:
    """Return the table as plain values."""
    rows = [
        {
            "people": each.people,
            "calls": each.calls,
            "endpoints": each.endpoints,
            "seconds": list(each.seconds),
            "spent": msgspec.to_builtins(each.spent),
        }
        for each in timed
    ]
    return {"evaluation": NAME, "model": model, **msgspec.to_builtins(grid), "rows": rows}


def write_efficiency(
    timed: Sequence[Timed], grid: EfficiencyGrid, model: str, folder: Path
) -> list[Path]:
    """Write the table as JSON, Markdown and CSV with its figure; return the paths."""
    table = efficiency_table(timed, grid, model)
    texts = {
        f"{NAME}.json": json_text(efficiency_values(timed, grid, model)),
        f"{NAME}.md": to_markdown(table),
        f"{NAME}.csv": to_csv(table),
    }
    return write_result(folder, texts, efficiency_figure(timed), NAME)
