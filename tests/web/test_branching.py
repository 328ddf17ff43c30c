"""Branches and two runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.runs import first_difference
from audience.web.comparison import ComparedPair, Comparisons


def test_a_branch_that_changes_nothing_is_its_parent(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    other = site.ok(f"/runs/{run}/branch", {"at": 2, "name": "twin"})["id"]
    found = site.ok(f"/runs/{other}")
    assert (found["parent"], found["branch_at"], found["state"]) == (run, 2, "stopped")
    site.steer(other, "play")
    site.until(other, "finished")
    found = site.ok(f"/compare?a={run}&b={other}")
    assert found["first_difference"] is None
    assert found["picks"]["a"] == found["picks"]["b"] == found["picks"]["same"] > 0
    assert all(one["difference"] in (0.0, None) for one in found["metrics"])


def _at_round(round_: int) -> Callable[[Any], bool]:
    return lambda one: bool(one["round"] == round_)


def test_a_comparison_is_carried_on_and_is_the_same_as_one_made_anew(sites: Sites) -> None:
    site = sites()
    run = site.begin()
    site.until(run, "finished")
    swap = {"type": "SwapRecommender", "kind": "random"}
    other = site.ok(f"/runs/{run}/branch", {"at": 1, "interventions": [swap]})["id"]
    for round_ in (2, 3, 4):
        site.steer(other, "step_round")
        site.when(lambda: site.ok(f"/runs/{other}"), _at_round(round_))
        carried = site.ok(f"/compare?a={run}&b={other}")
        assert carried["rounds"] == round_
    assert site.ok(f"/compare/progress?a={run}&b={other}") == {"done": 0, "total": 0}
    assert sites().ok(f"/compare?a={run}&b={other}") == carried
    page = {row["name"]: row for row in site.ok(f"/runs/{run}/metrics")["summary"]}
    for row in carried["metrics"]:
        mine = page[row["name"]]
        assert [row[key] for key in ("label", "unit", "over")] == [
            mine[key] for key in ("label", "unit", "over")
        ]
        assert row["a"] == mine["mean"]
    assert site.get(f"/compare/progress?a={run}&b=none")[0] == 404


def test_how_far_a_comparison_is_can_be_asked(sites: Sites, lived: Path) -> None:
    site = sites(lived)
    pair = Comparisons(site.registry).pair(lived / "done", lived / "done")
    seen: list[tuple[int, int]] = []

    class Watched(ComparedPair):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == "progress":
                seen.append(value)

    pair.__class__ = Watched
    pair.compared(("a", "b"))
    shares = [done / total for done, total in seen[:-1]]
    assert shares == sorted(shares)
    assert (shares[-1], seen[-1]) == (1.0, (0, 0))


def test_a_branch_shows_what_a_change_did(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    swap = {"type": "SwapRecommender", "kind": "random"}
    other = site.ok(f"/runs/{run}/branch", {"at": 1, "interventions": [swap]})["id"]
    assert other == "one-at-1"
    site.steer(other, "step_round")
    site.when(lambda: site.ok(f"/runs/{other}"), lambda one: one["round"] == 2)
    assert site.ok(f"/compare?a={run}&b={other}")["rounds"] == 2, "as far as both have come"
    site.steer(other, "play")
    site.until(other, "finished")
    found = site.ok(f"/compare?a={run}&b={other}")
    first = found["first_difference"]
    assert (first["round"], first["phase"]) == (2, 1), "the first decision, not the swap itself"
    assert first["a"]["event"] != first["b"]["event"]
    assert first["name"]
    told = first_difference([site.root / run, site.root / other])
    assert told is not None
    assert told.startswith("round 2, opening")
    picks = found["picks"]
    assert 0 < picks["same"] < min(picks["a"], picks["b"])
    assert picks["only_a"][0]["round"] >= 2
    satisfaction = next(one for one in found["metrics"] if one["name"] == "satisfaction")
    assert satisfaction["low"] <= satisfaction["difference"] <= satisfaction["high"]
    assert other in found["verdict"]


def test_numbers_since_a_branch_are_of_its_rounds_alone(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    change = {"round": 3, "type": "SwapRecommender", "kind": "random"}
    branch = site.ok(f"/runs/{run}/branch", {"at": 2, "interventions": [change]})["id"]
    site.steer(branch, "play")
    site.until(branch, "finished")

    def visits(since: int) -> dict[str, Any]:
        found = site.ok(f"/compare?a={run}&b={branch}&since={since}")
        assert found["since"] == since
        return next(row for row in found["metrics"] if row["name"] == "visits")

    rounds = site.ok(f"/runs/{run}/metrics")["rounds"]
    each = [row["visits"] for row in rounds]
    whole, late = visits(0)["a"], visits(2)["a"]
    assert whole * sum(each[2:]) == pytest.approx(late * sum(each))
    assert 0 < late < whole
    assert visits(2)["a"] == late, "asked twice"
    beyond = site.ok(f"/compare?a={run}&b={branch}&since=9")
    assert beyond["since"] == 0


def test_what_cannot_be_branched_or_compared_is_told(site: Site, tmp_path: Path) -> None:
    run = site.begin()
    site.until(run, "finished")
    assert site.post(f"/runs/{run}/branch", {"at": 99})[0] == 404
    assert site.post(f"/runs/{run}/branch", {"at": 1, "name": "one"})[0] == 400
    assert site.post(f"/runs/{run}/branch", {"at": 1, "name": "../x"})[0] == 400
    bad = {"at": 2, "interventions": [{"type": "Announce", "text": "a", "round": 1}]}
    status, found = site.post(f"/runs/{run}/branch", bad)
    assert (status, "not after round 2" in found["error"]) == (400, True)
    other = site.begin(toml="agents = 30\nrounds = 1\n", name="other")
    site.until(other, "finished")
    status, found = site.get(f"/compare?a={run}&b={other}")
    assert (status, "different people" in found["error"]) == (400, True)
    assert site.get(f"/compare?a={run}&b=none")[0] == 404
    assert site.get("/compare?a=x")[0] == 422
    assert {one.name for one in site.root.iterdir()} == {"one", "other"}
