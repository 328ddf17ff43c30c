from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from audience.log import Log, world_at
from audience.metrics import Metrics, builtin, measure
from audience.metrics.memory import Remembering
from audience.testing import Diary, check_metric, simulate, tiny_genesis
from audience.testing.worlds import remembered
from audience.world import Chapter, Genesis, events as e

Tell = Callable[..., list[Chapter]]


@pytest.fixture
def counted(tmp_path: Path) -> tuple[Metrics, float]:
    """The metrics of a log with every event of a memory, and the thoughts per person in it."""
    with Log.open(remembered(tmp_path / "run")) as log:
        kept = sum(len(me.thoughts) for me in world_at(log, 5).agents)
        return measure(log.chapters(), log.genesis(), Metrics(builtin())), kept / 4


def test_counts(counted: tuple[Metrics, float]) -> None:
    value = counted[0].value()
    assert (value["remembered"], value["faded_at_once"]) == (6.0, 1.0)
    assert (value["enhanced"], value["settled"], value["merged"]) == (3.0, 1.0, 1.0)
    assert (value["reflected"], value["forgotten"]) == (2.0, 2.0)
    assert (value["recalled"], value["recall_cut"]) == (2.0, 1.0)


def test_thoughts_are_those_of_the_world(counted: tuple[Metrics, float]) -> None:
    assert counted[0].value()["thoughts"] == counted[1] > 0


def test_what_a_memory_could_not_use_is_no_failed_decision(
    counted: tuple[Metrics, float], tiny: Genesis, tell: Tell
) -> None:
    assert (counted[0].value()["memory_failed"], counted[0].value()["failed"]) == (1.0, 0.0)
    visit = (e.VISITS, 0, [e.Failed(0, "no answer")])
    value = measure(tell([visit]), tiny, Metrics(builtin())).value()
    assert (value["memory_failed"], value["failed"]) == (0.0, 1.0)


def test_a_round_alone(counted: tuple[Metrics, float]) -> None:
    rounds = counted[0].by_round()
    assert [one["remembered"] for one in rounds] == [2.0, 2.0, 1.0, 1.0, 0.0]
    assert [one["recalled"] == 2.0 for one in rounds] == [False, False, True, False, False]


def test_with_a_memory_that_lives() -> None:
    world, keeper = simulate(tiny_genesis(), memory=Diary())
    metrics = measure(keeper.ordered(), tiny_genesis(), Metrics([Remembering()]))
    kept = sum(len(me.thoughts) for me in world.agents) / 12
    assert metrics.value()["thoughts"] == kept == 2.0


def test_it_conforms() -> None:
    check_metric(Remembering)
