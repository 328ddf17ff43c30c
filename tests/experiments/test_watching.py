"""What a run tells of itself while it is steered, and what is written into its scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.engine import Control
from audience.errors import BadInput, Interrupted
from audience.experiments import measured, parse, resume, start
from audience.experiments.watching import Watch
from audience.experiments.writing_down import intervene
from audience.log import Log
from audience.world.changes import Announce

SMALL = parse("agents = 30\nrounds = 3\n")


def test_a_watched_run_tells_its_numbers_and_its_panel(tmp_path: Path) -> None:
    watch = Watch(Control())
    done = start(SMALL, 1, tmp_path / "run", watch=watch)
    assert watch.begun.is_set()
    assert watch.whole == 3
    assert [one["visits"] for one in watch.rounds] == [
        one["visits"] for one in done.measured.rounds
    ]
    panel = watch.panel
    assert (panel.people, panel.algorithm) == (30, "popular")
    assert panel.posts == done.measured.totals["posts"]
    counts = [count for _, _, count in panel.most_popular]
    assert counts == sorted(counts, reverse=True)
    assert watch.control.steering.round == 3
    assert watch.spent.calls == 0


def test_a_run_taken_up_is_watched_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    stopped = Watch(Control(paused=True))
    stopped.control.step_round()
    stopped.control.listen(
        lambda chapter, _: stopped.control.stop() if chapter.phase == 5 else None
    )
    with pytest.raises(Interrupted):
        start(SMALL, 1, tmp_path / "run", watch=stopped)
    again = Watch(Control(opened=1))
    done = resume(tmp_path / "run", watch=again)
    alone = start(SMALL, 1, tmp_path / "alone")
    assert done.measured.digest == alone.measured.digest
    assert len(again.rounds) == 3
    assert again.rounds[0]["visits"] == alone.measured.rounds[0]["visits"]


def test_what_was_queued_when_a_run_ends_is_in_its_scenario(tmp_path: Path) -> None:
    watch = Watch(Control(paused=True))
    written = {"do": "announce", "text": "Later"}
    watch.control.queue(Announce("Later"), written)
    watch.control.stop()
    with pytest.raises(Interrupted):
        start(SMALL, 1, tmp_path / "run", watch=watch)
    with Log.open(tmp_path / "run") as log:
        assert parse(log.scenario).interventions == ({**written, "round": 1},)
    resume(tmp_path / "run")
    assert measured(tmp_path / "run").totals["delivered"] >= 30


def test_a_scenario_that_would_not_read_is_not_written(tmp_path: Path) -> None:
    start(SMALL, 1, tmp_path / "run")
    with Log.open(tmp_path / "run", write=True) as log:
        before = log.scenario
        with pytest.raises(BadInput):
            intervene(log, [{"round": float("nan")}])
        intervene(log, [])
        assert log.scenario == before
