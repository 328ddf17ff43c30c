from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs.test_verdict import arm, found

import audience
from audience.results import Band, BandSetting, Difference
from audience.runs import band_of, gathered, obstacle_to_band, with_band
from audience.runs.band import BUDGET, RANGES, _shortened, settings_for
from audience.scenario import Scenario, arms_of, changed, from_tree, parse

SMALL = parse(
    "agents = 60\nrounds = 3\nseeds = 3\n"
    '[arms.random]\nrecommender = "random"\n[arms.popular]\nrecommender = "popular"\n'
)


@pytest.fixture(scope="module")
def band() -> Band:
    tried = band_of(SMALL)
    assert tried is not None
    return tried


def test_both_ends_of_each_range_are_tried(band: Band) -> None:
    names = [setting.name for setting in band.settings]
    assert names == [
        *("taste 1", "taste 6", "quality 0.3", "quality 2.4", "novelty 0", "novelty 1.5"),
        *("position 0", "position 0.3", "people alike", "equally active"),
    ]
    for setting in band.settings:
        (difference,) = setting.differences
        assert (difference.reference, difference.other) == ("random", "popular")
        assert difference.over == "people"


def test_the_same_scenario_has_the_same_band(band: Band) -> None:
    assert band_of(SMALL) == band
    assert len({setting.differences for setting in band.settings}) > 5


def test_a_band_costs_less_than_the_experiment() -> None:
    for rounds, seeds in ((10, 5), (3, 3), (1, 3), (30, 20)):
        scenario = changed(SMALL, rounds=rounds, seeds=seeds)
        settings = len(settings_for(scenario))
        small, share = _shortened(scenario, settings)
        visits = settings * small.rounds * share
        assert visits <= BUDGET * seeds * rounds * 1.0001
        assert small.activation.share == pytest.approx(share * scenario.activation.share)
        assert small.rounds <= rounds


def test_interventions_keep_their_rounds() -> None:
    late = [{"round": 3, "do": "silence", "agent": 1}]
    small, share = _shortened(changed(SMALL, interventions=late), 10)
    assert small.rounds == 3
    assert share == pytest.approx(0.24)


def test_the_whole_map_is_a_grid_with_every_seed() -> None:
    names = {setting.name for setting in settings_for(SMALL, whole=True)}
    assert {"taste 0.5", "taste 2.6", "taste 4", "quality 0.7", "position 0.12"} <= names
    few = changed(SMALL, agents=20, rounds=1, mind={"kind": "recsim"}, seeds=2)
    tried = band_of(few, whole=True)
    assert tried is not None
    assert {each.over for setting in tried.settings for each in setting.differences} == {"seeds"}
    assert (tried.seeds, tried.rounds, tried.share) == (2, 1, 1.0)


def test_minds_without_parameters_of_ours_give_way_to_rule_minds() -> None:
    tried = settings_for(changed(SMALL, mind="recsim"))
    assert [each.name for each in tried] == [
        *("rule minds", "rule minds, taste 1", "rule minds, taste 6", "equally active"),
    ]
    grounded = settings_for(changed(SMALL, mind="grounded"))
    assert {each.parameter for each in grounded} == {*RANGES, "mind", "people"} - {
        "taste",
        "quality",
    }
    minds = {"a": {"mind": "rule"}, "b": {"mind": "grounded"}}
    both = {each.parameter for each in settings_for(changed(SMALL, arms=minds))}
    assert both == {"novelty", "position", "people"}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"mind": "llm"}, "language models would be asked again, which costs"),
        ({"arms": {}}, "there is one arm"),
        ({"arms": arms_of(["popular", "http://127.0.0.1:9"])}, "a service would be asked again"),
        ({"mind": "human"}, "people were played"),
    ],
)
def test_what_costs_or_cannot_be_repeated_is_not_tried(
    changes: dict[str, object], why: str
) -> None:
    assert obstacle_to_band(changed(SMALL, **changes)) == why


def test_a_stopped_band_is_none() -> None:
    assert band_of(SMALL, stopping=lambda: True) is None


def head(value: float) -> Difference:
    bounds = value - 0.01, value + 0.01
    return Difference("satisfaction", "old", "new", 0.5, 0.6, value, *bounds, 9, "people")


def test_a_verdict_that_flips_is_worded_as_such() -> None:
    arms = (arm("old", 0.5, 0.6, 0.7), arm("new", 0.6, 0.7, 0.8))
    settings = [("taste 1", 0.1), ("taste 6", -0.1), ("quality 2.4", 0.1)]
    tried = tuple(
        BandSetting(name, name.partition(" ")[0], (head(value),)) for name, value in settings
    )
    flipping = Band("satisfaction", tried, 60, 3, 1)
    said = with_band(found(arms), flipping).verdict
    assert said.startswith(
        "new serves this audience better than old, but that depends on how strongly people follow "
        "their taste: satisfaction "
    )
    assert said.endswith(
        "Before other people, new stays ahead in 2 of 3 settings (clearly in 2); old is clearly "
        "ahead with taste 6."
    )
    steady = with_band(found(arms), Band("satisfaction", tried[:1], 60, 3, 1)).verdict
    assert "depends" not in steady
    assert steady.endswith("new stays ahead in 1 of 1 settings (clearly in 1).")


def test_a_run_says_so_in_verdict_report_and_from_its_folder(tmp_path: Path) -> None:
    outcome = audience.run(SMALL, out=tmp_path / "with")
    assert "Before other people, " in outcome.verdict
    assert gathered(tmp_path / "with").verdict == outcome.verdict
    report = (tmp_path / "with/report.html").read_text("utf-8")
    assert "stays ahead in" in report
    assert "The same arms before other people" in report
    plain = audience.run(SMALL, out=tmp_path / "without", sensitivity=False, report=False)
    assert "Before other people" not in plain.verdict
    assert [one.measured.digest for one in plain.finished] == [
        one.measured.digest for one in outcome.finished
    ]


def test_fewer_than_three_seeds_are_not_tried(tmp_path: Path) -> None:
    two: Scenario = changed(SMALL, seeds=2)
    outcome = audience.run(two, out=tmp_path / "two", report=False)
    assert outcome.findings.band is None
    assert not (tmp_path / "two/sensitivity.json").exists()


def test_what_is_skipped_is_said(tmp_path: Path) -> None:
    spread = from_tree(
        {
            "agents": 30,
            "rounds": 2,
            "seeds": 3,
            "spread": {"topics": [{"name": "news", "text": "News."}]},
            "arms": {"a": {}, "b": {"seed": 1}},
        }
    )
    outcome = audience.run(spread, out=tmp_path / "spread", report=False)
    assert any("Other audiences were not tried" in note for note in outcome.findings.notes)
