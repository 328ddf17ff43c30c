"""What people and items are called, and replies that are compressed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from urllib.request import Request, urlopen

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


def test_long_replies_are_compressed_for_those_who_can_read_it(sites: Sites, lived: Path) -> None:
    address = f"{sites(lived).address}/api/runs/done/names"
    with urlopen(address) as plain:
        whole = plain.read()
        assert plain.headers["content-encoding"] is None
    with urlopen(Request(address, headers={"accept-encoding": "gzip"})) as packed:
        body = packed.read()
        assert packed.headers["content-encoding"] == "gzip"
        assert "accept-encoding" in packed.headers["vary"].lower()
        assert int(packed.headers["content-length"]) == len(body) < len(whole)
        assert packed.headers["x-content-type-options"] == "nosniff"
    assert gzip.decompress(body) == whole
    assert json.loads(whole)["people"]


def test_a_stream_is_never_held_back_by_compression(sites: Sites, lived: Path) -> None:
    address = f"{sites(lived).address}/api/runs/done/stream"
    with urlopen(Request(address, headers={"accept-encoding": "gzip"})) as stream:
        assert stream.headers["content-encoding"] is None
        assert stream.readline().startswith(b"retry: ")
