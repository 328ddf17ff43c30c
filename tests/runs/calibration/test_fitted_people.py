from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs.calibration.test_fit import files

from audience.agents.rule import RuleMind
from audience.grounding import RATING, WEIGHTS
from audience.runs.calibration import with_fitted_people
from audience.scenario import Scenario, from_tree


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files(tmp_path_factory.mktemp("tiny") / "tiny")


def recipe(data: Path, **keys: object) -> Scenario:
    dataset = {"kind": "recbole", "path": str(data)}
    return from_tree({"agents": 10, "dataset": dataset, "mind": "rule", **keys}, "a test")


def test_rule_minds_prefer_and_rate_as_the_people_of_the_data(data: Path) -> None:
    fitted = with_fitted_people(recipe(data))
    options = fitted.scenario.mind.options
    assert set(options) <= {*WEIGHTS, *RATING}
    assert set(RATING) <= set(options)
    assert "Rule minds fitted to half of the people of tiny" in fitted.note
    assert "by chance" in fitted.note
    assert RuleMind(**options).parameters.enjoy == options["enjoy"]
    assert with_fitted_people(recipe(data)) == fitted


@pytest.mark.parametrize("mind", [{"kind": "rule", "taste": 2.6}, "grounded"])
def test_what_a_scenario_says_itself_stays(data: Path, mind: object) -> None:
    given = recipe(data, mind=mind)
    fitted = with_fitted_people(given)
    assert fitted.scenario is given
    assert not fitted.note


def test_drawn_people_have_no_past_to_fit_to() -> None:
    given = from_tree({"agents": 10, "mind": "rule"}, "a test")
    assert with_fitted_people(given).scenario is given
