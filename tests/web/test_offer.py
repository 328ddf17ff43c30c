"""What a scenario, a form, a change and a branch from another machine may name."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import SMALL, Site, Sites, serving_all

from audience.runs import conduct, start
from audience.scenario import load_offer, parse

CORPUS = json.loads((Path(__file__).parents[1] / "corpus/web/outside.json").read_text("utf-8"))
PLANTED = "planted-4f81d2c7a9"


class Trap:
    """A service that nobody may ask; it keeps what came."""

    def __init__(self) -> None:
        heard: list[str] = []

        class Listening(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.append(f"{self.command} {self.path} {self.headers}")
                self.send_error(404)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None: ...

        self.heard = heard
        self._server = HTTPServer(("127.0.0.1", 0), Listening)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Bait:
    """A file, a folder, an address and a variable that nothing from outside may reach."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "bait"
        self.folder.mkdir()
        self.file, self.owned = self.folder / "evil.py", root / "owned"
        self.file.write_text(f"open({str(self.owned)!r}, 'w').close()\nclass Evil: pass\n")
        self.trap = Trap()

    def filled(self, value: Any) -> Any:
        text = json.dumps(value).replace("$FILE", str(self.file))
        text = text.replace("$FOLDER", str(self.folder)).replace("$URL", self.trap.url)
        return json.loads(text)

    def check(self) -> None:
        assert not self.owned.exists(), "a program of another machine was run"
        assert not self.trap.heard, "another host was asked"


@pytest.fixture
def bait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bait]:
    monkeypatch.setenv("PLANTED", PLANTED)
    made = Bait(tmp_path)
    yield made
    made.trap.close()


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The same for all who are refused."""
    with serving_all(tmp_path_factory.mktemp("away"), "0.0.0.0") as site:
        yield site


@pytest.fixture
def away(sites: Sites) -> Site:
    """A server that other machines can reach, without an offer."""
    return sites(host="0.0.0.0")


def refused(site: Site, path: str, body: object, bait: Bait) -> str:
    status, found = site.post(path, body)
    text = json.dumps(found)
    bait.check()
    assert PLANTED not in text
    if path == "/scenarios/check":
        assert (status, found["ok"]) == (200, False), found
        return str(found["problems"][0]["message"])
    assert status == 400, found
    return str(found["error"])


@pytest.mark.parametrize("why", CORPUS["scenarios"])
def test_a_scenario_names_nothing_outside(refusing: Site, bait: Bait, why: str) -> None:
    toml = f"agents = 20\nrounds = 2\n{bait.filled(CORPUS['scenarios'][why])}\n"
    for path in ("/runs", "/scenarios/check"):
        error = refused(refusing, path, {"toml": toml}, bait)
        assert "offer" in error, error
    assert not list(refusing.root.iterdir())


@pytest.mark.parametrize("why", CORPUS["forms"])
def test_a_form_names_nothing_outside(refusing: Site, bait: Bait, why: str) -> None:
    form = {"agents": 20, "rounds": 2, **bait.filled(CORPUS["forms"][why])}
    for path in ("/runs", "/scenarios/check"):
        error = refused(refusing, path, {"form": form}, bait)
        assert "offer" in error, error
    assert not list(refusing.root.iterdir())


@pytest.mark.parametrize("why", CORPUS["changes"])
def test_changes_and_branches_name_nothing_outside(away: Site, bait: Bait, why: str) -> None:
    run = away.begin(paused=True)
    change = bait.filled(CORPUS["changes"][why])
    assert "offer" in refused(away, f"/runs/{run}/interventions", {"change": change}, bait)
    body = {"at": 0, "interventions": [change], "name": "branch"}
    assert "offer" in refused(away, f"/runs/{run}/branch", body, bait)
    assert [one.name for one in away.root.iterdir()] == [run]


@pytest.mark.parametrize("depth", [50, 200, 400])
def test_parts_in_parts_without_end_are_refused(away: Site, bait: Bait, depth: int) -> None:
    part: Any = f"{bait.file}:Evil"
    for _ in range(depth):
        part = {"kind": "explained", "of": part}
    for path in ("/runs", "/scenarios/check"):
        status, found = away.post(path, {"form": {"recommender": part}})
        assert (status == 400) or not found["ok"], found
    bait.check()


def test_what_comes_with_the_package_works_from_elsewhere(away: Site) -> None:
    toml = f"""{SMALL}
        [dataset]
        kind = "films"
        activity = {{ law = "pareto", alpha = 2.0, minimum = 0.1 }}
        [mind]
        kind = "assisted"
        of = "rule"
        [memory]
        kind = "recagent"
        [recommender]
        kind = "mix"
        parts = ["popular", {{ kind = "explained", of = "random" }}]
        [[interventions]]
        round = 2
        do = "swap_recommender"
        kind = "random"
        [[interventions]]
        round = 2
        do = "announce"
        text = "See https://example.com/news.py"
    """
    run = away.begin(toml=toml)
    assert away.until(run, "finished", "failed")["control"]["state"] == "finished"
    away.ok(f"/runs/{run}/branch", {"at": 1, "interventions": [{"do": "announce", "text": "a/b"}]})


PART = """
from audience.recommenders import Popular
class Mine(Popular):
    pass
"""


@pytest.fixture
def offer(tmp_path: Path) -> Path:
    folder = tmp_path / "operator"
    folder.mkdir()
    (folder / "mine.py").write_text(PART)
    (folder / "own.toml").write_text(f"{SMALL}recommender = 'mine.py:Mine'\n")
    path = folder / "offer.toml"
    path.write_text("scenarios = ['own.toml']\n[recommenders]\nmine = 'mine.py:Mine'\n")
    return path


def test_what_is_offered_works_by_its_name(
    sites: Sites, serving: Any, offer: Path, bait: Bait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", PLANTED)
    with serving() as fake:
        table = f"[endpoints.house]\nurl = '{fake.url}'\nmodel = 'fake'\nkey_env = 'HOUSE_KEY'\n"
        offer.write_text(f"{offer.read_text()}{table}")
        offered = load_offer(offer)
        site = sites(host="0.0.0.0", offered=offered, found=offered.scenarios)
        toml = "agents = 5\nrounds = 1\nrecommender = 'mine'\nmind = 'llm'\n[llm]\nurl = 'house'\n"
        run = site.begin(toml=toml)
        done = site.until(run, "finished", "failed")
        assert done["control"]["state"] == "finished", done["control"]
        assert done["calls"] > 0
        assert done["scenario"]["llm"]["url"] == "house"
        assert done["scenario"]["recommender"] == {"kind": "mine", "options": {}}
        job = site.ok(f"/runs/{run}/ask", {"agents": [1], "question": "Why?"})["interview"]
        first = f"/runs/{run}/interviews/{job}"
        site.when(lambda: site.ok(first), lambda found: found["state"] != "asking")
        chat = site.ok(f"/runs/{run}/chats", {"agent": 1})["id"]
        assert site.ok(f"/runs/{run}/chats/{chat}", {"text": "Hello?"})["said"][1]["text"]
        swapped = {"do": "swap_recommender", "kind": "mine"}
        site.ok(f"/runs/{run}/branch", {"at": 0, "interventions": [swapped], "name": "b"})
        checked = site.ok("/scenarios/check", {"toml": toml})
        assert site.ok("/scenarios/check", {"toml": checked["toml"]})["ok"], "it can be sent again"
        form = {"scenario": "own", "agents": 7, "rounds": 1}
        own = site.ok("/runs", {"form": form, "name": "own"})["id"]
        assert site.until(own, "finished", "failed")["control"]["state"] == "finished"
        session = site.ok("/session")
        assert "mine" in session["recommenders"]
        assert (session["endpoints"], session["keys"]) == (["house"], {})
        secrets = (fake.url, str(offer.parent), PLANTED, "HOUSE_KEY", fake.url.split("/")[2])
    gone = site.begin(toml=toml.replace("agents = 5", "agents = 6"), name="gone")
    site.until(gone, "failed", "stopped")
    bait.check()
    asked = {"agents": [2], "question": "And now?"}
    late = f"/runs/{run}/interviews/{site.ok(f'/runs/{run}/ask', asked)['interview']}"
    told = site.when(lambda: site.ok(late), lambda found: found["state"] != "asking")
    assert "house" in json.dumps(told), told
    assert "house" in json.dumps(site.post(f"/runs/{run}/chats/{chat}", {"text": "Again?"}))
    paths = ("session", "scenarios", "runs", first[1:], late[1:], f"runs/{run}/chats/{chat}")
    below = ("", "/interventions", "/story", "/people/1", "/names", "/metrics", "/report")
    for path in (*paths, *(f"runs/{each}{one}" for each in (run, "b", own, gone) for one in below)):
        status, _, body = site.raw("GET", f"/api/{path}")
        for secret in secrets:
            assert secret.encode() not in body, (path, secret)
        assert status < 500
    with site.stream(f"/runs/{gone}/stream", x_audience_token=site.access.token) as stream:
        state = json.dumps(stream.next("state")[2])
        assert not any(secret in state for secret in secrets)


def test_an_offer_holds_on_this_machine_too(sites: Sites, offer: Path, bait: Bait) -> None:
    site = sites(offered=load_offer(offer))
    toml = bait.filled("recommender = '$FILE:Evil'")
    assert "offered: " in refused(site, "/runs", {"toml": toml}, bait)
    assert "'mine'" in refused(site, "/runs", {"toml": toml}, bait)


def test_this_machine_alone_names_what_it_likes(site: Site, offer: Path) -> None:
    mine = f"{offer.parent}/mine.py:Mine"
    run = site.begin(toml=f"{SMALL}recommender = '{mine}'\n")
    assert site.until(run, "finished")["scenario"]["recommender"]["kind"] == mine


def test_runs_of_the_operator_show_no_addresses(sites: Sites, tmp_path: Path) -> None:
    own = parse(
        "agents = 5\nrounds = 1\n[llm]\nurl = 'http://secret.example/v1'\nkey_env = 'SECRET_KEY'\n"
    )
    start(own, 1, tmp_path / "runs" / "own")
    site = sites(host="0.0.0.0")
    _, _, body = site.raw("GET", "/api/runs/own")
    assert b"secret.example" not in body
    assert b"SECRET_KEY" not in body


def test_an_experiment_shows_no_more_of_its_scenario_than_a_run(
    sites: Sites, tmp_path: Path
) -> None:
    root = tmp_path / "runs"
    (tmp_path / "own.py").write_text(
        "from audience.recommenders import Popular\nclass Own(Popular): pass\n"
    )
    arms = f"[arms.a]\nrecommender = 'popular'\n[arms.own]\nrecommender = '{tmp_path}/own.py:Own'\n"
    conduct(parse(f"agents = 20\nrounds = 1\nseeds = 2\n{arms}"), root / "both")
    site = sites(root, host="0.0.0.0")
    for path in ("/api/experiments/both", "/api/experiments/both/report", "/api/experiments"):
        status, _, body = site.raw("GET", path)
        assert status == 200
        assert str(tmp_path).encode() not in body


def test_people_of_a_run_whose_model_is_not_offered_are_not_asked(
    sites: Sites, serving: Any, offer: Path
) -> None:
    with serving() as fake:
        own = sites()
        run = own.begin(toml=f"agents = 5\nrounds = 1\n[llm]\nurl = '{fake.url}'\n")
        own.until(run, "finished")
        before = fake.requests
        site = sites(own.root, host="0.0.0.0", offered=load_offer(offer))
        for path, body in (
            (f"/runs/{run}/ask", {"agents": [1], "question": "Why?"}),
            (f"/runs/{run}/chats", {"agent": 1}),
        ):
            status, told = site.post(path, body)
            assert status == 400
            assert "not offered" in told["error"]
        assert fake.requests == before
