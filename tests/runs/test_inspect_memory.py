from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from audience.errors import BadInput
from audience.log import Log, world_at
from audience.runs import Remembrance, counts, memory_report, remembrance
from audience.runs.inspect_memory import Constants, constants_of
from audience.scenario import Part
from audience.testing.worlds import WHO, remembered


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return remembered(tmp_path_factory.mktemp("memory") / "run")


def at(run: Path, round_: int) -> Remembrance:
    with Log.open(run) as log:
        return remembrance(log, WHO, round_)


@pytest.mark.parametrize("round_", range(6))
def test_the_stores_are_those_of_the_world(run: Path, round_: int) -> None:
    found = at(run, round_)
    with Log.open(run) as log:
        me = world_at(log, round_).agents[WHO]
    assert found.brewing == me.brewing
    for store in ("short", "long"):
        mine = {one.id: one for one in found.kept(store)}
        theirs = {one.id: one for one in me.thoughts if one.store == store}
        assert mine.keys() == theirs.keys()
        for id_, thought in theirs.items():
            one = mine[id_]
            assert (one.text, one.weight, one.at) == (thought.text, thought.weight, thought.at)
            assert (one.enhancers, one.sources) == (thought.enhancers, thought.sources)
            assert one.touched(found.now) == thought.touched


def test_sensory_is_what_the_last_round_brought(run: Path) -> None:
    assert [(one.id, one.store) for one in at(run, 1).sensory()] == [
        (0, "short"),
        (1, "sensory"),
        (2, "short"),
    ]
    assert [one.id for one in at(run, 3).sensory()] == [3, 4]
    assert at(run, 0).sensory() == []


def test_what_was_lost_when_and_why(run: Path) -> None:
    lost = [(one.id, one.ended_round, one.why, one.into) for one in at(run, 5).lost()]
    assert lost == [
        (3, 2, "crowded", -1),
        (0, 4, "merged", 9),
        (5, 4, "merged", 9),
        (7, 5, "faded", -1),
    ]
    assert counts(at(run, 5)) == {
        "sensory": 1,
        "short": 2,
        "long": 3,
        "faded": 1,
        "crowded": 1,
        "merged": 2,
        "not_kept": 1,
    }


def test_recency_falls_by_the_hour_since_it_came_to_mind(run: Path) -> None:
    found = at(run, 3)
    short = {one.id: one for one in found.kept("short")}
    laws = found.constants.laws
    assert short[2].recency(found.now, laws) == pytest.approx(0.99**12)
    assert short[4].recency(found.now, laws) == pytest.approx(0.99**36)
    assert short[2].readiness(found.now, laws) < short[4].readiness(found.now, laws)


def test_plain_values_tell_the_sources_also_of_what_is_forgotten(run: Path) -> None:
    tree = msgspec.to_builtins(memory_report(at(run, 5)))
    reflection = next(one for one in tree["long"] if one["kind"] == "reflection")
    assert reflection["sources"] == [
        {"id": 5, "text": "I love things.", "lost": "merged"},
        {"id": 7, "text": "I loved thing 7.", "lost": "faded"},
    ]
    assert tree["reflection"] == {"brewing": 0.0, "due_at": 4.0}
    assert memory_report(at(run, 3)).long[0].last_recalled is not None


def test_constants_are_the_scenario_s_then_the_memory_s_own() -> None:
    mine = constants_of(Part("recagent", {"beta": 2.0, "capacity": 4}))
    assert (mine.laws.beta, mine.laws.delta, mine.capacity, mine.enhancements) == (2.0, 0.01, 4, 3)
    assert mine.forgets
    assert not constants_of(Part("agent4rec")).forgets
    assert constants_of(Part("gone.py:Gone")) == Constants()


def test_a_stranger_is_refused(run: Path) -> None:
    with Log.open(run) as log, pytest.raises(BadInput, match="numbered from 0 to 3"):
        remembrance(log, 4, 5)
