from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import audience
from audience.errors import BadInput
from audience.plugins import find
from audience.recommenders import Popular, Random, Recommender
from audience.runs import embedded_scenario, load_interventions

QUICK: dict[str, Any] = {"agents": 30, "rounds": 2}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_embedded_scenario_is_two_recommenders_before_a_thousand_people() -> None:
    found = embedded_scenario()
    assert (found.agents, list(found.arms)) == (1000, ["random", "popular"])
    assert found.seeds > 1


def test_keywords_replace_keys_and_recommenders_become_arms() -> None:
    outcome = audience.run(
        recommenders=["popular", "random"], seeds=2, out="a", report=False, **QUICK
    )
    assert isinstance(outcome, audience.Outcome)
    assert [arm.name for arm in outcome.findings.arms] == ["popular", "random"]
    assert len(outcome.finished) == 4
    assert str(outcome) == outcome.verdict
    assert outcome.differences == outcome.findings.differences
    assert (outcome.folder, outcome.report) == ("a", "a/report.html")
    assert not Path(outcome.report).exists()


def test_a_scenario_may_be_given_as_a_path_or_as_itself(here: Path) -> None:
    (here / "s.toml").write_text("agents = 25\nrounds = 1\nrecommender = 'random'\n")
    first = audience.run("s.toml", report=False)
    second = audience.run(audience.load(here / "s.toml"), report=False)
    assert (first.folder, second.folder) == ("runs/run-1", "runs/run-2")
    assert first.finished[0].measured.digest == second.finished[0].measured.digest


def test_it_works_inside_a_running_event_loop() -> None:
    async def cell() -> audience.Outcome:
        return audience.run(recommenders=["popular"], seeds=1, report=False, out="loop", **QUICK)

    inside = asyncio.run(cell())
    outside = audience.run(recommenders=["popular"], seeds=1, report=False, out="no", **QUICK)
    assert inside.finished[0].measured.digest == outside.finished[0].measured.digest


def test_a_folder_that_holds_a_run_is_refused_unless_told() -> None:
    first = audience.run(arms={}, seeds=1, out="one", report=False, **QUICK)
    with pytest.raises(BadInput, match="already holds a run"):
        audience.run(arms={}, seeds=1, out="one", report=False, agents=31, rounds=1)
    again = audience.run(arms={}, seeds=1, out="one", report=False, overwrite=True, **QUICK)
    assert again.finished[0].measured.digest == first.finished[0].measured.digest


def test_a_mistake_makes_nothing(here: Path) -> None:
    with pytest.raises(BadInput, match="recommender 'populr' is unknown"):
        audience.run(recommenders=["popular", "populr"], **QUICK)
    with pytest.raises(BadInput, match="key 'agent' is unknown"):
        audience.run(agent=3)
    assert list(here.iterdir()) == []


def test_interventions_are_read_with_paths_from_their_file(here: Path) -> None:
    (here / "sub").mkdir()
    file = here / "sub" / "x.toml"
    file.write_text("[[interventions]]\nround = 2\ndo = 'swap_recommender'\nkind = 'm.py:M'\n")
    (found,) = load_interventions(Path("sub/x.toml"))
    assert found["kind"] == f"{here}/sub/m.py:M"
    file.write_text("rounds = 3\n")
    with pytest.raises(BadInput, match=r"must hold \[\[interventions\]\] tables and nothing else"):
        load_interventions(file)


def test_recommenders_may_be_objects_and_the_outcome_is_short_to_look_at() -> None:
    given: list[Recommender] = [Random(), Popular(half_life_days=3.0), Popular()]
    outcome = audience.run(recommenders=given, seeds=1, out="a", report=False, **QUICK)
    assert [arm.name for arm in outcome.findings.arms] == ["Random", "Popular", "Popular-2"]
    assert outcome.finished[1].measured.digest != outcome.finished[0].measured.digest
    assert len(repr(outcome)) < 600
    assert outcome.verdict in repr(outcome)
    html = outcome._repr_html_()
    assert "<table" in html
    assert "Satisfaction" in html


def test_a_run_of_objects_says_why_another_process_cannot_take_it_up() -> None:
    with pytest.raises(BadInput, match=r"'object:Gone' was a Python object .* file\.py:Class"):
        find("recommenders", "object:Gone")


def test_a_run_that_asked_a_model_is_replaced_when_told(here: Path) -> None:
    again: dict[str, Any] = {"recommenders": ["popular"], "out": "a", "report": False, **QUICK}
    audience.run(**again, seeds=1)
    for name in ("calls.db", "calls.db-wal", "human.db"):
        (here / "a" / name).write_bytes(b"")
    audience.run(**again, seeds=1, overwrite=True)
    assert not (here / "a" / "calls.db").exists()
