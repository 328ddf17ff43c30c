from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.verdicts.test_verdicts import dataset

import audience
from audience.runs import names_mind, with_judges
from audience.scenario import Scenario, from_tree, genesis_of, parse


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset(tmp_path_factory.mktemp("judges") / "camps")


def scenario(source: Path, **changes: object) -> Scenario:
    tree = {"agents": 40, "rounds": 2, "dataset": {"kind": "recbole", "path": str(source)}}
    return from_tree(tree | changes)


def test_where_there_is_a_past_those_judge_who_know_it_apart(source: Path) -> None:
    judges = with_judges(scenario(source))
    assert judges.scenario.mind.kind == "grounded"
    assert judges.scenario.mind.options == {"stars": True}
    assert judges.scenario.dataset.options["apart"] is True
    genesis = genesis_of(judges.scenario, 1)
    assert len(genesis.profiles) == 40
    mine = {(past.agent, past.item) for past in genesis.past}
    assert genesis.others
    assert len(genesis.others) + len(genesis.past) == 80 * 15
    assert len(mine) == 40 * 15
    assert judges.note.startswith("Judged by grounded minds with stars, who know other people's")


def test_more_people_than_one_half_has_are_not_apart(source: Path) -> None:
    judges = with_judges(scenario(source, agents=60))
    assert judges.scenario.mind.kind == "grounded"
    assert "apart" not in judges.scenario.dataset.options
    assert "the same past as recommenders learn from (camps has 40 people" in judges.note


def test_what_a_scenario_says_of_evidence_is_kept(source: Path) -> None:
    said = {"kind": "recbole", "path": str(source), "apart": False}
    judges = with_judges(scenario(source, dataset=said))
    assert judges.scenario.dataset.options["apart"] is False


def test_drawn_people_and_short_pasts_are_judged_as_before(tmp_path: Path) -> None:
    drawn = parse("agents = 40")
    assert with_judges(drawn).scenario is drawn
    (tmp_path / "items.csv").write_text("id,title\n1,One\n2,Two\n", "utf-8")
    (tmp_path / "people.csv").write_text("id\na\nb\n", "utf-8")
    own = from_tree({"agents": 2, "dataset": {"kind": "folder", "path": str(tmp_path)}})
    assert with_judges(own).scenario is own
    (tmp_path / "interactions.csv").write_text("person,item\na,1\nb,2\n", "utf-8")
    short = with_judges(own)
    assert short.scenario is own
    assert short.note.startswith("The past is too short to judge by (only ")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("agents = 3", False),
        ("mind = 'rule'", True),
        ("[arms.a]\nmind = 'rule'", True),
        ("[arms.a]\nrecommender = 'random'", False),
    ],
)
def test_a_file_names_a_mind_itself_or_in_an_arm(tmp_path: Path, text: str, names: bool) -> None:
    (tmp_path / "s.toml").write_text(text, "utf-8")
    assert names_mind(tmp_path / "s.toml") is names
    assert names_mind(Path("recagent"))


def test_collaborative_arms_are_marked_and_get_no_verdict(source: Path, tmp_path: Path) -> None:
    known: dict[str, object] = {"kind": "recbole", "path": str(source)}
    outcome = audience.run(
        dataset=known,
        recommenders=["random", "ease"],
        agents=20,
        rounds=2,
        seeds=2,
        out=tmp_path / "runs",
    )
    assert outcome.findings.marks == {"ease": "alike"}
    assert "better" not in outcome.verdict
    assert "alike (ease)" in outcome.findings.notes[0]
    report = (tmp_path / "runs/report.html").read_text("utf-8")
    assert "ease (alike)" in report
    assert "alike (ease): a collaborative recommender" in report
