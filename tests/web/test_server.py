"""What people and items are called."""

from __future__ import annotations

from pathlib import Path

from tests.web.conftest import Sites

from audience.log import Log


def test_names_stand_in_the_order_of_ids(sites: Sites, lived: Path) -> None:
    found = sites(lived).ok("/runs/done/names")
    with Log.open(lived / "done") as log:
        genesis = log.genesis()
    assert found["people"] == [one.name for one in genesis.profiles]
    assert found["items"] == [one.title for one in genesis.catalogue.items]
    assert found["tags"] == list(genesis.catalogue.tags)


def test_somebody_who_joins_is_named_too(sites: Sites) -> None:
    site = sites()
    run = site.begin(paused=True)
    change = {"type": "AddPerson", "profile": {"name": "Mara Lind"}}
    site.ok(f"/runs/{run}/interventions", {"change": change})
    site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
    assert site.ok(f"/runs/{run}/names")["people"][40] == "Mara Lind"


def test_a_run_that_is_not_there_has_no_names(sites: Sites) -> None:
    status, told = sites().get("/runs/nobody/names")
    assert status == 404
    assert "no run" in told["error"]
