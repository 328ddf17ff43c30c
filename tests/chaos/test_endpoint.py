"""An endpoint is given up if it serves nothing, not for one request that it turns away."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import orjson
import pytest
from tests.chaos.hostile import Hostile, hostile
from tests.chaos.kinds import KINDS, Act, Answer, Kind, honest

from audience.cli import main
from audience.errors import Interrupted
from audience.llm import FILE as CALLS, ChatMessage, Endpoint, Request, open_gateway
from audience.llm.request import Gone
from audience.runs import resume, start
from audience.scenario import parse

ONE_PROMPT = ("status-403", "status-413", "status-451", "filter", "moved-away", "moved-here")
EVERYTHING = ("status-401", "status-402", "status-403", "status-404", "moved-away", "quota")


def request(number: int) -> Request:
    return Request("home", (ChatMessage("user", f"What about {number}?"),), salt=str(number))


class TurnsAway:
    """A kind that turns away all but some answers."""

    def __init__(self, kind: str, is_served: Callable[[int], bool]) -> None:
        self.asked = 0
        self._kind, self._is_served = KINDS[kind], is_served

    def __call__(self, answer: Answer) -> Act:
        self.asked += 1
        return (honest if self._is_served(self.asked) else self._kind)(answer)


def outcomes(kind: Kind, calls: int) -> list[str]:
    async def whole() -> list[str]:
        async with Hostile(1.0, {"kind": kind}) as server:
            endpoint = Endpoint(url=server.url, model="hostile")
            async with open_gateway([endpoint], concurrency=1, halting=True) as gateway:
                return [(await gateway.ask(request(number))).outcome for number in range(calls)]

    return asyncio.run(whole())


@pytest.mark.parametrize("kind", ONE_PROMPT)
def test_a_request_that_is_turned_away_is_an_outcome(kind: str) -> None:
    found = outcomes(TurnsAway(kind, lambda asked: asked != 1), 3)
    assert found[0] in ("error", "refusal")
    assert found[1:] == ["reply", "reply"]


@pytest.mark.parametrize("kind", EVERYTHING)
def test_an_endpoint_that_turns_everything_away_halts_the_run(kind: str) -> None:
    with pytest.raises(Gone, match="everything so far is kept"):
        outcomes(KINDS[kind], 1)


def test_a_key_that_is_revoked_halts_a_run_before_anything_fails() -> None:
    revoked = TurnsAway("status-401", lambda asked: asked <= 40)
    with pytest.raises(Gone):
        outcomes(revoked, 41)
    assert revoked.asked == 40 + 9, "until most of the last sixteen were turned away"


def scenario(url: str) -> str:
    return (
        'agents = 12\nrounds = 2\nrecommender = "popular"\nmind = "llm"\n'
        f'[llm]\nurl = "{url}"\nmodel = "hostile"\nprice = "free"\n'
    )


def test_a_resume_gets_past_an_endpoint_that_was_unusable(tmp_path: Path) -> None:
    with hostile(0.0) as server:
        port, recipe = server.port, parse(scenario(server.url))
        clean = start(recipe, 1, tmp_path / "clean")
    revoked = TurnsAway("status-401", lambda asked: asked <= 15)
    with hostile(1.0, {"kind": revoked}, port=port), pytest.raises(Interrupted, match="401"):
        start(recipe, 1, tmp_path / "cut")
    with hostile(0.0, port=port):
        done = resume(tmp_path / "cut")
    assert done.measured.digest == clean.measured.digest
    assert done.summary["failed"] == 0


def test_headers_of_ours_follow_no_redirect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_SECRET", "abcdefgh")

    async def whole() -> None:
        async with Hostile(0.0) as other:
            moved = other.url.encode()
            away = Act(
                b"HTTP/1.1 307 Moved\r\nLocation: " + moved + b"/chat/completions\r\n"
                b"Content-Length: 0\r\n\r\n"
            )
            async with Hostile(1.0, {"kind": lambda answer: away}) as server:
                headers = {"X-Team": "${TEAM_SECRET}"}
                endpoint = Endpoint(url=server.url, model="hostile", headers=headers)
                async with open_gateway([endpoint]) as gateway:
                    reply = await gateway.ask(request(1))
                assert reply.outcome == "error"
                assert other.url in reply.why
            assert other.headers == []

    asyncio.run(whole())


Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: object) -> CompletedProcess[str]:
        capfd.readouterr()
        words = [str(word) for word in arguments]
        with pytest.raises(SystemExit) as stopped:
            main(words)
        out, err = capfd.readouterr()
        assert isinstance(stopped.value.code, int)
        return CompletedProcess(words, stopped.value.code, out, err)

    return call


@pytest.mark.parametrize("tokens", [2**62, 2**63 - 1, -(2**63)])
def test_absurd_counts_that_are_stored_already_hide_no_run(
    tmp_path: Path, cli: Cli, tokens: int
) -> None:
    with hostile(0.0) as server:
        start(parse(scenario(server.url)), 1, tmp_path / "runs" / "one")
    with sqlite3.connect(tmp_path / "runs" / "one" / CALLS) as store:
        store.execute("UPDATE calls SET prompt = ?, completion = ?", (tokens, tokens))
    store.close()
    found = cli("runs", tmp_path / "runs", "--json")
    rows: list[dict[str, Any]] = orjson.loads(found.stdout)["runs"]
    assert [row["state"] for row in rows] == ["finished"]


def test_calls_given_up_at_a_deadline_are_counted(tmp_path: Path) -> None:
    with hostile(1.0, {"silent": KINDS["silent"]}) as server:
        recipe = parse(scenario(server.url) + "[run]\ndeadline = 0.4\n")
        done = start(recipe, 1, tmp_path / "run")
    summary = done.summary
    assert summary["calls"] == sum(server.sent.values()) > 0
    assert summary["failed_calls"] == summary["calls"]
    assert summary["outcomes"] == {"timeout": summary["calls"]}
    assert summary["failed"] == done.measured.totals["visits"]
