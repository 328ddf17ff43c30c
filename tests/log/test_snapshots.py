from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from audience.log import Log, Snapshooter, world_at, world_from
from audience.log.snapshots import load
from audience.world import CLOSING, Chapter, Genesis, World

Story = Callable[[int], list[Chapter]]


def tell(log: Log, world: World, chapters: list[Chapter], shooter: Snapshooter) -> None:
    """Let chapters happen, in canonical order, as an engine would."""
    for chapter in sorted(chapters, key=lambda c: (c.round, c.phase, c.rank)):
        log.append(chapter)
        for entry in chapter.entries:
            world.apply(entry.event)
        if chapter.phase == CLOSING:
            shooter.after_round(world)
            log.commit()


def assert_same(one: World, two: World) -> None:
    assert one.round == two.round
    assert list(one.agents) == list(two.agents)
    assert one.graph.changes() == two.graph.changes()
    assert one.interactions.packed() == two.interactions.packed()
    assert np.array_equal(one.satisfaction, two.satisfaction)
    assert np.array_equal(one.last_visit, two.last_visit)
    assert np.array_equal(one.activity, two.activity)


@pytest.fixture
def told(tmp_path: Path, genesis: Genesis, story: Story) -> Path:
    """Return a run of seven rounds with a snapshot every second one."""
    with Log.create(tmp_path / "told", genesis, "", 7) as log:
        tell(log, World(genesis), story(7), Snapshooter(log, 2))
    return tmp_path / "told"


def test_every_round_is_the_same_with_and_without_snapshots(told: Path) -> None:
    with Log.open(told, write=True) as log:
        assert log.query("SELECT DISTINCT round FROM snapshots") == [(2,), (4,), (6,)]
        digest, quick = log.digest(), [world_at(log, round_) for round_ in range(8)]
        assert load(log, 5) is not None
    for cut in ("DELETE FROM snapshots", "DROP TABLE snapshots"):
        connection = sqlite3.connect(told / "run.db")
        connection.execute(cut)
        connection.commit()
        connection.close()
        with Log.open(told) as log:
            assert load(log, 5) is None
            assert log.digest() == digest
            for round_, world in enumerate(quick):
                assert_same(world, world_at(log, round_))


@pytest.mark.parametrize("snapshots", [True, False])
def test_a_world_carried_on_is_the_one_reached_from_the_start(told: Path, snapshots: bool) -> None:
    with Log.open(told, write=True) as log:
        if not snapshots:
            log.query("DELETE FROM snapshots")
        genesis = log.genesis()
        near: World | None = None
        for round_ in (0, 0, 1, 3, 3, 5, 7, 2, 1, 6, 7, 0, 4):
            near = world_from(log, round_, genesis, near)
            assert_same(near, world_at(log, round_))


def test_a_snapshot_row_is_kept_for_those_who_changed_alone(told: Path) -> None:
    with Log.open(told) as log:
        rows = dict(log.query("SELECT round, count(*) FROM snapshots WHERE agent >= 0 GROUP BY 1"))
    assert rows[2] == 9
    assert rows[4] < 9


def test_a_resumed_run_goes_on_from_the_last_snapshot(
    told: Path, tmp_path: Path, genesis: Genesis, story: Story
) -> None:
    later = [chapter for chapter in story(11) if chapter.round > 7]
    with Log.open(told, write=True) as log:
        shooter = Snapshooter(log, 4)
        world = world_at(log, log.complete_rounds(), shooter)
        tell(log, world, later, shooter)
        rows = log.query("SELECT count(*) FROM snapshots WHERE round = 8 AND agent >= 0")
        assert 0 < rows[0][0] <= 9
        straight = World(genesis)
        for chapter in log.chapters():
            for entry in chapter.entries:
                straight.apply(entry.event)
        assert_same(world, straight)
        assert_same(world_at(log, 11), straight)
        newest = load(log, 11)
        assert newest is not None
        assert newest.round == 8


def test_a_snapshooter_that_starts_anew_begins_with_a_full_one(told: Path, story: Story) -> None:
    with Log.open(told, write=True) as log:
        world = world_at(log, 7)
        tell(log, world, [c for c in story(8) if c.round == 8], Snapshooter(log, 8))
        assert_same(world_at(log, 8), world)
        rows = log.query("SELECT count(*) FROM snapshots WHERE round = 8 AND agent >= 0")
        assert rows == [(9,)]


def test_an_unreadable_snapshot_costs_time_alone(told: Path) -> None:
    with Log.open(told, write=True) as log:
        wanted = world_at(log, 7)
        log.cache([(6, 3, b"\xc1 not an agent")])
        log.commit()
        assert load(log, 7) is None
        assert_same(world_at(log, 7), wanted)
        log.query("DELETE FROM snapshots WHERE agent = -1 AND round = 2")
        assert load(log, 5) is None
        assert_same(world_at(log, 7), wanted)


def test_a_snapshot_is_committed_with_its_round(tmp_path: Path, genesis: Genesis) -> None:
    with Log.create(tmp_path / "run", genesis, "", 7) as log:
        world = World(genesis)
        world.round = 2
        Snapshooter(log, 2).after_round(world)
        assert load(log, 2) is None
        log.commit()
        assert load(log, 2) is not None
        with pytest.raises(ValueError, match="1 is the least"):
            Snapshooter(log, 0)
