"""Interviews from a page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site

from audience.cli import main
from audience.llm.fake import Fake
from audience.log import Log

Serving = Callable[..., AbstractContextManager[Fake]]


def answered(site: Site, job: str) -> Any:
    return site.when(lambda: site.ok(f"/jobs/{job}"), lambda found: found["over"])


def digest(folder: Path) -> str:
    with Log.open(folder) as log:
        return log.digest()


@pytest.fixture
def asked(site: Site, serving: Serving) -> Any:
    with serving() as fake:
        toml = f"agents = 20\nrounds = 2\n[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
        run = site.begin(toml=toml)
        site.until(run, "finished")
        yield run


def test_one_some_or_all_are_asked_and_stay_as_they_were(site: Site, asked: str) -> None:
    before = digest(site.root / asked)
    for whom, count in (({"agents": [3]}, 1), ({"agents": [1, 5, 5]}, 2), ({"everyone": True}, 20)):
        job = site.ok(f"/runs/{asked}/ask", {**whom, "question": "What did you like?"})["job"]
        found = answered(site, job)
        assert (found["done"], found["total"], found["error"]) == (count, count, None)
        assert all(one["text"] and one["name"] and one["calls"] for one in found["answers"])
    call = site.ok(f"/runs/{asked}/calls/{found['answers'][0]['calls'][0]}")
    assert call["purpose"] == "interview"
    assert digest(site.root / asked) == before


def test_a_segment_is_asked(site: Site, asked: str) -> None:
    people = site.ok(f"/runs/{asked}/people?limit=100")
    interest = people[0]["interests"][0]
    wanted = {one["id"] for one in people if interest in one["interests"]}
    body = {"segment": {"interest": interest}, "question": "Why?", "at": 1}
    found = answered(site, site.ok(f"/runs/{asked}/ask", body)["job"])
    assert {one["agent"] for one in found["answers"]} == wanted
    age = people[0]["age"]
    body = {"segment": {"age": f"{age}-{age}"}, "question": "Why?"}
    found = answered(site, site.ok(f"/runs/{asked}/ask", body)["job"])
    assert 0 in {one["agent"] for one in found["answers"]}


def test_who_shall_remember_does(site: Site, asked: str) -> None:
    again = site.ok(f"/runs/{asked}/branch", {"at": 1})["id"]
    body = {"agents": [3], "question": "What now?", "remember": True}
    assert answered(site, site.ok(f"/runs/{again}/ask", body)["job"])["error"] is None
    (kept,) = site.ok(f"/runs/{again}/interventions")
    assert (kept["do"], kept["agent"], kept["round"], kept["state"]) == ("remind", 3, 2, "pending")
    site.steer(again, "step_round")
    site.until(again, "finished")
    body = {"agents": [3], "question": "What now?", "remember": True}
    assert "branch it" in answered(site, site.ok(f"/runs/{again}/ask", body)["job"])["error"]


def test_a_model_that_is_gone_is_told(site: Site) -> None:
    toml = (
        "agents = 5\nrounds = 1\n[llm]\nurl = 'http://127.0.0.1:9/v1'\nmodel = 'x'\noverall = 0.2\n"
    )
    run = site.begin(toml=toml)
    site.until(run, "finished")
    body = {"agents": [1], "question": "Are you there?"}
    found = answered(site, site.ok(f"/runs/{run}/ask", body)["job"])
    assert found["error"] or found["answers"][0]["failure"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": "Who?"}, 400),
        ({"agents": [1], "everyone": True, "question": "Who?"}, 400),
        ({"agents": [1], "question": "  "}, 400),
        ({"agents": [99], "question": "Who?"}, 400),
        ({"agents": [], "question": "Who?"}, 400),
        ({"segment": {"shoe size": "44"}, "question": "Who?"}, 400),
        ({"segment": {"age": "old"}, "question": "Who?"}, 400),
        ({"agents": [1], "question": "Who?", "at": 99}, 404),
        ({"agents": [-1], "question": "Who?"}, 422),
        ({"agents": [1]}, 422),
    ],
)
def test_a_question_that_cannot_be_asked(site: Site, body: dict[str, Any], status: int) -> None:
    run = site.begin(paused=True)
    assert site.post(f"/runs/{run}/ask", body)[0] == status
    assert site.get("/jobs/1")[0] == 404


def test_a_branch_does_not_inherit_what_people_were_asked(site: Site, asked: str) -> None:
    before = site.ok(f"/runs/{asked}")["calls"]
    job = site.ok(f"/runs/{asked}/ask", {"everyone": True, "question": "Why?"})["job"]
    answered(site, job)
    assert site.ok(f"/runs/{asked}")["calls"] == before + 20
    branch = site.ok(f"/runs/{asked}/branch", {"at": 1})["id"]
    assert site.ok(f"/runs/{branch}")["calls"] == before
    with pytest.raises(SystemExit) as done:
        main(["doctor", str(site.root / branch)])
    assert done.value.code == 0, "what is left is whole"
