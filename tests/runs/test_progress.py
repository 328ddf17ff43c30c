"""What a run tells of itself while it is steered, and what is written into its scenario."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from audience.engine import Control
from audience.errors import BadInput, Interrupted
from audience.log import Log, world_at
from audience.runs import LivePanel, Panel, Watch, measured, measured_upto, resume, start
from audience.scenario import intervene, parse
from audience.world import VISITS, Chapter, View
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


def test_the_panel_moves_while_a_round_goes_on(tmp_path: Path) -> None:
    watch = Watch(Control(paused=True))
    seen: list[tuple[int, int]] = []
    written = watch.arrive

    def arrive(chapter: Chapter) -> None:
        written(chapter)
        seen.append((chapter.round, watch.panel.interactions))

    watch.arrive = arrive  # type: ignore[method-assign]
    watch.control.play()
    grown = "agents = 30\nrounds = 3\n[[interventions]]\nround = 2\ndo = 'add_item'\ntitle = 'New'"
    start(parse(grown), 1, tmp_path / "run", watch=watch)
    for round_ in (1, 2, 3):
        counts = [count for at, count in seen if at == round_]
        assert counts == sorted(counts), "it never takes anything back"
        assert len(set(counts)) > 2, "and does not wait for the end of the round"
    with Log.open(tmp_path / "run") as log:
        world = world_at(log, 3)
    fresh = LivePanel(world, {}).panel()
    assert (watch.panel.interactions, watch.panel.items) == (fresh.interactions, fresh.items)
    assert watch.panel.most_popular == fresh.most_popular


def test_the_panel_of_a_run_taken_up_counts_what_its_round_had(tmp_path: Path) -> None:
    stopped = Watch(Control(paused=True))
    stopped.control.step_visit()
    stopped.control.step_visit()
    seen: list[Panel] = []

    def stop(chapter: Chapter) -> None:
        Watch.arrive(stopped, chapter)
        if chapter.phase == VISITS:
            stopped.control.stop()

    stopped.arrive = stop  # type: ignore[method-assign]
    with pytest.raises(Interrupted):
        start(SMALL, 1, tmp_path / "run", watch=stopped)
    again = Watch(Control(paused=True, opened=1))

    def look(chapter: Chapter, _: View) -> None:
        seen.append(again.panel)
        again.control.stop()

    again.control.listen(look)
    with pytest.raises(Interrupted):
        resume(tmp_path / "run", watch=again)
    assert seen[0].interactions == stopped.panel.interactions > 0


def test_a_tally_of_an_earlier_round_catches_up_with_what_was_added(tmp_path: Path) -> None:
    grown = (
        "agents = 30\nrounds = 3\n[[interventions]]\nround = 3\ndo = 'add_item'\ntitle = 'New'\n"
        "[[interventions]]\nround = 3\ndo = 'add_person'\nname = 'Nia'\n"
    )
    done = start(parse(grown), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        earlier = measured_upto(log, 2).value()
        tally = LivePanel(world_at(log, 2), earlier)
        for chapter in log.partial(3):
            tally.hear(chapter)
        now = LivePanel(world_at(log, 3), done.measured.totals).panel()
    assert msgspec.structs.replace(tally.panel(), links=now.links) == now


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
