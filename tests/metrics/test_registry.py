from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.metrics import Metric, Metrics, PerAgent, PerRound, builtin, measure, suite
from audience.world import (
    AddItem,
    AddPerson,
    Chapter,
    Genesis,
    Item,
    Profile,
    Record,
    View,
    World,
    events as e,
    fold_agent,
)


class Places:
    """Writes down where the records stood."""

    watches = (e.Picked, e.Woke)

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, int, int]] = []

    def update(self, record: Record, world: View) -> None:
        del world
        self.seen.append((record.round, record.phase, record.rank, record.step))

    def value(self) -> dict[str, float]:
        return {"places": float(len(self.seen))}


def _live(log: list[Chapter], genesis: Genesis) -> Metrics:
    """Fold as a running engine does: whole visits absorbed, numbers looked at all the time."""
    world, metrics = World(genesis), Metrics(builtin())
    for chapter in log:
        if chapter.phase == e.VISITS:
            me = world.agents[chapter.agent]
            for entry in chapter.entries:
                me = fold_agent(me, entry.event, world.laws)
            world.absorb(me, chapter.entries)
        else:
            for entry in chapter.entries:
                world.apply(entry.event)
        metrics.update_chapter(chapter, world)
        if chapter.rank % 7 == 3:
            metrics.value()
            metrics.per_agent()
    return metrics


def test_live_and_afterwards_are_the_same_numbers(town: Genesis, long_log: list[Chapter]) -> None:
    live, afterwards = _live(long_log, town), measure(long_log, town, Metrics(builtin()))
    assert repr(live.value()) == repr(afterwards.value())
    assert repr(live.by_round()) == repr(afterwards.by_round())
    first, second = live.per_agent(), afterwards.per_agent()
    assert first.keys() == second.keys()
    for name, numbers in first.items():
        np.testing.assert_array_equal(numbers, second[name])
    assert all(math.isfinite(number) for number in live.value().values())


def test_counts_of_rounds_sum_to_those_of_the_run(town: Genesis, long_log: list[Chapter]) -> None:
    metrics = measure(long_log, town, Metrics(builtin()))
    rounds, value = metrics.by_round(), metrics.value()
    assert [row["round"] for row in rounds] == list(range(1, 13))
    for name in ("visits", "pages", "picks", "shown", "ratings", "posts"):
        assert sum(row[name] for row in rounds) == value[name] > 0
    for name in ("visits", "pages", "picks"):
        assert metrics.per_agent()[name].sum() == value[name]


def test_the_order_of_the_log_is_kept(town: Genesis, long_log: list[Chapter]) -> None:
    places = Places()
    measure(long_log, town, Metrics([places]))
    assert len(places.seen) > 100
    assert places.seen == sorted(places.seen)
    assert {step for _, _, _, step in places.seen} > {0, 2}


def test_a_metric_without_rounds_gives_what_it_has_at_each_end(
    tiny: Genesis, two_rounds: list[Chapter]
) -> None:
    rounds = measure(two_rounds, tiny, Metrics([Places()])).by_round()
    assert rounds == [{"round": 1.0, "places": 5.0}, {"round": 2.0, "places": 7.0}]


def test_an_empty_log_has_zero_counts_and_undefined_rates(tiny: Genesis) -> None:
    for log in ([], [Chapter(1, e.CLOSING, 0, -1, (e.Entry(e.RoundEnded(1)),))]):
        metrics = measure(log, tiny, Metrics(builtin()))
        value = metrics.value()
        assert value["picks"] == value["watch_hours"] == value["chats"] == 0.0
        assert math.isnan(value["click_rate"])
        assert math.isnan(value["entropy_exposure"])
        assert math.isnan(value["gini"])
        assert all(np.isnan(row).all() or not row.any() for row in metrics.per_agent().values())


def test_people_and_items_added_on_the_way(tiny: Genesis) -> None:
    added = (
        e.Entry(e.RunStarted(1, "", 0.1)),
        e.Entry(e.RoundStarted(1, 60)),
        e.Entry(e.Intervened(AddPerson(Profile(3, interests=("war",))))),
        e.Entry(e.Intervened(AddItem(Item(4, "E", tags=("war",), minutes=30.0)))),
    )
    visit = (
        e.Entry(e.Woke(3, 61)),
        e.Entry(e.SlateShown(3, (4, 0), 0)),
        e.Entry(e.Picked(3, 4, 0)),
        e.Entry(e.Watched(3, 4, 1.0)),
    )
    log = [Chapter(1, e.OPENING, 0, -1, added), Chapter(1, e.VISITS, 5, 3, visit)]
    metrics = measure(log, tiny, Metrics(builtin()))
    assert metrics.value()["coverage_consumption"] == 0.2
    assert metrics.value()["watch_hours"] == 0.5
    assert metrics.per_agent()["picks"].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_every_agent_has_a_place_in_every_array(measured: Metrics) -> None:
    assert {len(numbers) for numbers in measured.per_agent().values()} == {3}


def test_built_in_metrics_keep_the_protocols() -> None:
    for metric in builtin():
        assert isinstance(metric, Metric)
        assert isinstance(metric, PerRound)
    assert sum(isinstance(metric, PerAgent) for metric in builtin()) == 8


PLUGIN = """
from audience.world.events import {event}
class Mine:
    watches = ({event},)
    def __init__(self): self.seen = 0
    def update(self, record, world): self.seen += 1
    def value(self): return {{"{name}": self.seen}}
def broken(): raise RuntimeError("no licence")
def nothing(): return 3
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN.format(event="Entered", name="entries"))
    return path


def test_a_metric_from_a_file_joins_the_suite(
    plugin: Path, tiny: Genesis, two_rounds: list[Chapter]
) -> None:
    value = measure(two_rounds, tiny, suite([f"{plugin}:Mine"])).value()
    assert value["entries"] == 1
    assert value["picks"] == 3.0


@pytest.mark.parametrize(
    ("name", "message"),
    [("broken", "no licence"), ("nothing", "lacks one of watches"), ("Mime", "did you mean")],
)
def test_an_unusable_plugin_is_refused(plugin: Path, name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        suite([f"{plugin}:{name}"])


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(BadInput, match="metric 'mrr' is unknown"):
        suite(["mrr"])


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "again.py"
    path.write_text(PLUGIN.format(event="Entered", name="picks"))
    with pytest.raises(BadInput, match="gives 'picks', which 'builtin' gives already"):
        suite([f"{path}:Mine"])
