"""A server compiles a schema once: a run has few, whoever takes part."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.llm import CallStore
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import start
from audience.scenario import parse
from audience.world import events as e

Serving = Callable[..., AbstractContextManager[Fake]]
BOUNDS = {"minLength", "maxLength", "minimum", "maximum", "pattern", "multipleOf"}
SCENARIO = """
agents = 30
rounds = 4
memory = "recagent"
mind = {{kind = "llm", words = "{words}"}}
[llm]
url = "{url}"
price = "free"
[platform]
page_size = 4
[run]
dialogue = "{dialogue}"
[activation]
method = "random"
share = 1.0
loyalty = 0.0
[[interventions]]
round = 1
do = "announce"
text = "The winter programme begins."
items = ["Casablanca"]
"""


def keys_of(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, inner in schema.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from keys_of(inner)


def schemas_of(folder: Path) -> dict[str, set[str]]:
    """Return the different schemas of a run by purpose, as JSON in the order of their fields."""
    found: dict[str, set[str]] = defaultdict(set)
    store = CallStore(folder / "calls.db", read_only=True)
    for call in store.calls():
        if call.request.schema is not None:
            found[call.request.purpose].add(json.dumps(call.request.schema))
    store.close()
    return dict(found)


@pytest.mark.parametrize(
    ("words", "dialogue"), [("", "turns"), ("none", "joint"), ("full", "turns")]
)
def test_the_schemas_of_a_run_are_few_and_bound_nothing(
    serving: Serving, tmp_path: Path, words: str, dialogue: str
) -> None:
    with serving(prefer={"friends": 2.0}) as fake:
        text = SCENARIO.format(words=words, dialogue=dialogue, url=fake.url)
        start(parse(text), 1, tmp_path / "run")
    found = schemas_of(tmp_path / "run")
    assert {"home", "page", "social", "memory"} <= set(found)
    # Explorers may search. Pages end somewhere, and some feel in words.
    most = {"home": 2, "page": 24, "talk": 1, "dialogue": 1}
    for purpose, schemas in found.items():
        for schema in schemas:
            assert not BOUNDS & set(keys_of(json.loads(schema))), (purpose, schema)
        assert len(schemas) <= most.get(purpose, 60), (purpose, len(schemas))
    places = [json.loads(one)["properties"]["picks"]["items"] for one in found["page"]]
    assert max(len(one["properties"]["place"].get("enum", ())) for one in places) <= 4


def test_nobody_searches_twice_in_a_visit(serving: Serving, tmp_path: Path) -> None:
    # This server always has words to search for.
    with serving(prefer={"browse": 5.0, "search": 3.0}) as fake:
        text = SCENARIO.format(words="", dialogue="turns", url=fake.url)
        start(parse(text.replace('memory = "recagent"', 'memory = "none"')), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        explorers = {p.id for p in log.genesis().profiles if p.habits.explorer >= 0.5}
        visits = [chapter for chapter in log.chapters() if chapter.phase == e.VISITS]
    searches = [
        (chapter.agent, sum(isinstance(entry.event, e.Searched) for entry in chapter.entries))
        for chapter in visits
    ]
    assert sum(count for _, count in searches) > 10
    assert max(count for _, count in searches) == 1
    assert {who for who, count in searches if count} <= explorers
