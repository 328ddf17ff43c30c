"""What a run was, a run like another, and the keys in which two scenarios differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.conftest import SMALL, Site, Sites
from tests.web.test_experiments import BOTH

from audience.log import Log
from audience.runs import conduct, scenario_of, start
from audience.scenario import Offered, parse
from audience.web.run_scenarios import differences

EASE = "recommender = { kind = 'ease', regularisation = 300.0 }\n[platform]\npage_size = 7\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("scenarios")
    start(parse(SMALL), 1, root / "one")
    start(parse(SMALL + EASE), 5, root / "two")
    conduct(parse(BOTH.replace("seeds = 3", "seeds = 1")), root / "both")
    return root


def test_a_run_and_an_experiment_say_what_they_were(sites: Sites, folder: Path) -> None:
    site = sites(folder)
    two = site.ok("/runs/two/scenario")
    assert parse(two["toml"]).platform.page_size == 7
    assert (two["form"]["seed"], two["form"]["seeds"]) == (5, 1)
    assert two["form"]["recommenders"] == ["ease"]
    both = site.ok("/runs/both/scenario")
    assert both["form"]["recommenders"] == ["random", "popular"]
    assert both["is_plain"]
    assert parse(both["toml"]) == scenario_of(folder / "both")


def test_differences_are_told_key_by_key(sites: Sites, folder: Path) -> None:
    found = sites(folder).ok("/compare/scenarios?a=one&b=two")["keys"]
    apart = {one["key"]: (one["a"], one["b"]) for one in found if one["a"] != one["b"]}
    assert apart == {
        "seed": ("1", "5"),
        "recommender": ("popular", "ease"),
        "recommender.regularisation": (None, "300.0"),
        "platform.page_size": (str(parse(SMALL).platform.page_size), "7"),
    }
    assert len(found) > 30


def test_text_alone_is_no_difference() -> None:
    a = parse("agents = 5\n[platform]\npage_size = 7\n[run]\nrounds = 2\n")
    b = parse("[run]\nrounds = 2\n[platform]\npage_size = 7\n", "x")
    assert [one.key for one in differences(a, b)] == ["agents"]


def test_a_run_like_another_keeps_what_the_form_does_not_name(
    sites: Sites, folder: Path, tmp_path: Path
) -> None:
    site = sites(folder)
    check = site.ok("/scenarios/check", {"like": "two", "form": {"agents": 30}})
    assert [one["key"] for one in check["differences"]] == ["agents"]
    asked = {"like": "two", "form": {"agents": 30, "recommenders": ["ease", "popular"]}}
    made = site.ok("/runs", {**asked, "name": f"again-{tmp_path.name[-1]}"})
    site.when(
        lambda: site.ok(f"/experiments/{made['experiment']}"),
        lambda one: one["state"] == "finished",
    )
    scenario = scenario_of(folder / made["experiment"])
    assert scenario.platform.page_size == 7
    assert scenario.arms["ease"]["recommender"]["options"] == {"regularisation": 300.0}


def test_an_unchanged_clone_lives_the_same_run(sites: Sites, folder: Path) -> None:
    site = sites(folder)
    check = site.ok("/scenarios/check", {"like": "two", "form": {}})
    assert check["differences"] == []
    run = site.ok("/runs", {"like": "two", "form": {}, "name": "twin"})["id"]
    site.until(run, "finished")
    with Log.open(folder / "two") as one, Log.open(folder / "twin") as other:
        assert one.digest() == other.digest()


def test_others_see_and_clone_runs_without_learning_paths(
    sites: Sites, tmp_path: Path, site: Site
) -> None:
    own = tmp_path / "own.py"
    own.write_text("from audience.recommenders import Popular\nclass Mine(Popular):\n    pass\n")
    start(parse(f"agents = 20\nrounds = 1\nrecommender = '{own}:Mine'\n"), 1, site.root / "mine")
    away = sites(site.root, host="0.0.0.0", offered=Offered())
    told = away.ok("/runs/mine/scenario")
    assert str(tmp_path) not in str(told)
    pair = away.ok("/compare/scenarios?a=mine&b=mine")
    assert str(tmp_path) not in str(pair)
    status, reply = away.post("/runs", {"toml": told["toml"], "name": "copy"})
    assert (status, "not offered" in reply["error"]) == (400, True)
    check = away.ok("/scenarios/check", {"like": "mine", "form": {"agents": 10}})
    assert not check["ok"], "it names a file, which is not offered"
    changed = {"agents": 10, "recommender": "random"}
    check = away.ok("/scenarios/check", {"like": "mine", "form": changed})
    assert check["ok"], check
    assert [one["key"] for one in check["differences"]] == ["agents", "recommender"]


@pytest.mark.parametrize("id_", ["none", "..", ".trash", "both~random"])
def test_what_is_no_run_has_no_scenario(sites: Sites, folder: Path, id_: str) -> None:
    site = sites(folder)
    assert site.raw("GET", f"/api/runs/{id_}/scenario")[0] == 404
    assert site.raw("GET", f"/api/compare/scenarios?a={id_}&b=one")[0] == 404
    assert site.post("/scenarios/check", {"like": id_, "form": {}})[0] == 404
