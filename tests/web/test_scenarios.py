"""Scenarios to start from, checked as one types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.scenario import PRESETS, parse


def test_scenarios_are_offered_and_can_be_sent_back(sites: Sites, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("title = 'Mine'\nagents = 7\nrounds = 2\n")
    broken = tmp_path / "broken.toml"
    broken.write_text("[project]\nname = 'x'\n")
    site = sites(found={"mine": mine, "broken": broken})
    found = {one["name"]: one for one in site.ok("/scenarios")}
    assert set(found) == {"plain", "two recommenders", "mine", *PRESETS}
    for name, one in found.items():
        assert parse(one["toml"]).title == one["title"]
        checked = site.ok("/scenarios/check", {"toml": one["toml"]})
        assert checked["ok"] == (name not in PRESETS)
        if name in PRESETS:
            (problem,) = checked["problems"]
            assert problem["where"] == "llm"
            assert "give an OpenAI-compatible endpoint" in problem["message"]
            chosen = one["toml"].replace('url = ""', 'url = "http://127.0.0.1:9/v1"')
            assert site.ok("/scenarios/check", {"toml": chosen})["ok"]
    run = site.ok("/runs", {"form": {"scenario": "mine", "seed": 5}})["id"]
    found = site.until(run, "finished")
    assert (found["title"], found["agents"], found["seed"]) == ("Mine", 7, 5)


def test_a_form_becomes_a_scenario(site: Site) -> None:
    form = {
        "title": "Formed", "agents": 25, "rounds": 3, "seed": 9, "recommender": "item-knn",
        "mind": "llm", "memory": "recagent", "model": "gpt-4o-mini", "dataset": "books",
        "llm": "http://127.0.0.1:9/v1", "share": 0.25, "order": "one-by-one", "budget": "2usd",
    }  # fmt: skip
    found = site.ok("/scenarios/check", {"form": form})
    assert found["ok"], found
    made = parse(found["toml"])
    assert (made.title, made.agents, made.rounds, made.seed) == ("Formed", 25, 3, 9)
    assert (made.recommender.kind, made.mind.kind, made.memory.kind) == (
        "item-knn",
        "llm",
        "recagent",
    )
    assert (made.llm.model, made.dataset.kind, made.run.order) == (
        "gpt-4o-mini",
        "books",
        "one-by-one",
    )
    assert made.activation.share == 0.25
    costs = found["estimate"]
    assert costs["calls"] > 10
    assert costs["cost"] > 0
    assert costs["tokens"] > costs["calls"]
    assert site.ok("/scenarios/check", {"form": {"agents": 10}})["estimate"]["calls"] == 0
    assert not list(site.root.iterdir()), "nothing was started"


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"form": {"mind": "rul"}}, "mind"),
        ({"form": {"recommender": "nobody"}}, "recommender"),
        ({"form": {"dataset": "nowhere/at/all"}}, ""),
        ({"form": {"order": "sideways"}}, "order"),
        ({"form": {"budget": "a lot"}}, "budget"),
        ({"form": {"scenario": "none"}}, "scenario"),
        ({"toml": "agents = 5\nroundz = 2\n"}, "line 2"),
        ({"toml": "agents = 5\nrounds = 'x'\n"}, "line 2"),
        ({"toml": "agents = = 5"}, ""),
        ({"toml": "[interventions]"}, "interventions"),
        ({}, ""),
    ],
)
def test_what_is_wrong_is_told_with_its_place(site: Site, body: dict[str, Any], where: str) -> None:
    found = site.ok("/scenarios/check", body)
    assert not found["ok"]
    (problem,) = found["problems"]
    assert problem["message"]
    assert problem["where"] == where, problem


def test_numbers_out_of_bounds_are_refused_with_their_place(site: Site) -> None:
    status, found = site.post("/scenarios/check", {"form": {"agents": 0}})
    assert (status, found["where"]) == (422, "body.form.agents")
