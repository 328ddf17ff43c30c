"""Experiments as one thing: listed, followed, judged and reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.web.conftest import Site, Sites

from audience.runs import conduct, gathered
from audience.scenario import parse
from audience.web.experiments import curves

ARMS = "[arms.random]\nrecommender = 'random'\n[arms.popular]\nrecommender = 'popular'\n"
BOTH = f"title = 'Both'\nagents = 60\nrounds = 3\nseeds = 3\n{ARMS}"


def test_an_experiment_started_here_ends_with_a_verdict_that_holds_before_others(
    site: Site,
) -> None:
    form = {"agents": 60, "rounds": 3, "seeds": 3, "recommenders": ["random", "popular"]}
    reply = site.ok("/runs", {"form": form, "name": "both"})
    assert reply["experiment"] == "both"
    found = site.when(lambda: site.ok("/experiments/both"), lambda one: one["state"] == "finished")
    assert (found["done"], found["all"], found["arms"]) == (6, 6, ["random", "popular"])
    assert {run["state"] for run in found["runs"]} == {"finished"}
    shown = found["findings"]
    assert shown["verdict"] == gathered(site.root / "both").verdict
    assert "Before other people" in shown["verdict"]
    assert shown["leads"]["popular"]["settings"] == 10
    assert (site.root / "both" / "sensitivity.json").is_file()
    listed = site.ok("/experiments")
    assert [(one["id"], one["state"]) for one in listed] == [("both", "finished")]
    status, _, page = site.raw("GET", "/api/experiments/both/report")
    assert status == 200
    assert b"popular" in page


def test_runs_that_have_ended_are_told_so_while_others_of_the_experiment_go_on(
    site: Site,
) -> None:
    site.begin(toml=BOTH.replace("rounds = 3", "rounds = 40"), name="both", paused=True)
    waiting = site.ok("/experiments/both")
    assert waiting["state"] == "paused"
    assert waiting["findings"] is None
    assert sum(run["id"] == "" for run in waiting["runs"]) == 5
    first = next(run["id"] for run in waiting["runs"] if run["id"])
    site.steer(first, "play")
    seen = site.when(lambda: site.ok("/experiments/both"), lambda one: 0 < one["done"] < one["all"])
    ended = [run["id"] for run in seen["runs"] if run["state"] == "finished"]
    assert site.ok(f"/runs/{ended[0]}")["control"]["state"] == "finished"
    assert site.raw("GET", "/api/experiments/both/report")[0] == 404
    site.when(lambda: site.ok("/experiments/both"), lambda one: one["state"] == "finished")


@contextmanager
def aside(folder: Path) -> Iterator[None]:
    """Put a run aside for a while, as if it had not begun."""
    hidden = folder.parents[2].parent / "aside"
    folder.rename(hidden)
    yield
    hidden.rename(folder)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment of a terminal."""
    root = tmp_path_factory.mktemp("experiments")
    conduct(parse(BOTH), root / "both")
    return root


def test_between_two_of_its_runs_an_experiment_goes_on(sites: Sites, both: Path) -> None:
    site, last = sites(both), both / "both" / "popular" / "seed-3"
    with aside(last):
        assert site.ok("/experiments/both")["state"] == "stopped"
        site.registry.conducted.add((both / "both").resolve())
        waiting = site.ok("/experiments/both")
        assert (waiting["state"], waiting["done"], waiting["all"]) == ("running", 5, 6)
        site.registry.conducted.clear()
    assert site.ok("/experiments/both")["state"] == "finished"


def test_curves_and_segments_are_means_over_seeds(sites: Sites, both: Path) -> None:
    shown = sites(both).ok("/experiments/both")["findings"]
    findings = gathered(both / "both")
    satisfaction = next(one for one in shown["curves"] if one["metric"] == "satisfaction")
    last = satisfaction["arms"][1]["points"][-1]
    values = [run.rounds[-1]["satisfaction"] for run in findings.arms[1].runs]
    assert last[0] == 3
    assert last[1] == pytest.approx(sum(values) / 3)
    assert last[2] < last[1] < last[3]
    assert [one.metric for one in curves(findings)] == [one["metric"] for one in shown["curves"]]
    row = next(one for one in shown["segments"] if one["by"] == "gender")
    apart = row["differences"]["popular"]
    assert apart["mean"] == pytest.approx(row["means"]["popular"] - row["means"]["random"])
    assert apart["low"] < apart["mean"] < apart["high"]
    assert row["people"] >= 5


@pytest.mark.parametrize("id_", ["none", "..", "both~random", "both~random~seed-1", "%2e%2e"])
def test_what_is_no_experiment_is_missing(sites: Sites, both: Path, id_: str) -> None:
    status, _, body = sites(both).raw("GET", f"/api/experiments/{id_}")
    assert status == 404, json.loads(body)
