"""Judging texts and memories inside the page, scored as the terminal scores them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.cli import main
from audience.runs import start
from audience.scenario import parse

MEMORIES = (
    "agents = 12\nrecommender = 'popular'\n[memory]\nkind = 'recagent'\nkeep = 0.4\n"
    "enhancements = 2\nreflect_at = 3.0\n[run]\nrounds = 20\n"
)


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("remembered")
    start(parse(MEMORIES), 1, root / "done")
    return root


def answer_to(task: dict[str, Any]) -> dict[str, Any]:
    match task["type"]:
        case "write":
            return {"text": "They like slow films."}
        case "pair":
            return {"verdict": 4}
    return {"informative": 4, "relevant": 2}


def test_answers_are_kept_and_scored_as_in_the_terminal(
    sites: Sites, remembered: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = sites(remembered)
    sheet = site.ok("/runs/done/judging?judge=Ann")
    assert sheet["missing"] == ""
    assert {task["type"] for task in sheet["tasks"]} >= {"write", "score"}
    path = f"/runs/done/judging/{sheet['page']}"
    answers = {task["id"]: answer_to(task) for task in sheet["tasks"]}
    first = dict(list(answers.items())[:3])
    assert site.post(path, {"judge": "Ann", "answers": first}, "PUT")[0] == 200
    assert site.ok("/runs/done/judging?judge=Ann")["answers"] == first
    assert site.post(path, {"judge": "Ann", "answers": answers}, "PUT")[0] == 200
    assert site.post(path, {"judge": "Bo", "answers": answers}, "PUT")[0] == 200
    again = sites(remembered)
    assert again.ok("/runs/done/judging?judge=ann")["answers"] == answers
    result = again.ok(f"{path}/result")
    folder = remembered / "done" / "judging"
    files = sorted(folder.glob("answers-*.json"))
    assert len(files) == 2
    key = str(folder / "seed-1.key.json")
    with pytest.raises(SystemExit):
        main(["eval", "people", "import", *map(str, files), "--key", key, "--json"])
    same = json.loads(capsys.readouterr().out)
    del same["written"]
    for judge in same["judges"]:
        judge["file"] = Path(judge["file"]).name
    assert same == result


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ({"t99999": {"verdict": 3}}, 400),
        ({"t1": {}}, 400),
        ({"t1": {"verdict": 9}}, 422),
        ({"t1": {"text": "x" * 2001}}, 422),
    ],
)
def test_answers_that_do_not_fit(
    sites: Sites, remembered: Path, answers: dict[str, Any], status: int
) -> None:
    site = sites(remembered)
    page = site.ok("/runs/done/judging")["page"]
    body = {"judge": "Cy", "answers": answers}
    assert site.post(f"/runs/done/judging/{page}", body, "PUT")[0] == status
    assert site.post(f"/runs/done/judging/{'0' * 16}", body, "PUT")[0] in (404, 422)
    assert site.ok("/runs/done/judging?judge=Cy")["answers"] == {}


def test_a_run_without_memories_says_what_is_missing(site: Site) -> None:
    run = site.begin(toml="agents = 5\nrounds = 1\n")
    site.until(run, "finished")
    sheet = site.ok(f"/runs/{run}/judging")
    assert sheet["tasks"] == []
    assert "start a run with memory 'recagent'" in sheet["missing"]
    short = site.begin(toml="agents = 3\nrounds = 1\nmemory = 'recagent'\n", name="short")
    site.until(short, "finished")
    assert "more rounds" in site.ok(f"/runs/{short}/judging")["missing"]
