"""Interviews from a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.cli import main
from audience.llm.fake import Fake
from audience.log import Log

Serving = Callable[..., AbstractContextManager[Fake]]


def answered(site: Site, run: str, body: dict[str, Any]) -> Any:
    """Ask, and return the interview once it is over."""
    id_ = site.ok(f"/runs/{run}/ask", body)["interview"]
    return site.when(
        lambda: site.ok(f"/runs/{run}/interviews/{id_}"), lambda found: found["state"] != "asking"
    )


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
        found = answered(site, asked, {**whom, "question": "What did you like?"})
        assert (found["done"], found["asked"], found["error"]) == (count, count, "")
        assert all(one["text"] and one["name"] and one["calls"] for one in found["answers"])
    call = site.ok(f"/runs/{asked}/calls/{found['answers'][0]['calls'][0]}")
    assert call["purpose"] == "interview"
    assert digest(site.root / asked) == before


def test_a_segment_is_asked(site: Site, asked: str) -> None:
    people = site.ok(f"/runs/{asked}/people?limit=100")
    interest = people[0]["interests"][0]
    wanted = {one["id"] for one in people if interest in one["interests"]}
    body = {"segment": {"interest": interest}, "question": "Why?", "at": 1}
    found = answered(site, asked, body)
    assert {one["agent"] for one in found["answers"]} == wanted
    age = people[0]["age"]
    body = {"segment": {"age": f"{age}-{age}"}, "question": "Why?"}
    found = answered(site, asked, body)
    assert 0 in {one["agent"] for one in found["answers"]}


def test_who_shall_remember_does(site: Site, asked: str) -> None:
    again = site.ok(f"/runs/{asked}/branch", {"at": 1})["id"]
    body = {"agents": [3], "question": "What now?", "remember": True}
    assert answered(site, again, body)["error"] == ""
    (kept,) = site.ok(f"/runs/{again}/interventions")
    assert (kept["do"], kept["agent"], kept["round"], kept["state"]) == ("remind", 3, 2, "pending")
    site.steer(again, "step_round")
    site.until(again, "finished")
    body = {"agents": [3], "question": "What now?", "remember": True}
    assert "branch it" in answered(site, again, body)["error"]


def test_a_model_that_is_gone_is_told(site: Site) -> None:
    toml = (
        "agents = 5\nrounds = 1\n[llm]\nurl = 'http://127.0.0.1:9/v1'\nmodel = 'x'\noverall = 0.2\n"
    )
    run = site.begin(toml=toml)
    site.until(run, "finished")
    body = {"agents": [1], "question": "Are you there?"}
    found = answered(site, run, body)
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
        ({"agents": [1], "question": "Who?", "options": ["yes"]}, 400),
        ({"agents": [1], "question": "Who?", "options": ["yes", "Yes!"]}, 400),
        ({"agents": [1], "question": "Who?", "options": ["yes", "--"]}, 400),
        ({"agents": [1], "question": "Who?", "options": ["x" * 90, "y"]}, 400),
        ({"agents": [1], "question": "Who?", "options": [str(n) for n in range(13)]}, 400),
        ({"agents": [1], "question": "Who?", "options": ["1-99"]}, 400),
        ({"absent": True, "question": "Why?"}, 400),
        ({"everyone": True, "sample": 0, "question": "Why?"}, 422),
    ],
)
def test_a_question_that_cannot_be_asked(site: Site, body: dict[str, Any], status: int) -> None:
    run = site.begin(paused=True)
    assert site.post(f"/runs/{run}/ask", body)[0] == status
    assert site.get(f"/runs/{run}/interviews")[1] == [], "nothing is kept of it"


def test_a_branch_does_not_inherit_what_people_were_asked(site: Site, asked: str) -> None:
    before = site.ok(f"/runs/{asked}")["calls"]
    answered(site, asked, {"everyone": True, "question": "Why?"})
    assert site.ok(f"/runs/{asked}")["calls"] == before + 20
    branch = site.ok(f"/runs/{asked}/branch", {"at": 1})["id"]
    assert site.ok(f"/runs/{branch}")["calls"] == before
    with pytest.raises(SystemExit) as done:
        main(["doctor", str(site.root / branch)])
    assert done.value.code == 0, "what is left is whole"


def test_options_are_counted_with_shares_and_intervals_also_by_segment(
    site: Site, asked: str
) -> None:
    options = ["yes", "no", "not sure"]
    body = {"everyone": True, "question": "Would you recommend this service?", "options": options}
    found = answered(site, asked, body)
    chosen = [one["choice"] for one in found["answers"]]
    assert len(chosen) == 20
    assert set(chosen) <= set(options)
    whole = found["table"]["all"]
    assert [row["count"] for row in whole["options"]] == [chosen.count(one) for one in options]
    for row in whole["options"]:
        assert row["low"] <= row["share"] == row["count"] / 20 <= row["high"]
    people = {one["id"]: one for one in site.ok(f"/runs/{asked}/people?limit=100")}
    segments = {(row["by"], row["name"]): row for row in found["table"]["segments"]}
    for gender in {one["gender"] for one in people.values()}:
        mine = [one for one in found["answers"] if people[one["agent"]]["gender"] == gender]
        if len(mine) >= 5:
            row = segments["gender", gender]
            counts = [sum(one["choice"] == option for one in mine) for option in options]
            assert [each["count"] for each in row["options"]] == counts
    assert all(row["asked"] >= 5 for row in segments.values())


def test_a_scale_has_a_mean(site: Site, asked: str) -> None:
    body = {"everyone": True, "question": "How good is it?", "options": ["1-5"]}
    found = answered(site, asked, body)
    assert found["options"] == ["1", "2", "3", "4", "5"]
    whole = found["table"]["all"]
    numbers = [int(one["choice"]) for one in found["answers"]]
    assert whole["mean"] == pytest.approx(sum(numbers) / len(numbers))
    assert whole["low"] < whole["mean"] < whole["high"]


def test_a_sample_is_drawn_by_its_seed(site: Site, asked: str) -> None:
    def drawn(seed: int) -> list[int]:
        body = {"everyone": True, "sample": 5, "seed": seed, "question": "Why?"}
        return sorted(one["agent"] for one in answered(site, asked, body)["answers"])

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len(drawn(3)) == 5


def test_answers_outlive_the_server_and_are_exported(sites: Sites, site: Site, asked: str) -> None:
    body = {"everyone": True, "question": "Would you come back?", "options": ["yes", "no"]}
    found = answered(site, asked, body)
    again = sites(site.root)
    (row,) = again.ok(f"/runs/{asked}/interviews")
    assert (row["question"], row["state"], row["done"]) == ("Would you come back?", "done", 20)
    path = f"/runs/{asked}/interviews/{row['id']}"
    assert again.ok(path) == found
    assert again.ok(f"{path}/interview.json") == found
    _, headers, text = again.raw("GET", f"/api{path}/answers.csv")
    assert "attachment" in headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    assert [one["answer"] for one in rows] == [one["text"] for one in found["answers"]]
    _, _, text = again.raw("GET", f"/api{path}/table.csv")
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    assert [int(one["count"]) for one in rows[:2]] == [
        one["count"] for one in found["table"]["all"]["options"]
    ]
    assert again.get(f"/runs/{asked}/interviews/99")[0] == 404
    assert again.get(f"/runs/{asked}/interviews/..")[0] in (404, 422)


def test_what_was_answered_before_a_cancellation_is_kept(site: Site, serving: Serving) -> None:
    with serving(silent_after=6, slots=1) as fake:
        toml = f"agents = 12\nrounds = 1\n[llm]\nurl = '{fake.url}'\nconcurrency = 2\n"
        run = site.begin(toml=toml)
        site.until(run, "finished")
        id_ = site.ok(f"/runs/{run}/ask", {"everyone": True, "question": "Why?"})["interview"]
        path = f"/runs/{run}/interviews/{id_}"
        site.when(lambda: site.ok(path), lambda found: found["done"] >= 3)
        site.ok(f"{path}/cancel", {})
        found = site.when(lambda: site.ok(path), lambda found: found["state"] != "asking")
    assert found["state"] == "cancelled"
    assert 3 <= found["done"] < 12
    assert found["asked"] == 12
    assert site.post(f"{path}/cancel", {})[0] == 409


def test_rules_answer_by_template_and_say_so(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    body = {"everyone": True, "sample": 2, "question": "Well?", "options": ["yes", "no"]}
    found = answered(site, run, body)
    assert found["by_rule"] == 2
    assert {one["choice"] for one in found["answers"]} <= {"yes", "no"}
    body["options"] = ["red", "blue"]
    found = answered(site, run, body)
    assert found["failed"] == 2
    assert all("a rule knows no answer" in one["failure"] for one in found["answers"])


def test_a_chat_goes_on_over_several_turns_and_changes_nothing(
    sites: Sites, site: Site, asked: str
) -> None:
    before = digest(site.root / asked)
    chat = site.ok(f"/runs/{asked}/chats", {"agent": 3})
    path = f"/runs/{asked}/chats/{chat['id']}"
    for text in ("Hello, what did you watch?", "And did you like it?"):
        chat = site.ok(path, {"text": text})
    assert [line["is_theirs"] for line in chat["said"]] == [False, True, False, True]
    assert all(line["text"] for line in chat["said"])
    (key,) = chat["said"][-1]["calls"]
    call = site.ok(f"/runs/{asked}/calls/{key}")
    assert call["purpose"] == "chat"
    roles = [one["role"] for one in call["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert call["messages"][2]["content"] == chat["said"][1]["text"], "they remember what they said"
    assert digest(site.root / asked) == before
    again = sites(site.root)
    assert again.ok(path) == chat
    assert [row["lines"] for row in again.ok(f"/runs/{asked}/chats")] == [4]
    _, _, table = again.raw("GET", f"/api{path}/chat.csv")
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    assert [row["text"] for row in rows] == [line["text"] for line in chat["said"]]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("", {"agent": 99}, 404),
        ("", {"agent": -1}, 422),
        ("", {}, 422),
        ("/7", {"text": "Hello?"}, 404),
        ("/1", {"text": "  "}, 400),
        ("/1", {"text": "x" * 1001}, 422),
    ],
)
def test_a_chat_that_cannot_be(site: Site, path: str, body: dict[str, Any], status: int) -> None:
    run = site.begin(paused=True)
    site.ok(f"/runs/{run}/chats", {"agent": 1})
    assert site.post(f"/runs/{run}/chats{path}", body)[0] == status
