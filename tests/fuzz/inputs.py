"""What made-up input looks like, by target."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as s

_WORDS = (
    '{"do": "next"}',
    '{"pick": 3, "stars": 5}',
    "```json",
    "```",
    "<think>",
    "</think>",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    ":",
    ",",
    "\\",
    "\\u00",
    "null",
    "NaN",
    "1e999",
    "-1",
    "9" * 40,
    "\n",
    "\0",
    "\ud800",
    "\u200b",
    "\u202e",
    "yes",
    "I am an AI",
    "pick",
    "do",
    "leave",
    "Solaris",
    "“",
    "…",
    '"choices"',
    '"message"',
    '"content"',
    '"usage"',
    '"prompt_tokens"',
    '"finish_reason"',
    '"memories"',
    '"insights"',
    '"reflection"',
    '"importance"',
)
_JSON = s.recursive(
    s.one_of(
        s.none(),
        s.booleans(),
        s.integers(),
        s.floats(),
        s.text(max_size=20),
        s.sampled_from(_WORDS),
    ),
    lambda inner: s.one_of(
        s.lists(inner, max_size=4),
        s.dictionaries(s.one_of(s.text(max_size=8), s.sampled_from(_WORDS)), inner, max_size=4),
    ),
    max_leaves=20,
)
TEXTS = s.one_of(
    s.lists(s.sampled_from(_WORDS), max_size=40).map("".join),
    s.text(max_size=300),
    _JSON.map(json.dumps),
    s.tuples(s.sampled_from(_WORDS), s.integers(1, 3_000)).map(lambda pair: pair[0] * pair[1]),
)


BODIES = s.one_of(
    _JSON.map(lambda value: json.dumps(value).encode()),
    s.fixed_dictionaries(
        {"choices": s.one_of(_JSON, s.lists(s.fixed_dictionaries({"message": _JSON}), max_size=2))},
        optional={"usage": _JSON, "model": _JSON, "error": _JSON, "data": _JSON},
    ).map(lambda value: json.dumps(value).encode()),
    s.binary(max_size=300),
    TEXTS.map(lambda text: text.encode(errors="replace")),
)
HEADERS = s.dictionaries(
    s.sampled_from(("Retry-After", "Content-Type", "x-ratelimit-reset")), s.text(max_size=12)
)


_KEYS = s.sampled_from(
    (
        "agents rounds seed seeds title dataset mind memory recommender metrics arms interventions"
        " platform.page_size platform.random_k platform.feed activation.method activation.share"
        " run.rounds run.wave run.max_lines run.deadline run.order ties.grow groups.share llm.url"
        " llm.model llm.deadline llm.endpoints llm.headers llm.body llm.prices llm.ca spread.topics"
        " spread.graph clock.start clock.step validated played study mind.kind memory.kind"
        " time time.kind time.hours time.window"
        " recommender.kind recommender.parts dataset.kind dataset.path dataset.fill mind.parameters"
    ).split()
)
_VALUES = s.one_of(
    s.integers(-10, 10),
    s.integers(),
    s.floats(),
    s.booleans(),
    s.text(max_size=12),
    s.sampled_from(
        (
            "rule",
            "llm",
            "recagent",
            "agent4rec",
            "none",
            "mix",
            "popular",
            "films",
            "books",
            "folder",
            "csv",
            "1d",
            "99999999999999999999d",
            "2025-01-01",
            "99999999999999999999",
            "http://[::1",
            "http://127.0.0.1:1",
            "embedded",
            "time",
            "ranked",
            "one-by-one",
            "own",
            "sample",
            "reached",
            "",
            "mine.py:Mine",
            "os:getcwd",
            "/dev/zero",
            "../../x",
            "\0",
            "preferential",
        )
    ),
    s.lists(s.integers(-3, 9), max_size=3),
    s.lists(
        s.dictionaries(
            s.sampled_from(("kind", "do", "round", "name", "text", "url", "agent")),
            s.one_of(s.integers(-2, 9), s.text(max_size=6), s.sampled_from(("popular", "mix"))),
            max_size=4,
        ),
        max_size=2,
    ),
    s.dictionaries(
        s.sampled_from(("kind", "a", "popular", "law", "share", "mind", "options")),
        s.one_of(s.integers(-3, 3), s.text(max_size=8)),
        max_size=3,
    ),
)


def as_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{as_toml(k)} = {as_toml(v)}' for k, v in value.items())}}}"
    return repr(value)


def _written(tree: dict[str, Any]) -> str:
    small = {"agents": 5, "run.rounds": 2} if "run" not in tree else {}
    merged = {key: value for key, value in small.items() if key not in tree} | tree
    return "".join(f"{key} = {as_toml(value)}\n" for key, value in merged.items())


SCENARIOS = s.one_of(
    s.dictionaries(_KEYS, _VALUES, max_size=2).map(_written),
    s.dictionaries(_KEYS, _VALUES, max_size=5).map(_written),
    s.text(alphabet="ab=[]{}\"'.,\n #1-_:TZ\\u", max_size=120),
)


_CELLS = s.one_of(
    s.integers(-5, 5).map(str),
    s.text(max_size=8),
    s.floats().map(str),
    s.sampled_from(
        (
            "9" * 20,
            "9" * 400,
            "1e300",
            "nan",
            "2025-01-31",
            "99999-01-01",
            "946684800",
            "Drama|War",
            '"',
            "\0",
            "id",
            "::",
            "\t",
            "[]",
            "{}",
            "\ufeff",
            "a,b",
            "''",
        )
    ),
)
_TABLES = {
    "items.csv": "id,title,tags,year,quality",
    "people.csv": "id,name,age,interests,activity",
    "interactions.csv": "person,item,at,stars",
    "movies.csv": "movieId,title,genres",
    "ratings.csv": "userId,movieId,rating,timestamp",
    "movies.dat": "",
    "ratings.dat": "",
    "users.dat": "",
    "u.data": "",
    "u.item": "",
    "u.user": "",
    "x.inter": "user_id:token\titem_id:token\trating:float\ttimestamp:float",
    "x.item": "item_id:token\ttitle:token_seq",
    "reviews.jsonl": "",
    "steam_reviews.json": "",
    "user_artists.dat": "",
    "artists.dat": "",
    "user_friends.dat": "",
    "tags.dat": "",
    "user_taggedartists-timestamps.dat": "",
    "people.json": "",
    "people.toml": "",
}


@s.composite
def files(draw: s.DrawFn) -> dict[str, bytes]:
    names = draw(
        s.one_of(
            s.sampled_from(
                (
                    ["items.csv", "people.csv", "interactions.csv"],
                    ["movies.csv", "ratings.csv"],
                    ["movies.dat", "ratings.dat", "users.dat"],
                    ["u.data", "u.item", "u.user"],
                    ["x.inter", "x.item"],
                    ["reviews.jsonl"],
                    ["steam_reviews.json"],
                    ["user_artists.dat", "artists.dat", "user_friends.dat"],
                )
            ),
            s.lists(s.sampled_from(sorted(_TABLES)), min_size=1, max_size=3, unique=True),
        )
    )
    return {name: draw(_content(name)) for name in names}


def _content(name: str) -> s.SearchStrategy[bytes]:
    head = _TABLES[name]
    between = "::" if name.endswith(".dat") else "\t" if name.endswith((".inter", ".item")) else ","
    width = head.count(between) + 1 if head else 4
    rows = s.lists(s.lists(_CELLS, min_size=width, max_size=width), max_size=5).map(
        lambda table: "\n".join([head, *(between.join(row) for row in table)]).encode(
            errors="replace"
        )
    )
    if name.endswith((".json", ".jsonl")):
        rows = s.lists(_JSON, max_size=4).map(
            lambda values: "\n".join(map(json.dumps, values)).encode()
        )
    return s.one_of(
        rows, rows, s.binary(max_size=200), TEXTS.map(lambda t: t.encode(errors="replace"))
    )


FLIPS = s.lists(s.tuples(s.integers(0, 1 << 24), s.integers(1, 255)), min_size=1, max_size=4)
EDITS = s.sampled_from(
    (
        "UPDATE meta SET value = ? WHERE key = 'scenario'",
        "UPDATE meta SET value = ? WHERE key = 'seed'",
        "UPDATE meta SET value = ?",
        "UPDATE chapters SET body = ?",
        "UPDATE chapters SET round = ?",
        "UPDATE chapters SET agent = ? WHERE seq = 3",
        "UPDATE snapshots SET body = ?",
        "UPDATE genesis SET body = ?",
        "DELETE FROM chapters WHERE seq = ?",
    )
)
CUTS = s.integers(0, 1 << 17)


PATHS = (
    "/session",
    "/scenarios",
    "/runs",
    "/runs/{run}",
    "/runs/{run}/people",
    "/runs/{run}/people/{n}",
    "/runs/{run}/items",
    "/runs/{run}/story",
    "/runs/{run}/calls/{n}",
    "/runs/{run}/graph",
    "/runs/{run}/communities/{n}",
    "/runs/{run}/play/{n}",
    "/runs/{run}/interventions",
    "/compare",
    "/runs/{run}/metrics",
    "/runs/{run}/metrics.csv",
    "/judge",
    "/runs/{run}/interviews",
    "/runs/{run}/interviews/{n}",
    "/runs/{run}/interviews/{n}/answers.csv",
    "/runs/{run}/chats",
    "/runs/{run}/chats/{n}",
    "/runs/{run}/notes",
    "/runs/{run}/notes/person.{n}",
    "/runs/{run}/notes/decision.{n}.{n}",
    "/runs/{run}/decisions",
    "/runs/{run}/judging",
    "/runs/{run}/names",
    "/compare/progress",
)
POSTS = (
    "/scenarios/check",
    "/runs/{run}/ask",
    "/runs/{run}/chats",
    "/runs/{run}/chats/{n}",
    "/runs/{run}/play",
    "/runs/{run}/interventions",
    "/runs/{run}/branch",
    "/runs/{run}/control",
    "/tickets",
)
RUNS = s.one_of(
    s.just("one"),
    s.just("damaged"),
    s.sampled_from(("..", "~", "one~..", "%00", "a" * 2_000, "one%2F..")),
    s.text(alphabet="one~./%#?é ", min_size=1, max_size=8),
)
QUERY = s.dictionaries(
    s.sampled_from(
        ("at", "offset", "limit", "q", "run", "runs", "agent", "round", "metric", "sort")
    ),
    s.one_of(
        s.integers(-3, 10).map(str), s.text(max_size=6), s.sampled_from(("one", "9" * 30, "nan"))
    ),
    max_size=3,
)
FIELDS = s.dictionaries(
    s.sampled_from(
        (
            "do",
            "toml",
            "form",
            "agents",
            "question",
            "agent",
            "at",
            "interventions",
            "name",
            "paused",
            "rounds",
            "speed",
            "round",
            "text",
            "kind",
            "to",
            "items",
            "changes",
            "new",
            "seat",
            "move",
        )
    ),
    s.one_of(_JSON, SCENARIOS, s.sampled_from(("stop", "pause", "add_item", "announce", "one"))),
    max_size=4,
)
