"""One's own recommender: an uploaded file is parsed, then loaded; a service is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.services import example, write_items
from tests.web.conftest import Site, Sites

from audience.scenario import load_offer
from audience.web.own_recommenders import UPLOADS

MINE = '''
"""The newest items first."""
import numpy as np


class Newest:
    def fit(self, interactions, rng):
        years = np.array([item.year or 0 for item in interactions.catalogue.items])
        return Ranker(np.argsort(-years, kind="stable"))


class Ranker:
    def __init__(self, order):
        self.order = order

    def rank(self, users, k, context):
        order, seen = self.order.tolist(), map(set, context.exclude)
        rows = [[i for i in order if i not in no][:k] for no in seen]
        return np.array([row + [-1] * (k - len(row)) for row in rows]).reshape(len(users), k)
'''


def upload(site: Site, text: str, name: str = "mine.py") -> tuple[int, Any]:
    return site.post("/recommenders/upload", {"name": name, "text": text})


def kept(site: Site) -> list[Path]:
    return [path for path in (site.root / UPLOADS).rglob("*") if path.is_file()]


def test_a_file_is_kept_with_its_recommenders_and_can_be_compared(site: Site) -> None:
    status, found = upload(site, MINE)
    assert status == 200, found
    (own,) = found["recommenders"]
    assert (own["name"], own["file"]) == ("Newest", "mine.py")
    assert upload(site, MINE)[1] == found, "the same content is the same file"
    assert [path.name for path in kept(site)] == ["mine.py"]
    tried = site.ok("/recommenders/try", {"kind": own["kind"]})
    assert tried["ok"], tried
    form = {"agents": 30, "rounds": 2, "seeds": 2, "recommenders": ["popular", own["kind"]]}
    made = site.ok("/runs", {"form": form, "name": "mine"})
    found = site.when(
        lambda: site.ok(f"/experiments/{made['experiment']}"),
        lambda one: one["state"] == "finished",
    )
    assert found["arms"] == ["popular", "Newest"]


def test_another_content_under_the_same_name_is_another_file(site: Site) -> None:
    one = upload(site, MINE)[1]["recommenders"][0]["kind"]
    two = upload(site, MINE + "\n# changed\n")[1]["recommenders"][0]["kind"]
    assert one != two
    assert len(kept(site)) == 2


BROKEN = {
    "class Mine\n": "mine.py, line 1: expected ':'",
    "import nothing_like_it\nclass A:\n    def fit(self, i, r): ...\n": "mine.py, line 1: Module",
    "class A:\n    def fit(self, i, r): ...\n\n1 / 0\n": "mine.py, line 4: ZeroDivisionError",
    "class A:\n    pass\n": "no class in it has a method `fit`; a recommender has fit(",
    "x = 1\n": "Classes there: none",
    "class A(Exception):\n    pass\n": "no class in it has a `fit`",
    "class A:\n    def fit(self, i, r): ...\nraise SystemExit(3)\n": "mine.py, line 3: SystemExit",
    "\0": "mine.py",
    "(" * 5000: "mine.py",
}


@pytest.mark.parametrize(("text", "told"), BROKEN.items())
def test_what_is_wrong_names_the_line_and_nothing_is_kept(site: Site, text: str, told: str) -> None:
    status, reply = upload(site, text)
    assert status == 400
    assert told in str(reply["error"])
    assert str(site.root) not in str(reply["error"])
    assert kept(site) == []


def test_a_file_without_a_recommender_is_never_run(site: Site, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    status, _ = upload(site, f"open({str(mark)!r}, 'w').close()\nclass A: ...\n")
    assert status == 400
    assert not mark.exists()


NAMES = ["../mine.py", "/tmp/mine.py", "mine.txt", ".py", "..py", "a b.py", "mine.py\0", "ä.py",
         "mine.py/x", "con\n.py", "-x.py", "a" * 99, "__init__.py.py"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_nowhere_else(site: Site, tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    status, _ = upload(site, MINE, name)
    assert status in (400, 422)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_huge_file_is_refused(site: Site) -> None:
    assert upload(site, "#" * 200_001)[0] == 422
    body = json.dumps({"name": "mine.py", "text": "#" * 1_000_500}).encode()
    json_ = {"content-type": "application/json"}
    assert site.raw("POST", "/api/recommenders/upload", body=body, headers=json_)[0] == 413
    assert kept(site) == []


def test_links_in_the_place_of_uploads_are_refused(site: Site, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (site.root / UPLOADS).symlink_to(outside)
    status, told = upload(site, MINE)
    assert (status, "is not a folder" in str(told["error"])) == (409, True)
    assert list(outside.iterdir()) == []


def test_uploading_needs_the_token_and_our_own_page(site: Site) -> None:
    body = json.dumps({"name": "mine.py", "text": MINE}).encode()
    json_ = {"content-type": "application/json"}
    for path in ("/api/recommenders/upload", "/api/recommenders/try"):
        assert site.raw("POST", path, body=body, token=False, headers=json_)[0] == 401
        foreign = {**json_, "origin": "http://elsewhere.example"}
        assert site.raw("POST", path, body=body, headers=foreign)[0] == 403
    assert kept(site) == []


@pytest.mark.parametrize("way", ["host", "offer"])
def test_only_a_page_for_this_machine_alone_takes_files(
    sites: Sites, tmp_path: Path, way: str
) -> None:
    offer = tmp_path / "offer.toml"
    offer.write_text("")
    site = sites(host="0.0.0.0") if way == "host" else sites(offered=load_offer(offer))
    assert site.ok("/session")["is_private"] is False
    status, told = upload(site, MINE)
    assert (status, "this machine alone" in str(told["error"])) == (409, True)
    status, told = site.post("/recommenders/try", {"kind": "http://127.0.0.1:1"})
    assert (status, "--offer" in told["error"]) == (409, True)
    assert kept(site) == []


def test_a_service_is_tried_and_what_is_wrong_is_told(site: Site, tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.csv", [f"i{number}" for number in range(40)])
    with example(items) as service:
        tried = site.ok("/recommenders/try", {"kind": service.url})
        assert tried["ok"], tried
        assert {one["what"] for one in tried["checks"]} >= {"health", "rank"}
    tried = site.ok("/recommenders/try", {"kind": service.url})
    assert not tried["ok"]
    assert all(one["told"] for one in tried["checks"])


@pytest.mark.parametrize("kind", ["localhost:8090", "http://", "ftp://x", "http://u:pass@h/x"])
def test_what_is_no_address_is_told(site: Site, kind: str) -> None:
    status, told = site.post("/recommenders/try", {"kind": kind})
    assert status == 400, told


def test_endpoints_of_given_scenarios_can_be_chosen(sites: Sites, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text("[llm]\nurl = 'http://127.0.0.1:9/v1'\nmodel = 'm'\nkey_env = 'HOUSE_KEY'\n")
    session = sites(found={"house": path}).ok("/session")
    assert session["endpoints"] == ["http://127.0.0.1:9/v1"]
    assert session["models"] == {"http://127.0.0.1:9/v1": ["m"]}
    assert session["endpoint_keys"] == {"http://127.0.0.1:9/v1": "HOUSE_KEY"}
    offer = tmp_path / "offer.toml"
    offer.write_text(
        "[endpoints.house]\nurl = 'http://127.0.0.1:9/v1'\nmodel = 'm'\nmodels = ['n']\n"
    )
    session = sites(offered=load_offer(offer)).ok("/session")
    assert (session["endpoints"], session["models"]) == (["house"], {"house": ["m", "n"]})
    assert "127.0.0.1:9" not in json.dumps(session)
