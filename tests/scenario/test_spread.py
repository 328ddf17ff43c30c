from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.log import Log, world_at
from audience.runs import launch as runs
from audience.scenario import Scenario, changed, genesis_of, load, parse, parts_of
from audience.world import Raise

TOPIC = '[[spread.topics]]\nname = "tram"\ntext = "A tram is coming."\n'


def scenario(
    spread: str = "", topic: str = "", head: str = "agents = 120\nrounds = 4\n"
) -> Scenario:
    return parse(f"{head}[spread]\n{spread}\n{TOPIC}{topic}")


def raised(given: Scenario) -> list[Raise]:
    changes = parts_of(given, genesis_of(given, given.seed)).changes
    return [one for each in changes.values() for one in each if isinstance(one, Raise)]


def test_topics_wake_those_they_reach_unless_told_otherwise() -> None:
    assert scenario().activation.method == "reached"
    assert parse("[spread]\ngraph = 'random'\n").activation.method == "sample"
    own = scenario(head="agents = 9\n[activation]\nmethod = 'marginal'\n")
    assert own.activation.method == "marginal"
    assert changed(scenario(), agents=50).activation.method == "reached"


def test_a_topic_has_the_numbers_of_its_table() -> None:
    given = scenario("decay = 0.1\nhalf_life = 2.0\nkeep = 4", "favour = 0.2\nstance = -0.5")
    one = raised(given)[0]
    assert (one.topic.decay, one.topic.half_life, one.topic.keep) == (0.1, 2.0, 4)
    assert (one.topic.favour, one.stance, len(one.seeds)) == (0.2, -0.5, 5)


def test_seeds_are_a_number_a_list_or_a_kind() -> None:
    assert raised(scenario(topic="seeds = [3, 1]"))[0].seeds == (3, 1)
    drawn = raised(scenario(topic="seeds = 7"))[0].seeds
    assert len(set(drawn)) == 7
    graph = 'graph = "preferential"'
    all_ = raised(scenario(graph, 'seeds = "influential"'))[0].seeds
    assert len(all_) == 1
    some = raised(scenario(graph, 'seeds = 3\namong = "regular"'))[0].seeds
    assert len(some) == 3
    assert not set(some) & set(all_)


def test_topics_are_numbered_as_they_begin() -> None:
    later = 'at = 3\n[[spread.topics]]\nname = "first"\ntext = "First."\nat = 2\n'
    changes = parts_of(scenario(topic=later), genesis_of(scenario(), 1)).changes
    assert [one.topic.name for one in changes[2]] == ["first"]  # type: ignore[union-attr]
    assert [one.topic.name for one in changes[3]] == ["tram"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("spread", "topic", "why"),
    [
        ("speed = 3", "", "speed"),
        ('graph = "preferental"', "", "preferential"),
        ('graph = "none.csv"', "", "cannot be read"),
        ('graph = "random"\ndegree = -1.0', "", "degree"),
        ("decay = 2.0", "", "decay: 2.0 is not"),
        ("half_life = 0.0", "", "half_life"),
        ("", "seeds = 0", "0 seeds among 120"),
        ("", "seeds = [500]", "person 500 does not exist"),
        ("", 'seeds = ["nobody"]', "nobody's key"),
        ("", 'seeds = "famous"', "influential"),
        ("", "at = 0", "at: 0 is not between 1"),
        ("", "stance = 3.0", "stance: 3.0 is not"),
        ("", "favour_of = { x = 7.0 }", "x is 7.0"),
        ("", "volume = 3", "volume"),
    ],
)
def test_what_makes_no_sense_is_named(spread: str, topic: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        raised(scenario(spread, topic))


def test_a_graph_of_ones_own_lies_beside_its_scenario(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("1,0\n2,1\n2,2\n3,2\n")
    file = tmp_path / "s.toml"
    file.write_text(f'agents = 6\nrounds = 5\n[spread]\ngraph = "edges.csv"\n{TOPIC}seeds = [0]\n')
    given = load(file)
    genesis = genesis_of(given, 1)
    assert genesis.ties.others.tolist() == [0, 1, 2]


def test_a_run_is_resumed_and_branched_with_its_topics(tmp_path: Path) -> None:
    given = scenario('graph = "small-world"', "seeds = 4")
    whole = runs.start(given, 1, tmp_path / "whole")
    runs.start(changed(given, rounds=2), 1, tmp_path / "part")
    runs.prolong(tmp_path / "part", 4)
    again = runs.resume(tmp_path / "part")
    assert again.measured.digest == whole.measured.digest
    assert again.measured.totals["reach"] == whole.measured.totals["reach"] > 0.05
    more = {"round": 4, "do": "raise", "seeds": [7], "name": "bridge", "text": "It closes."}
    branch = runs.branch(tmp_path / "whole", tmp_path / "branch", 3, (more,))
    runs.resume(branch)
    with Log.open(branch) as log:
        topics = world_at(log, 4).spread.topics
    assert [one.name for one in topics] == ["tram", "bridge"]
