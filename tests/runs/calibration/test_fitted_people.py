from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs.calibration.test_fit import files

import audience
from audience.agents.rule import RuleMind, RuleParameters
from audience.grounding import RATING, WEIGHTS
from audience.lab.probing import lived_in
from audience.log import Log
from audience.results import read_fitting
from audience.runs import Run, gathered, start
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


def test_people_of_embedded_films_agree_with_public_figures() -> None:
    fitted = with_fitted_people(from_tree({"agents": 10}, "a test"))
    assert fitted.fitting is not None
    assert fitted.scenario.mind.options["dropped"] > RuleParameters().dropped
    for figure in fitted.fitting.figures:
        assert figure.source
        assert figure.target is not None
        if "visit" not in figure.name:
            assert abs(figure.fitted / figure.target - 1) <= 0.1, figure


def test_the_figures_of_embedded_people_are_those_they_show(tmp_path: Path) -> None:
    """People of a seed that was neither fitted nor in the table: finished films and one star."""
    given = from_tree({"agents": 400, "rounds": 5, "activation": {"share": 1.0}}, "a test")
    shares: list[tuple[float, float]] = []
    for scenario in (given, with_fitted_people(given).scenario):
        start(scenario, 31, tmp_path / str(len(shares)))
        with Log.open(tmp_path / str(len(shares))) as log:
            deeds = lived_in(log.chapters())
        ended = [fraction >= 0.9 for _, fraction in deeds.watched]
        lone = [stars == 1 for _, stars in deeds.stars]
        shares.append((sum(ended) / len(ended), sum(lone) / len(lone)))
    (before, before_lone), (now, now_lone) = shares
    assert abs(now - 0.64) < abs(before - 0.64) / 2
    assert abs(now_lone - 0.056) < abs(before_lone - 0.056)


@pytest.mark.parametrize("mind", [{"kind": "rule", "dropped": 0.2}, "llm"])
def test_embedded_people_of_whom_the_scenario_says_more_stay(mind: object) -> None:
    given = from_tree({"agents": 10, "mind": mind}, "a test")
    assert with_fitted_people(given).scenario is given


def test_books_have_no_public_figures() -> None:
    given = from_tree({"agents": 10, "dataset": "books"}, "a test")
    assert with_fitted_people(given).scenario is given


def test_a_run_keeps_what_its_people_were_fitted_to_and_reports_tell_it(tmp_path: Path) -> None:
    place = tmp_path / "run"
    outcome = audience.run(out=place, agents=20, rounds=1, seeds=1, recommenders=["random"])
    assert read_fitting(place) == outcome.findings.fitting
    page = (place / "report.html").read_text("utf-8")
    assert "People fitted to public figures" in page
    assert "films watched to the end" in page
    assert gathered(place).fitting == outcome.findings.fitting
    (place / "people.json").write_text("{")
    assert gathered(place).fitting is None


def test_a_run_that_is_run_again_keeps_its_people(tmp_path: Path) -> None:
    start(from_tree({"agents": 20, "rounds": 1}, "a test"), 1, tmp_path / "old")
    again = audience.run(Run(tmp_path / "old"), out=tmp_path / "new", report=False)
    assert not again.findings.fitting
    assert Run(tmp_path / "new").scenario.mind == Run(tmp_path / "old").scenario.mind
