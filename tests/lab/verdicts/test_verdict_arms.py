from __future__ import annotations

from pathlib import Path

import pytest
from tests.datasets.files import ATOMIC, write

from audience.datasets.loaders import options_for
from audience.errors import BadInput
from audience.lab.verdicts import arms_for, scenario_for
from audience.runs import can_be_apart
from audience.scenario import Part, arm


def test_a_recommender_of_a_package_that_lacks_is_skipped_with_its_remedy() -> None:
    arms, skipped = arms_for(["random", "recbole:LightGCN"], "/nowhere/bin/python")
    assert list(arms) == ["random"]
    assert [one.recommender for one in skipped] == ["LightGCN"]
    assert "--recbole-python" in skipped[0].why


def test_mistakes_are_told() -> None:
    with pytest.raises(BadInput, match="duplicate name random"):
        arms_for(["random", "random"])
    with pytest.raises(BadInput, match="none of them can be made"):
        arms_for(["recbole:LightGCN"], "/nowhere/bin/python")


def test_names_and_options_of_arms() -> None:
    arms, _ = arms_for(["random", "my/own.py:Mine"])
    assert list(arms) == ["random", "Mine"]
    scenario = scenario_for(
        "films", "llm+evidence", {"random": arms["random"]}, agents=5, rounds=2, apart=False
    )
    assert scenario.mind == Part("llm", {"evidence": True})
    assert scenario.dataset == Part("films")
    assert arm(scenario, "random").recommender == Part("random")
    assert (scenario.platform.page_size, scenario.platform.max_pages) == (4, 5)
    assert (scenario.rounds, scenario.seeds) == (2, 5)


def test_published_files_can_be_halved_and_others_cannot(tmp_path: Path) -> None:
    published = options_for(str(write(tmp_path, ATOMIC)))
    assert can_be_apart(published)
    assert not can_be_apart("films")
    arms, _ = arms_for(["random"])
    scenario = scenario_for(published, "rule", arms, agents=1, rounds=1)
    assert scenario.dataset.options["apart"] is True
