from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.log import Lineage, Log, Snapshooter, fork, world_at
from audience.world import Chapter, Genesis, World

Run = Callable[[int], Path]
Story = Callable[[int], list[Chapter]]


def test_a_branch_that_changes_nothing_has_its_parents_digest(run: Run, tmp_path: Path) -> None:
    source = run(4)
    before = (source / "run.db").read_bytes()
    with fork(source, tmp_path / "branch", None) as branch, Log.open(source) as parent:
        assert branch.digest() == parent.digest()
        assert branch.lineage == Lineage("run", parent.digest(), 4)
        assert (branch.scenario, branch.seed) == (parent.scenario, parent.seed)
        assert branch.genesis().digest == parent.genesis().digest
        assert (branch.state, parent.state) == ("stopped", "finished")
        assert branch.verify() == []
    assert (source / "run.db").read_bytes() == before
    assert [path.name for path in (tmp_path / "branch").iterdir()] == ["run.db"]


@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_branch_ends_where_it_was_cut_and_goes_on(
    run: Run, story: Story, tmp_path: Path, at: int
) -> None:
    source = run(4)
    with Log.open(source) as parent:
        whole, upto = parent.digest(), parent.digest(upto_round=at)
    with fork(source, tmp_path / "branch", at) as branch:
        assert branch.complete_rounds() == at
        assert branch.digest() == upto
        assert branch.lineage == Lineage("run", upto, at)
        for chapter in story(4):
            if chapter.round > at:
                branch.append(chapter)
        branch.commit()
        assert branch.digest() == whole
        assert branch.verify() == []


def test_a_running_run_can_be_branched_without_its_partial_round(
    tmp_path: Path, genesis: Genesis, story: Story
) -> None:
    told = story(3)
    with Log.create(tmp_path / "run", genesis, "", 7) as running:
        for chapter in told[:-1]:
            running.append(chapter)
        running.commit()
        with fork(tmp_path / "run", tmp_path / "branch") as branch:
            assert branch.complete_rounds() == 2
            assert branch.partial(3) == []
            assert branch.digest() == running.digest(upto_round=2)
        running.append(told[-1])
        running.commit()
        assert running.complete_rounds() == 3


def test_a_branch_keeps_the_snapshots_up_to_its_round(run: Run, tmp_path: Path) -> None:
    source = run(4)
    with Log.open(source, write=True) as log:
        world, shooter = World(log.genesis()), Snapshooter(log, 1)
        for chapter in log.chapters():
            for entry in chapter.entries:
                world.apply(entry.event)
            if chapter.phase == 5:
                shooter.after_round(world)
    with fork(source, tmp_path / "branch", 2) as branch:
        assert branch.query("SELECT max(round) FROM snapshots") == [(2,)]
        assert world_at(branch, 2).round == 2


def test_a_round_that_is_not_there_is_refused_with_what_is(run: Run, tmp_path: Path) -> None:
    source = run(2)
    for at in (3, -1):
        with pytest.raises(BadInput, match=rf"--at {at}: .*rounds 1 to 2 are complete"):
            fork(source, tmp_path / "branch", at)
    assert not (tmp_path / "branch").exists()


def test_a_branch_does_not_write_over_anything(run: Run, tmp_path: Path) -> None:
    source = run(2)
    with pytest.raises(BadInput, match="already holds a run"):
        fork(source, source, 1)
    with Log.open(source) as log:
        assert log.complete_rounds() == 2
