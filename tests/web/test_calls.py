"""Calls to models asked again from a page: the answer is shown, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Site, Sites

from audience.llm.fake import Fake
from audience.log import Log
from audience.web import calls
from audience.web.calls import AGAIN

Serving = Callable[..., AbstractContextManager[Fake]]


def told(site: Site, fake: Fake) -> str:
    """Return a finished run of language minds."""
    toml = f"agents = 4\nrounds = 1\nmind = 'llm'\n[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
    run = site.begin(toml=toml)
    site.until(run, "finished")
    return run


def first_call(site: Site, run: str) -> Any:
    key = site.ok(f"/runs/{run}/calls")["lines"][-1]["key"]
    return site.ok(f"/runs/{run}/calls/{key}")


def again(site: Site, run: str, call: Any, words: str = "") -> tuple[int, Any]:
    messages = [dict(one) for one in call["messages"]]
    messages[-1]["content"] += words
    return site.post(f"/runs/{run}/calls/{call['key']}/again", {"messages": messages})


def kept(folder: Path) -> dict[str, bytes]:
    """Return all that a run consists of; what readers of SQLite leave beside it is empty."""
    with Log.open(folder) as log:
        digest = log.digest().encode()
    files = {name: (folder / name).read_bytes() for name in ("run.db", "calls.db")}
    return {"digest": digest, **files, "names": repr(sorted(map(str, folder.rglob("*")))).encode()}


def test_asking_again_changes_no_byte_of_the_run(site: Site, serving: Serving) -> None:
    with serving() as fake:
        run = told(site, fake)
        call = first_call(site, run)
        before, requests = kept(site.root / run), fake.requests
        status, same = again(site, run, call)
        assert status == 200, same
        _, other = again(site, run, call, "\nThink of the sea.")
        assert fake.requests == requests + 2, "each is asked anew"
        assert (same["left"], other["left"]) == (AGAIN - 1, AGAIN - 2)
        for answer in (same, other):
            assert answer["call"]["outcome"] == "reply"
            assert answer["call"]["reply"]
            assert (answer["call"]["model"], answer["call"]["schema"]) == ("fake", call["schema"])
            assert answer["call"]["tokens"]["prompt"] > 0
        assert other["call"]["messages"][-1]["content"].endswith("Think of the sea.")
        assert kept(site.root / run) == before
        assert site.ok(f"/runs/{run}/calls/{call['key']}") == call


def test_it_is_not_asked_without_end(
    site: Site, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "AGAIN", 2)
    with serving() as fake:
        run = told(site, fake)
        call = first_call(site, run)
        assert [again(site, run, call)[0] for _ in range(3)] == [200, 200, 409]


def test_an_endpoint_that_is_gone_is_told(site: Site, serving: Serving) -> None:
    with serving() as fake:
        run = told(site, fake)
        call = first_call(site, run)
    status, error = again(site, run, call)
    assert status == 409
    assert "127.0.0.1" in error["error"]


def test_a_key_that_is_missing_is_named(
    site: Site, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOICE_KEY", "k-planted")
    with serving(key="k-planted") as fake:
        toml = (
            f"agents = 4\nrounds = 1\nmind = 'llm'\n"
            f"[llm]\nurl = '{fake.url}'\nmodel = 'fake'\nkey_env = 'VOICE_KEY'\n"
        )
        run = site.begin(toml=toml)
        site.until(run, "finished")
        call = first_call(site, run)
        monkeypatch.delenv("VOICE_KEY")
        status, error = again(site, run, call)
        assert status == 400
        assert "VOICE_KEY" in error["error"]
        assert "k-planted" not in str(error)


def test_the_budget_of_the_run_holds(site: Site, serving: Serving) -> None:
    with serving() as fake:
        form = {
            "agents": 4, "rounds": 1, "mind": "llm", "llm": fake.url, "model": "fake",
            "budget": "100000 tokens",
        }  # fmt: skip
        run = str(site.ok("/runs", {"form": form, "name": "one"})["id"])
        site.until(run, "finished")
        call = first_call(site, run)
        assert again(site, run, call)[0] == 200
        here = site.registry.here(site.root / run)
        assert here is not None
        here.spending = type(here.spending)(max_tokens=1)
        status, error = again(site, run, call)
        assert status == 409
        assert "tokens" in error["error"]


def test_the_embedded_model_is_asked_again_too(site: Site) -> None:
    everybody = "[activation]\nmethod = 'random'\nshare = 1.0\n"
    toml = f"agents = 1\nrounds = 1\nmind = 'llm'\n{everybody}[llm]\nurl = 'embedded'\n"
    run = site.begin(toml=toml)
    site.until(run, "finished")
    call = first_call(site, run)
    status, found = again(site, run, call)
    assert status == 200, found
    assert found["call"]["cost"] == 0


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([], 422),
        ([{"role": "robot", "content": "x"}], 422),
        ([{"role": "user", "content": "x" * 100_001}], 422),
        ([{"role": "user", "content": "x" * 90_000}] * 3, 400),
        ([{"role": "user", "content": "x"}] * 61, 422),
    ],
)
def test_prompts_have_limits(
    site: Site, serving: Serving, messages: list[dict[str, str]], status: int
) -> None:
    with serving() as fake:
        run = told(site, fake)
        key = first_call(site, run)["key"]
        before = fake.requests
        path = f"/runs/{run}/calls/{key}/again"
        assert site.post(path, {"messages": messages})[0] == status
        assert site.post(f"/runs/{run}/calls/{'0' * 32}/again", {"messages": [
            {"role": "user", "content": "Hi"}]})[0] == 404  # fmt: skip
        assert fake.requests == before


def test_a_model_that_is_not_offered_is_not_asked(sites: Sites, serving: Serving) -> None:
    with serving() as fake:
        own = sites()
        run = told(own, fake)
        call = first_call(own, run)
        before = fake.requests
        status, error = again(sites(own.root, host="0.0.0.0"), run, call)
        assert status == 400
        assert "not offered" in error["error"]
        assert fake.requests == before
