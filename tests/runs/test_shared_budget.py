"""One budget over the runs of an experiment or a sweep, in one process or in several."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.errors import Interrupted
from audience.llm import Budget, Spent
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import (
    Attendant,
    PoolTask,
    conduct,
    conduct_sweep,
    pool_of,
    sweep_of,
    varied,
)
from audience.runs.jobs import run_task
from audience.runs.task import Purse, perform
from audience.scenario import Scenario, SpendingOptions, parse

Serving = Callable[..., AbstractContextManager[Fake]]
SHARED = "the budget that all runs share is spent"


def asking(fake: Fake, arms: str = "") -> Scenario:
    return parse(
        'agents = 12\nrounds = 2\nseeds = 2\n[mind]\nkind = "llm"\n'
        f'[llm]\nurl = "{fake.url}"\nmodel = "fake"\nprice = "free"\n{arms}'
    )


ARMS = '[arms.popular]\n[arms.random]\nrecommender = "random"\n'


@pytest.mark.parametrize("size", [1, 2])
def test_an_experiment_keeps_to_its_budget_and_goes_on(
    serving: Serving, tmp_path: Path, size: int
) -> None:
    with serving() as fake:
        straight = conduct(asking(fake, ARMS), tmp_path / "straight")
        needed = fake.requests
        limit = needed * 3 // 5
        own = SpendingOptions(max_calls=limit)
        shared = SHARED if size > 1 else "the budget is spent"
        with pool_of(size) as pool, pytest.raises(Interrupted) as stopped:
            conduct(asking(fake, ARMS), tmp_path / "part", pool=pool, spending=own)
        assert shared in str(stopped.value.__cause__)
        spent = fake.requests - needed
        assert 0.7 * limit <= spent <= limit
        with pool_of(size) as pool:
            rest = conduct(asking(fake, ARMS), tmp_path / "part", pool=pool)
        assert fake.requests == 2 * needed, "what was answered is not asked again"
    digests = [[done.measured.digest for done in each.finished] for each in (straight, rest)]
    assert digests[0] == digests[1]


@pytest.mark.parametrize("size", [1, 2])
def test_a_sweep_has_one_budget(serving: Serving, tmp_path: Path, size: int) -> None:
    with serving() as fake:
        plan = sweep_of(asking(fake), [varied("platform.page_size=3,4")])
        spending = SpendingOptions(max_calls=60)
        with pool_of(size) as pool, pytest.raises(Interrupted) as stopped:
            conduct_sweep(plan, tmp_path / "sweep", pool, spending=spending)
        assert SHARED in str(stopped.value.__cause__)
        assert 40 <= fake.requests <= 60
    for run in (tmp_path / "sweep").glob("*/*"):
        with Log.open(run) as log:
            assert log.state in ("stopped", "finished")


def test_a_finished_run_tells_what_it_spent(serving: Serving, tmp_path: Path) -> None:
    told: list[Spent] = []
    purse = Purse(lambda spent: Budget(calls=spent.calls + 10), told.append)
    with serving() as fake:
        options = SpendingOptions(max_calls=1_000)
        task = run_task("popular, seed 1", asking(fake), 1, tmp_path, "run", options)
        perform(task, tmp_path, Attendant(None, lambda: False, purse))
        assert [spent.calls for spent in told] == [fake.requests]
    assert told[0].tokens > 0


def lent(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Ask for a part of the budget, be killed if that is told, and use what was lent."""
    assert attendant.purse is not None
    part = attendant.purse.lend(Spent()).calls or 0
    if given["dies"] and not (root / "died").exists():
        (root / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    attendant.purse.settle(Spent(calls=given["uses"]))
    return str(part).encode()


def test_a_part_that_a_dead_process_had_counts_as_spent(tmp_path: Path) -> None:
    def task(name: str, *, dies: bool, uses: int, after: tuple[str, ...] = ()) -> PoolTask:
        given = {"dies": dies, "uses": uses}
        return PoolTask(name, f"{__name__}:lent", given, str(tmp_path), after=after)

    first = task("first", dies=True, uses=18)
    second = task("second", dies=False, uses=0, after=("first",))
    third = task("third", dies=False, uses=0, after=("second",))
    with pool_of(2) as pool:
        told = pool.work([first, second, third], lambda *_: None, lambda: False, Budget(calls=100))
        parts = {each.name: int(result) for each, result in told}
    assert parts["first"] == 18, "a quarter of the 75 calls that the dead one had left"
    assert parts["second"] == 14, "a quarter of 57"
    assert parts["third"] == 14, "what the second did not use is free again"
