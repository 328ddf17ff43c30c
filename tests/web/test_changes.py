"""Changes from a page: recorded, made at the next opening, and lived again by a replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site

from audience.cli import main
from audience.log import Log
from audience.plugins import offer
from audience.runs import measured
from audience.scenario import parse
from audience.web.changes import written_of
from audience.world import events as e

CHANGES: list[dict[str, Any]] = [
    {"type": "Announce", "text": "Look at this", "items": [3], "stance": 1.0},
    {"type": "Advertise", "text": "For you", "items": [4], "agents": [1, 2]},
    {"type": "AddPerson", "profile": {"name": "Zoe", "interests": ["Drama"]}, "friends": [1, 2]},
    {"type": "AddPerson", "profile": {"name": "Yan"}, "friends": [40]},
    {"type": "AddItem", "item": {"title": "A New One", "tags": ["Drama"]}},
    {"type": "AddTie", "agent": 1, "other": 5},
    {"type": "CutTie", "agent": 1, "other": 5},
    {"type": "ChangeProfile", "agent": 1, "fields": {"interests": ["Comedy"], "age": 33}},
    {"type": "Silence", "agent": 3},
    {"type": "Remind", "agent": 1, "text": "I was asked"},
    {
        "type": "Raise",
        "topic": {"name": "trams", "text": "Trams shall be free.", "appeals": ["Drama"]},
        "seeds": [1, 2],
        "stance": 0.5,
    },
    {"type": "SwapRecommender", "kind": "random"},
    {"type": "SwapRecommender", "kind": "item-knn", "options": {"neighbours": 5}},
]


def made_in(folder: Path, round_: int) -> list[object]:
    with Log.open(folder) as log:
        records = log.records(begin_round=round_, end_round=round_ + 1)
        return [one.event.change for one in records if isinstance(one.event, e.Intervened)]


def test_every_kind_of_change_is_made_at_the_next_opening_and_lived_again(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    run = site.begin(paused=True)
    site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
    for change in CHANGES:
        found = site.ok(f"/runs/{run}/interventions", {"change": change})
        assert found["applies_at"] == 2
        assert found["change"]["type"] == change["type"]
    pending = site.ok(f"/runs/{run}/interventions")
    assert [one["state"] for one in pending] == ["pending"] * len(CHANGES)
    site.steer(run, "step_visit")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: not one["control"]["pending"])
    late = site.ok(f"/runs/{run}/interventions", {"change": {"type": "Announce", "text": "Late"}})
    assert late["applies_at"] == 3, "what has opened is opened"
    site.steer(run, "play")
    site.until(run, "finished")
    folder = site.root / run
    assert [type(one).__name__ for one in made_in(folder, 2)] == [one["type"] for one in CHANGES]
    assert len(made_in(folder, 3)) == 1
    assert site.ok(f"/runs/{run}")["panel"]["people"] == 42
    assert site.ok(f"/runs/{run}/people?query=zoe")[0]["id"] == 40
    assert {one["state"] for one in site.ok(f"/runs/{run}/interventions")} == {"done"}
    with pytest.raises(SystemExit) as done:
        main(["replay", str(folder), "--check"])
    assert done.value.code == 0
    assert "the same bytes" in capsys.readouterr().out


def test_what_is_queued_when_a_run_stops_is_kept(site: Site) -> None:
    run = site.begin(paused=True)
    site.steer(run, "step_visit")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["n"] == 2)
    change = {"type": "Announce", "text": "Kept"}
    assert site.ok(f"/runs/{run}/interventions", {"change": change})["applies_at"] == 2
    site.steer(run, "stop")
    with Log.open(site.root / run) as log:
        assert parse(log.scenario).interventions == (
            {"round": 2, "do": "announce", "text": "Kept"},
        )
    change = {"do": "announce", "text": "While it lay still"}
    assert site.ok(f"/runs/{run}/interventions", {"change": change})["applies_at"] == 2
    site.steer(run, "play")
    site.until(run, "finished")
    assert len(made_in(site.root / run, 2)) == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "unknown"),
        ({"type": "Nothing"}, "unknown"),
        ({"type": ["Announce"]}, "unknown"),
        ({"do": ["announce"]}, "unknown"),
        ({"do": "remind", "agent": {}, "text": 5}, "agent"),
        ({"type": "Announce"}, "text"),
        ({"type": "Announce", "text": "a", "items": [10**6]}, "does not exist"),
        ({"type": "Announce", "text": "a", "colour": "red"}, "colour"),
        ({"type": "ChangeProfile", "agent": 999, "fields": {"age": 3}}, "does not exist"),
        ({"type": "ChangeProfile", "agent": 1, "fields": {"agee": 3}}, "age"),
        ({"type": "ChangeProfile", "agent": 1, "fields": 7}, "table"),
        ({"type": "AddTie", "agent": 1, "other": 1}, "two people"),
        ({"type": "AddItem", "item": {"title": "X", "tags": ["No such tag"]}}, "unknown"),
        ({"type": "SwapRecommender", "kind": "none such"}, "unknown"),
        ({"type": "SwapRecommender", "kind": "popular", "options": {"x": 1}}, "option 'x'"),
        ({"type": "SwapRecommender", "kind": "http://127.0.0.1:1/"}, "branch it"),
        ({"type": "SwapRecommender", "kind": "mine.py:Mine"}, "branch it"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(
    site: Site, change: dict[str, Any], says: str
) -> None:
    run = site.begin(paused=True)
    status, found = site.post(f"/runs/{run}/interventions", {"change": change})
    assert (status, says in found["error"]) == (400, True), found
    assert site.ok(f"/runs/{run}/interventions") == []
    site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)


def test_an_id_that_the_scenario_will_give_is_not_taken(site: Site) -> None:
    later = "[[interventions]]\nround = 3\ndo = 'add_person'\nname = 'Third'\n"
    run = site.begin(paused=True, toml=f"agents = 20\nrounds = 4\n{later}")
    body = {"change": {"type": "AddPerson", "profile": {"name": "Now"}}}
    status, found = site.post(f"/runs/{run}/interventions", body)
    assert (status, "round 3" in found["error"]) == (400, True)
    for _ in range(3):
        site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 3)
    assert site.ok(f"/runs/{run}/interventions", body)["change"]["profile"]["id"] == 21
    site.steer(run, "play")
    site.until(run, "finished")


def test_what_has_ended_is_branched_instead(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    body = {"change": {"type": "Announce", "text": "Too late"}}
    status, found = site.post(f"/runs/{run}/interventions", body)
    assert (status, "branch it" in found["error"]) == (409, True)
    assert measured(site.root / run).totals["visits"] > 0


def test_both_forms_of_a_change_are_written_alike() -> None:
    typed = {"type": "ChangeProfile", "agent": 1, "fields": {"age": 3}, "round": 9}
    written = {"do": "change_profile", "agent": 1, "age": 3}
    assert written_of(typed) == written_of({**written, "round": 2}) == written
    assert written_of({"type": "AddItem", "item": {"id": 7, "title": "T"}}) == {
        "do": "add_item",
        "title": "T",
    }


class Unable:
    """A recommender that can be made and cannot learn."""

    def fit(self, interactions: object, rng: object) -> object:
        raise ValueError("nothing to learn from")


def test_a_recommender_that_cannot_take_over_is_tried_on_a_copy_first(site: Site) -> None:
    """Its options can be read, and it fails when it learns: the run must not learn of it."""
    run = site.begin(paused=True)
    site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
    change = {"type": "SwapRecommender", "kind": offer(Unable())}
    status, found = site.post(f"/runs/{run}/interventions", {"change": change})
    assert status == 400, found
    assert "cannot take over" in found["error"]
    assert site.ok(f"/runs/{run}/interventions") == []
    site.steer(run, "play")
    assert site.until(run, "finished")["round"] == 4


def test_a_pending_change_is_withdrawn_while_a_run_goes_on_and_while_it_lies_still(
    site: Site,
) -> None:
    run = site.begin(paused=True)
    path = f"/runs/{run}/interventions"
    for text in ("First", "Second"):
        site.ok(path, {"change": {"type": "Announce", "text": text}})
    assert site.post(f"{path}/0", {}, "DELETE")[0] == 200
    assert [one["text"] for one in site.ok(path)] == ["Second"]
    assert site.post(f"{path}/7", {}, "DELETE")[0] == 404
    site.steer(run, "step_visit")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["n"] == 2)
    assert site.post(f"{path}/0", {}, "DELETE")[0] == 409, "it was made"
    site.steer(run, "stop")
    site.ok(path, {"change": {"type": "Announce", "text": "Third"}})
    assert [one["state"] for one in site.ok(path)] == ["done", "pending"]
    assert site.post(f"{path}/1", {}, "DELETE")[0] == 200
    assert [one["text"] for one in site.ok(path)] == ["Second"]
    site.steer(run, "play")
    site.until(run, "finished")
    assert made_in(site.root / run, 2) == []
