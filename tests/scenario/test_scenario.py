from __future__ import annotations

import pytest

from audience.errors import BadInput
from audience.runs import embedded_scenario
from audience.scenario import (
    Part,
    Scenario,
    arm,
    arms_of,
    changed,
    from_tree,
    label,
    parse,
    text_of,
)

WHOLE = """
title = "All of it"
seed = 3
seeds = 2
agents = 70
rounds = 4
metrics = ["a.py:Joy"]
[dataset]
kind = "folder"
path = "mine"
noun = "game"
[clock]
start = "2024-02-29"
step = "1M"
[recommender]
kind = "popular"
half_life_days = 3.5
[platform]
page_size = 3
repeat = true
[activation]
method = "marginal"
share = 0.25
[run]
order = "one-by-one"
deadline = 2.5
[arms.old]
recommender = "popular"
[arms.new]
recommender = { kind = "lib/new.py:New", depth = 3 }
run = { refit = 2 }
[[interventions]]
round = 2
do = "announce"
text = "Quotes \\" and ünïcode, \\n lines"
items = ["A", "B"]
"""


def test_an_empty_scenario_is_the_default() -> None:
    assert parse("") == Scenario()


def test_every_key_is_read() -> None:
    found = parse(WHOLE)
    assert (found.seed, found.seeds, found.agents, found.rounds) == (3, 2, 70, 4)
    assert found.dataset == Part("folder", {"path": "mine", "noun": "game"})
    assert found.recommender == Part("popular", {"half_life_days": 3.5})
    assert (found.platform.page_size, found.platform.repeat) == (3, True)
    assert (found.activation.method, found.activation.share) == ("marginal", 0.25)
    assert (found.run.order, found.run.deadline, found.clock.step) == ("one-by-one", 2.5, "1M")
    assert found.interventions[0]["text"] == 'Quotes " and ünïcode, \n lines'


def test_a_scenario_survives_being_written() -> None:
    for scenario in (Scenario(), embedded_scenario(), parse(WHOLE)):
        assert parse(text_of(scenario)) == scenario


def test_an_arm_is_laid_over_the_whole() -> None:
    new = arm(parse(WHOLE), "new")
    assert new.recommender == Part("lib/new.py:New", {"depth": 3})
    assert (new.run.refit, new.run.order, new.rounds) == (2, "one-by-one", 4)
    assert new.arms == {}
    assert arm(parse(WHOLE), "old").recommender == Part("popular")


def test_changes_replace_keys_and_are_checked() -> None:
    found = changed(embedded_scenario(), agents=7, rounds=3, order="one-by-one", arms={})
    assert (found.agents, found.rounds, found.run.order, found.arms) == (7, 3, "one-by-one", {})
    assert found.activation == embedded_scenario().activation
    with pytest.raises(BadInput, match="command line: key 'agent' is unknown"):
        changed(Scenario(), agent=7)
    with pytest.raises(BadInput, match="agents: -1 is not between"):
        changed(Scenario(), agents=-1)


def test_the_tree_that_is_given_is_left_as_it_was() -> None:
    tree = {"rounds": 3, "run": {"refit": 2}}
    assert from_tree(tree).rounds == 3
    assert tree == {"rounds": 3, "run": {"refit": 2}}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("popular", "popular"),
        ("/a/b/mine.py:Mine", "Mine"),
        ("mine.py:Mine", "Mine"),
        ("http://host:80", "host-80"),
        ("https://rec.example.com/v2/", "rec.example.com-v2"),
    ],
)
def test_a_file_is_called_after_its_class(kind: str, name: str) -> None:
    assert label(kind) == name


def test_recommenders_of_one_name_are_not_lost() -> None:
    assert list(arms_of(["random", "a.py:A"])) == ["random", "A"]
    with pytest.raises(BadInput, match="duplicate name"):
        arms_of(["random", "random"])
