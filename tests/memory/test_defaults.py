"""A month of a default run with a memory: what people have in mind in the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.cli import main
from audience.log import Log
from audience.world import events as e

SCENARIO = 'agents = 60\nrounds = 30\nmemory = "recagent"\n'


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[e.AnyEvent]:
    folder = tmp_path_factory.mktemp("month")
    (folder / "s.toml").write_text(SCENARIO, "utf-8")
    run = folder / "run"
    with pytest.raises(SystemExit) as stopped:
        main(["run", str(folder / "s.toml"), "--out", str(run), "--no-report", "--json"])
    assert stopped.value.code == 0
    with Log.open(Path(run)) as log:
        return [entry.event for chapter in log.chapters() for entry in chapter.entries]


def test_most_people_have_long_term_memories_and_many_have_reflected(
    events: list[e.AnyEvent],
) -> None:
    settled = {event.agent for event in events if isinstance(event, e.Settled)}
    drawn = [event for event in events if isinstance(event, e.Reflected)]
    understood = {event.agent for event in drawn if event.kind == "insight"}
    reflected = {event.agent for event in drawn if event.kind == "reflection"}
    assert len(settled) >= 30
    assert understood == settled
    assert len(reflected) >= 15


def test_a_friends_post_about_an_item_is_kept_by_a_third_of_its_readers_or_more(
    events: list[e.AnyEvent],
) -> None:
    posts = [event for event in events if isinstance(event, e.Delivered) and event.items]
    read = sum(len(post.to) for post in posts if post.author >= 0)
    kept = [
        event
        for event in events
        if isinstance(event, e.Remembered)
        and event.text.startswith("I read a post by")
        and event.store != "sensory"
    ]
    assert read > 100
    assert len(kept) >= read / 3


def test_routine_is_not_kept(events: list[e.AnyEvent]) -> None:
    thoughts = [event for event in events if isinstance(event, e.Remembered)]
    opened = [event for event in thoughts if event.text.startswith("I opened")]
    assert opened
    assert {event.store for event in opened} == {"sensory"}


def test_what_comes_to_mind_is_recorded(events: list[e.AnyEvent]) -> None:
    assert any(isinstance(event, e.Recalled) and event.thoughts for event in events)
