"""The Lab: studies and evaluations are started, followed, cancelled and read in the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.cli.commands import LazyGroup
from audience.cli.eval import EVALUATIONS as COMMANDS, eval_group
from audience.lab.studies import conduct_study, find, with_changes, write_study
from audience.scenario import load_offer
from audience.web.lab_catalogue import EVALUATIONS, STUDY_OPTIONS
from audience.web.trash import TRASH

TINY = {"agents": 12, "rounds": 2, "seeds": 2}
STUDY = {"kind": "study", "name": "drift", "quick": True, **TINY}
MEMORY = {"kind": "evaluation", "name": "memory", "people": 2, "rounds": 16, "seeds": 1}


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study of a terminal, and one that was stopped."""
    root = tmp_path_factory.mktemp("studied")
    recipe = with_changes(find("drift"), TINY)
    write_study(conduct_study(recipe, root / "study-drift-1", workers=1), "audience study drift")
    half = root / "study-drift-2"
    half.mkdir()
    (half / "study.toml").write_text(recipe.text)
    return root


def until(site: Site, job: dict[str, Any], *states: str) -> Any:
    def look() -> Any:
        jobs = site.ok("/lab")["jobs"]
        return next(one for one in jobs if one["id"] == job["id"])

    return site.when(look, lambda one: one["state"] in states)


def test_a_study_is_started_followed_and_read(site: Site) -> None:
    job = site.ok("/lab/jobs", STUDY)
    assert job["state"] in ("waiting", "running")
    assert job["options"] == "quick, 12 people, 2 rounds, 2 seeds"
    seen = site.when(
        lambda: site.ok("/lab")["jobs"][0], lambda one: one["arms"] or one["state"] == "failed"
    )
    assert {arm["all"] for arm in seen["arms"]} == {2}
    done = until(site, job, "finished", "failed")
    assert (done["state"], done["error"]) == ("finished", "")
    assert done["done"] == done["all"] > 0
    found = site.ok(f"/lab/results/{done['result']}")
    assert found["state"] == "finished"
    assert found["verdict"].endswith(".")
    assert "| " in found["text"]
    assert found["method"]
    file = found["figures"][0]["file"]
    path = f"/api/lab/results/{done['result']}/figures/{file}"
    status, headers, figure = site.raw("GET", path)
    assert (status, headers["content-type"]) == (200, "image/svg+xml")
    assert b"<svg" in figure
    status, _, page = site.raw("GET", f"/api/lab/results/{done['result']}/report")
    assert (status, found["verdict"].split(";")[0].encode() in page) == (200, True)
    runs = site.ok("/runs")
    assert {one["group"] for one in runs} == {done["result"]}


def test_those_of_a_terminal_are_listed_and_read(sites: Sites, studied: Path) -> None:
    site = sites(studied)
    rows = site.when(
        lambda: {one["id"]: one for one in site.ok("/lab")["results"]},
        lambda found: bool(found["study-drift-1"]["verdict"]),
    )
    assert rows["study-drift-1"]["state"] == "finished"
    assert rows["study-drift-2"]["state"] == "unfinished"
    half = site.ok("/lab/results/study-drift-2")
    assert "study.toml --out" in half["command"]
    assert site.raw("GET", "/api/lab/results/study-drift-2/report")[0] == 404


def test_a_study_that_was_stopped_goes_on(site: Site) -> None:
    place = site.root / "study-drift-1"
    place.mkdir(parents=True)
    (place / "study.toml").write_text(with_changes(find("drift"), TINY).text)
    job = site.ok("/lab/results/study-drift-1/continue", {})
    assert until(site, job, "finished", "failed")["state"] == "finished"
    assert site.ok("/lab/results/study-drift-1")["state"] == "finished"
    assert site.post("/lab/results/study-drift-1/continue", {})[0] == 409


def test_an_evaluation_is_started_and_read(site: Site) -> None:
    job = until(site, site.ok("/lab/jobs", MEMORY), "finished", "failed")
    assert job["state"] == "finished", job["error"]
    found = site.ok(f"/lab/results/{job['result']}")
    assert (found["kind"], found["name"], found["state"]) == ("evaluation", "memory", "finished")
    assert "recagent" in found["text"]
    assert found["figures"]
    assert site.ok("/trash", {"id": job["result"]})["id"] == job["result"]
    assert site.ok("/lab")["results"] == []


def test_a_cancelled_one_leaves_nothing_half_and_the_next_has_its_turn(site: Site) -> None:
    first = site.ok("/lab/jobs", {**STUDY, "agents": 400, "rounds": 40, "seeds": 8})
    second = site.ok("/lab/jobs", STUDY)
    assert second["state"] == "waiting"
    third = site.ok("/lab/jobs", STUDY)
    site.ok(f"/lab/jobs/{third['id']}/cancel", {})
    seen = site.when(
        lambda: site.ok("/lab")["jobs"][2],
        lambda one: one["result"] and (site.root / one["result"] / "study.toml").is_file(),
    )
    status, told = site.post("/trash", {"id": seen["result"]})
    assert (status, "going on" in told["error"]) == (409, True)
    site.ok(f"/lab/jobs/{first['id']}/cancel", {})
    assert until(site, first, "cancelled")["result"] == ""
    assert not (site.root / seen["result"]).exists()
    assert until(site, second, "finished", "failed")["state"] == "finished"
    assert [one["state"] for one in site.ok("/lab")["jobs"]] == [
        "cancelled", "finished", "cancelled",
    ]  # fmt: skip
    assert [one["id"] for one in site.ok("/trash")] == [seen["result"]]
    assert site.post(f"/lab/jobs/{first['id']}/cancel", {})[0] == 409
    assert site.post("/lab/jobs/none/cancel", {})[0] == 404


def test_what_goes_wrong_is_told_and_leaves_nothing(site: Site) -> None:
    asked = {"kind": "evaluation", "name": "activity", "data": str(site.root / "none")}
    job = until(site, site.ok("/lab/jobs", asked), "finished", "failed")
    assert job["state"] == "failed"
    assert "none" in job["error"]
    assert "Traceback" not in job["error"]
    assert site.ok("/lab")["results"] == []


WRONG = [
    ({"kind": "study", "name": "nothing"}, 400, "study 'nothing' is unknown"),
    ({"kind": "study", "name": "mine.toml"}, 400, "unknown"),
    ({"kind": "study", "name": "../drift"}, 400, "unknown"),
    ({"kind": "evaluation", "name": "people"}, 400, "unknown"),
    ({"kind": "evaluation", "name": "taste"}, 400, "needs data"),
    ({"kind": "evaluation", "name": "knowledge"}, 400, "choose an endpoint"),
    ({"kind": "evaluation", "name": "demographics", "llm": "embedded"}, 400, "needs a run"),
    ({"kind": "evaluation", "name": "demographics", "run": "none"}, 404, "no run"),
    ({"kind": "evaluation", "name": "memory", "data": "films"}, 400, "no such option"),
    ({"kind": "study", "name": "drift", "people": 3}, 400, "no such option"),
    ({"kind": "study", "name": "drift", "seeds": 0}, 422, "seeds"),
    ({"kind": "study", "name": "drift", "out": "/tmp/x"}, 422, "out"),
]


@pytest.mark.parametrize(("asked", "status", "told"), WRONG)
def test_what_cannot_be_started_is_told(
    site: Site, asked: dict[str, object], status: int, told: str
) -> None:
    found, reply = site.post("/lab/jobs", asked)
    assert (found, told in reply["error"]) == (status, True), reply
    assert site.ok("/lab")["jobs"] == []


def test_words_of_a_request_are_never_flags(site: Site) -> None:
    asked = {"kind": "evaluation", "name": "activity", "data": "--help"}
    job = until(site, site.ok("/lab/jobs", asked), "finished", "failed")
    assert job["state"] == "failed"
    assert "--help" in job["error"]


BAD = ["..", ".trash", "none", "%2e%2e", "study-drift-1~random"]


@pytest.mark.parametrize("id_", BAD)
def test_an_id_leads_nowhere_else(sites: Sites, studied: Path, id_: str) -> None:
    site = sites(studied)
    for path in ("", "/report", "/figures/x.svg"):
        assert site.raw("GET", f"/api/lab/results/{id_}{path}")[0] == 404
    assert site.raw("POST", f"/api/lab/results/{id_}/continue", body=b"{}")[0] == 404


FILES = ["study.toml", "..%2fstudy.toml", "%2e%2e", "report.html", "x.svg", "numbers.csv", ".svg"]


@pytest.mark.parametrize("file", FILES)
def test_only_figures_are_given_out(sites: Sites, studied: Path, file: str) -> None:
    path = f"/api/lab/results/study-drift-1/figures/{file}"
    assert sites(studied).raw("GET", path)[0] == 404


def test_a_link_in_the_place_of_a_figure_or_report_is_not_followed(
    site: Site, tmp_path: Path
) -> None:
    (tmp_path / "secret.svg").write_text("secret")
    place = site.root / "eval-activity-1"
    place.mkdir(parents=True)
    (place / "table.md").symlink_to(tmp_path / "secret.svg")
    (place / "figure.svg").symlink_to(tmp_path / "secret.svg")
    (place / "report.html").symlink_to(tmp_path / "secret.svg")
    assert "secret" not in json.dumps(site.ok("/lab/results/eval-activity-1"))
    for path in ("figures/figure.svg", "report"):
        assert site.raw("GET", f"/api/lab/results/eval-activity-1/{path}")[0] == 404


def test_starting_needs_the_token(site: Site) -> None:
    body = json.dumps(STUDY).encode()
    json_ = {"content-type": "application/json"}
    assert site.raw("POST", "/api/lab/jobs", body=body, token=False, headers=json_)[0] == 401


def test_others_start_the_studies_that_are_offered_and_no_more(
    sites: Sites, tmp_path: Path, studied: Path
) -> None:
    offer = tmp_path / "offer.toml"
    offer.write_text('studies = ["drift"]\n')
    site = sites(studied, offered=load_offer(offer))
    shown = site.ok("/lab")
    assert [one["name"] for one in shown["offers"]] == ["drift"]
    assert shown["refused"]
    refused = [
        {"kind": "study", "name": "cocoon"},
        MEMORY,
        {**STUDY, "data": "ml-1m"},
        {**STUDY, "mind": "llm"},
        {**STUDY, "llm": "http://127.0.0.1:1"},
        {**STUDY, "agents": 100_000},
    ]
    for asked in refused:
        assert site.post("/lab/jobs", asked)[0] == 409, asked
    assert site.raw("GET", "/api/lab/results/study-drift-1/report")[0] == 409
    assert site.get("/lab/results/study-drift-1")[0] == 200
    assert site.post("/lab/results/study-drift-2/continue", {})[0] == 409
    assert site.ok("/lab")["jobs"] == []
    offer.write_text('studies = ["nothing"]\n')
    with pytest.raises(Exception, match="study 'nothing' is unknown"):
        load_offer(offer)


def test_every_option_that_the_page_offers_is_one_of_its_command() -> None:
    assert isinstance(eval_group, LazyGroup)
    for name, one in EVALUATIONS.items():
        assert name in COMMANDS
        command = eval_group.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        flags = {flag.name for flag in command.params}
        assert set(one.takes) <= flags | {"model"}, name
        assert one.out == ("out" in flags), name
    assert "model" in STUDY_OPTIONS
    assert TRASH.startswith(".")
