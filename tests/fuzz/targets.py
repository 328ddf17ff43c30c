"""What is fuzzed: each target takes made-up input and raises only if the program would crash."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as s
from starlette.testclient import TestClient
from tests.fuzz.inputs import (
    BODIES,
    CUTS,
    EDITS,
    FIELDS,
    FLIPS,
    HEADERS,
    PATHS,
    POSTS,
    QUERY,
    RUNS,
    SCENARIOS,
    TEXTS,
    as_toml,
    files,
)

from audience.agents.language import read
from audience.datasets import check as check_data
from audience.errors import AudienceError
from audience.llm import ChatMessage, Reply, Request, verify_calls
from audience.llm.lenient_json import answer_in, loose_json
from audience.llm.wire import read_chat, read_embedding, read_failure
from audience.log import Log, world_at
from audience.memory.prompts import ReplyContents
from audience.memory.replies import read as read_memory
from audience.runs import branch, measured, start, verify
from audience.scenario import parse
from audience.web import make_app
from audience.web.security import Access
from audience.world import MENUS, Agent, Catalogue, Domain, Item, Observation, Profile, Situation

Target = Callable[[Any], None]
TARGETS: dict[str, tuple[s.SearchStrategy[Any], Target]] = {}
"""By name, what input looks like and what is done with it."""


def target(name: str, strategy: s.SearchStrategy[Any]) -> Callable[[Target], Target]:
    """Register a function that takes made-up input."""

    def register(function: Target) -> Target:
        TARGETS[name] = strategy, function
        return function

    return register


# Replies of models: texts with what models like to write, and whole bodies of servers.


@cache
def _observations() -> tuple[Observation, ...]:
    items = tuple(Item(n, title) for n, title in enumerate(("Jaws", "Solaris", "1984", "Heat")))
    catalogue = Catalogue(items, ("Drama",))
    found = []
    for surface in ("home", "recommender", "search", "social", "conversation"):
        slate = (0, 1, 2) if surface in ("recommender", "search") else ()
        me = Agent(Profile(0, "Mia"), b"", Situation(0, surface, slate, 0, 1, slate))
        found.append(Observation(me, 1, 1, surface, MENUS[surface], catalogue, Domain()))
    return tuple(found)


@target("replies", TEXTS)
def replies(text: str) -> None:
    """Read a text as the reply to every kind of question."""
    loose_json(text)
    answer_in(text)
    for seen in _observations():
        read(seen, text)
    reply = Reply("00", "reply", texts=(text,))
    read_memory(reply, ReplyContents(2, ("a", "b"), (1, 2)))


_REQUEST = Request("page", (ChatMessage("user", "hello"),))


@target("bodies", s.tuples(s.sampled_from((200, 400, 403, 429, 500)), BODIES, HEADERS))
def bodies(came: tuple[int, bytes, dict[str, str]]) -> None:
    """Read what a server sends as an answer."""
    status, payload, headers = came
    read_chat(_REQUEST, status, payload, headers)
    read_embedding(_REQUEST, status, payload, headers)
    read_failure(_REQUEST, status, payload, headers)


# Scenarios: TOML of known keys with any values.


@target("scenarios", SCENARIOS)
def scenarios(text: str) -> None:
    """Parse a text as a scenario and check whether it could be run."""
    with _told(), _folder() as folder:
        scenario = parse(text, "own.toml", folder)
        few = scenario.agents <= 200 and scenario.rounds <= 50 and scenario.seeds <= 3
        if few and scenario.dataset.options.get("items", 0) == 0:
            verify(scenario)


# Data files.


@target("data", files())
def data(given: dict[str, bytes]) -> None:
    """Check files as a dataset, and draw people from them."""
    with _folder() as folder, _told():
        for name, content in given.items():
            (folder / name).write_bytes(content)
        check_data(folder)
        text = (
            f"agents = 2\nrounds = 1\n[dataset]\nkind = 'folder'\npath = {as_toml(str(folder))}\n"
        )
        verify(parse(text))


# Run files.


@cache
def _run() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="audience-fuzz-")) / "one"
    start(parse("agents = 6\nrounds = 3\nmemory = 'recagent'\n"), 1, folder)
    from audience.llm import CallStore

    with closing(CallStore(folder / "calls.db")) as store:
        for number in range(8):
            request = Request("page", (ChatMessage("user", f"question {number}"),))
            store.add(request, Reply(request.key, "reply", texts=("yes",)))
    return folder


@target(
    "runs",
    s.one_of(
        s.tuples(s.just("flip"), s.sampled_from(("run.db", "calls.db")), FLIPS),
        s.tuples(s.just("cut"), s.sampled_from(("run.db", "calls.db")), CUTS),
        s.tuples(
            s.just("edit"),
            EDITS,
            s.one_of(
                s.integers(-(2**63), 2**63 - 1),
                s.binary(max_size=40),
                s.none(),
                s.text(s.characters(codec="utf-8"), max_size=40),
            ),
        ),
    ),
)
def runs(change: tuple[str, str, Any]) -> None:
    """Damage a run and read it in every way."""
    kind, name, how = change
    with _folder() as root:
        folder = root / "one"
        shutil.copytree(_run(), folder)
        _damage(folder, kind, name, how)
        works: tuple[Callable[[], object], ...] = (
            lambda: verify_calls(folder / "calls.db"),
            lambda: _read_all(folder),
            lambda: measured(folder),
            lambda: branch(folder, root / "two", None),
        )
        for work in works:
            with _told():
                work()


def _damage(folder: Path, kind: str, name: str, how: Any) -> None:
    if kind == "edit":
        with closing(sqlite3.connect(folder / "run.db")) as file:
            try:
                file.execute(name, (how,))
                file.commit()
            except sqlite3.Error:
                return
        return
    whole = bytearray((folder / name).read_bytes())
    if kind == "cut":
        (folder / name).write_bytes(whole[: how % (len(whole) + 1)])
        return
    for place, bits in how:
        whole[place % len(whole)] ^= bits
    (folder / name).write_bytes(whole)


def _read_all(folder: Path) -> None:
    with Log.open(folder) as log:
        log.verify()
        log.digest()
        world_at(log, log.complete_rounds())
        parse(log.scenario, str(folder))
        assert log.seed is not None


# The web API.


@cache
def _client() -> TestClient:
    root = Path(tempfile.mkdtemp(prefix="audience-fuzz-web-"))
    shutil.copytree(_run(), root / "one")
    shutil.copytree(_run(), root / "damaged")
    whole = bytearray((root / "damaged" / "run.db").read_bytes())
    for place in range(9_000, len(whole), 700):
        whole[place] ^= 0x55
    (root / "damaged" / "run.db").write_bytes(whole)
    app = make_app(root, Access("127.0.0.1"))
    return TestClient(app.api, raise_server_exceptions=True)


@target(
    "web",
    s.one_of(
        s.tuples(s.just("GET"), s.sampled_from(PATHS), RUNS, s.text(max_size=6), QUERY),
        s.tuples(s.just("POST"), s.sampled_from(POSTS), RUNS, s.text(max_size=6), FIELDS),
    ),
)
def web(asked: tuple[str, str, str, str, dict[str, Any]]) -> None:
    """Ask the page's server for anything."""
    import urllib.parse

    method, pattern, run, number, given = asked
    quote = urllib.parse.quote
    run = run if "%" in run else quote(run.encode(errors="replace"), safe="")
    word = quote(number.encode(errors="replace"), safe="") or "0"
    path = "/api" + pattern.replace("{run}", run).replace("{n}", word)
    if method == "GET":
        query = urllib.parse.urlencode(
            {key: value.encode(errors="replace") for key, value in given.items()}
        )
        answer = _client().get(f"{path}?{query}")
    else:
        body = json.dumps(given).encode(errors="replace")
        answer = _client().post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code < 500, (path, given, answer.text[:300])


@contextmanager
def _told() -> Iterator[None]:
    """Let errors with a known reason pass: they are what a user should get."""
    try:
        yield
    except AudienceError as error:
        if not str(error).strip():
            raise ValueError(f"{type(error).__name__} says nothing") from error


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="audience-fuzz-") as name:
        yield Path(name)
