from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from audience.agents.language import PageReply, items_in, read, schema_of
from audience.agents.language.reply_actions import actions_of
from audience.agents.language.reply_schema import (
    HomeReply,
    PickReply,
    SocialReply,
    TalkReply,
    kind_of,
)
from audience.llm import Unreadable
from audience.world import (
    LAST_PAGE,
    LAST_RESULTS,
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Friend,
    Heard,
    Item,
    Lived,
    Message,
    Observation,
    Profile,
    Said,
    Situation,
    actions as a,
)

REPLIES = Path(__file__).parent / "replies"
TITLES = {0: "Jaws", 3: "Solaris", 5: "Alien", 6: "Aliens", 10: "The Quiet Harbour", 11: "Quiet"}
TITLES |= {12: "Heat", 13: "Heat", 14: "1984", 15: "16", 16: "Amélie", 17: "千と千尋の神隠し"}
TITLES |= {18: "Don't Look Now"}
CATALOGUE = Catalogue(
    tuple(Item(n, TITLES.get(n, f"Item {n}"), year=1972 if n == 3 else None) for n in range(20)),
    ("Drama",),
)
FRIENDS = tuple(
    Friend(number, name, "friend", 0.5)
    for number, name in ((4, "Ann"), (5, "Bob"), (6, "Kim"), (7, "Kim"), (8, "José"))
)
PAGE = (3, 5, 16, 10, 11)
"""Ids that stay off the page when a digit is lost or doubled."""


def seen_at(
    surface: str, menu: tuple[str, ...] = (), slate: tuple[int, ...] = (), **more: Any
) -> Observation:
    me = Agent(
        Profile(0, "Mia"),
        b"",
        Situation(0, surface, slate, 0, 1, slate),
        (Lived(3, 0, 1.0, 5), Lived(0, 0, 0.1), Lived(12, 0, 1.0), Lived(13, 0, 1.0)),
        (Heard(5, 4, 1.0),),
        more.pop("inbox", ()),
    )
    return Observation(me, 1, 1, surface, menu or MENUS[surface], CATALOGUE, Domain(), **more)


INBOX = (
    Message("1.4.0", 4, "You should not miss <Alien>.", (5,), 1.0),
    Message("1.5.0", 5, "<Jaws>: fine, nothing more.", (0,), 0.0),
)
LINES = (Said(4, 0, "You must try <Alien>, I watched it and loved it.", (5,), 1.0),)
SEEN = {
    "home": seen_at("home"),
    "page": seen_at("recommender", (), PAGE),
    "results": seen_at("search", LAST_RESULTS, (6, 18, 17, 14)),
    "twins": seen_at("recommender", LAST_PAGE, (12, 13, 14, 15, 16)),
    "social": seen_at("social", inbox=INBOX, friends=FRIENDS),
    "alone": seen_at("social"),
    "talk": seen_at("conversation", friends=FRIENDS[:1], lines=LINES),
}


def corpus() -> list[Any]:
    return [
        pytest.param(row, id=f"{file.stem}: {row['case']}")
        for file in sorted(REPLIES.glob("*.jsonl"))
        for row in map(json.loads, file.read_text("utf-8").splitlines())
    ]


def text_of(row: dict[str, Any]) -> str:
    """Return the reply of a row; what is long is written as a piece and how often it stands."""
    piece, times = row.get("pad", ("", 0))
    text: str = row["text"]
    return text.replace("{PAD}", "".join(piece.replace("{N}", str(n)) for n in range(times)))


def silent(action: a.AnyAction) -> a.AnyAction:
    if isinstance(action, a.Rate | a.Post | a.Say):
        return msgspec.structs.replace(action, voice="")
    return action


def attempted(seen: Observation, text: str) -> tuple[a.AnyAction, ...] | Unreadable:
    found = read(seen, text)
    return found if isinstance(found, Unreadable) else actions_of(seen, found)


@pytest.mark.parametrize("row", corpus())
def test_each_reply_of_the_corpus_is_read_as_it_was_meant(row: dict[str, Any]) -> None:
    got = attempted(SEEN[row["seen"]], text_of(row))
    if "unreadable" in row:
        assert isinstance(got, Unreadable), got
        assert got.why.split(":")[0] == row["unreadable"], got.why
        assert len(got.why) < 600
        got.why.encode()
    else:
        assert not isinstance(got, Unreadable), got
        wanted = msgspec.convert(row["actions"], tuple[a.AnyAction, ...])
        assert tuple(map(silent, got)) == wanted


def test_the_corpus_is_large_and_holds_what_models_wrote() -> None:
    rows = [row.values[0] for row in corpus()]
    assert len(rows) >= 150
    assert sum("real" in row for row in rows) >= 30
    assert sum(len(text_of(row)) > 40_000 for row in rows) >= 8
    assert {row["seen"] for row in rows} == set(SEEN)


def test_replies_hold_what_was_said() -> None:
    home = read(SEEN["home"], '{"why": " so\\nbored ", "do": "search", "query": "x"}')
    assert home == HomeReply("search", "so bored", "x")
    text = '{"picks": [{"item": "alien", "watched": 0.5, "stars": 2}], "next": "leave"}'
    assert read(SEEN["page"], text) == PageReply((PickReply(5, 50.0, 2),), "leave")
    social = read(SEEN["social"], '{"do": "write to Ann", "text": "Hi", "next": "leave"}')
    assert social == SocialReply("write to", 4, text="Hi")
    assert read(SEEN["talk"], '{"say": "No", "stance": -1}') == TalkReply("No", -1)


def test_reasons_tell_the_model_what_there_is() -> None:
    found = read(SEEN["page"], '{"picks": [{"item": "Jaws"}], "next": "leave"}')
    assert found == Unreadable(
        "not on the page: 'Jaws'; on the page are 1 <Solaris>, 2 <Alien>, 3 <Amélie>, "
        "4 <The Quiet Harbour>, 5 <Quiet>"
    )
    found = read(SEEN["results"], '{"picks": [], "next": "next_page"}')
    assert found == Unreadable("not on the menu: 'next_page'; next is one of leave")


def test_what_a_model_said_is_marked_as_its_words() -> None:
    text = '{"picks": [{"place": 1, "stars": 4, "feeling": "Ah"}, {"place": 2, "stars": 1}], '
    got = attempted(SEEN["page"], text + '"next": "leave"}')
    assert isinstance(got, tuple)
    assert [one.voice for one in got if isinstance(one, a.Rate)] == ["model", ""]
    got = attempted(SEEN["talk"], '{"say": "Ah"}')
    assert got == (a.Say(4, "Ah", voice="model"),)


def test_a_picks_item_may_go_by_the_noun_of_the_domain() -> None:
    seen = msgspec.structs.replace(SEEN["page"], domain=Domain("book", "books", "read"))
    text = '{"picks": [{"book": "Alien"}], "next": "leave"}'
    assert attempted(seen, text) == (a.Pick(5), a.Leave())
    assert isinstance(attempted(SEEN["page"], text), Unreadable)


def test_items_are_those_one_may_speak_of() -> None:
    text = "<Quiet> <Alien> <solaris> <Solaris> <Item 19> <Heat>"
    assert items_in(SEEN["page"], text) == (11, 5, 3)
    assert items_in(SEEN["home"], text) == (5, 3)
    assert items_in(msgspec.structs.replace(SEEN["talk"], lines=()), "<Aliens>") == ()
    line = Said(4, 0, "<Aliens>", (6,))
    assert items_in(msgspec.structs.replace(SEEN["talk"], lines=(line,)), "<Aliens>") == (6,)


def example(schema: dict[str, Any], pick: int) -> Any:
    """Return a value that a schema allows."""
    if "enum" in schema:
        return schema["enum"][pick % len(schema["enum"])]
    match schema["type"]:
        case "object":
            return {name: example(one, pick) for name, one in schema["properties"].items()}
        case "array":
            return [example(schema["items"], pick)]
    return f"Words {pick}"


@pytest.mark.parametrize("where", SEEN)
@pytest.mark.parametrize("pick", range(12))
def test_whatever_the_schema_allows_is_read(where: str, pick: int) -> None:
    seen = SEEN[where]
    found = read(seen, json.dumps(example(schema_of(seen), pick)))
    assert isinstance(found, kind_of(seen)), found


def check_sane(seen: Observation, text: str) -> None:
    """Assert that nothing is attempted that the observation does not hold."""
    got = attempted(seen, text)
    if isinstance(got, Unreadable):
        assert got.why
        return
    friends, posts = {one.id for one in seen.friends}, {one.post for one in seen.me.inbox}
    assert all(type(action).__name__ in {*seen.menu, "Browse", "Search"} for action in got)
    for action in got:
        match action:
            case a.Pick() | a.Rate():
                assert action.item in seen.me.situation.slate
            case a.Say():
                assert action.to in friends
            case a.Forward():
                assert action.post in posts
    msgspec.json.encode(got)


PIECES = ["{", "}", "[", "]", ",", ":", '"', "'", "\\", "<think>", "</think>", "```json", " ", "\n"]
PIECES += [
    '"picks"',
    '"item"',
    '"next"',
    '"leave"',
    '"do"',
    '"say"',
    '"text"',
    '"stars"',
    "3",
    "99",
]
PIECES += [
    '"social"',
    '"search"',
    '"query"',
    '"forward"',
    '"write to 1"',
    "NaN",
    "null",
    "true",
    "4",
    "//",
]
WHERE = st.sampled_from(sorted(SEEN))
FIELDS = st.sampled_from(["picks", "item", "stars", "next", "do", "say", "text", "post", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@given(WHERE, st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_no_text_raises_or_names_what_is_not_there(where: str, text: str) -> None:
    check_sane(SEEN[where], text)


@given(
    WHERE,
    st.dictionaries(
        FIELDS, VALUES | st.sampled_from(["leave", "social", 3, 4, "Ann", "forward 1"])
    ),
)
def test_no_object_raises_or_names_what_is_not_there(where: str, value: dict[str, Any]) -> None:
    check_sane(SEEN[where], json.dumps(value))


GOOD = {
    "home": '{"why": "bored", "do": "search", "query": "space operas"}',
    "page": '{"why": "it\'s \\"me\\"", "picks": [{"place": 1, "watched": 80, "stars": 4, '
    '"feeling": "Sad, slow; good."}, {"place": 3, "watched": 100, "stars": 5, '
    '"feeling": "Oh [my] {god}"}], '
    '"satisfaction": 7, "next": "next_page", "query": ""}',
    "results": "```json\n{'next': 'leave', 'picks': [{'stars': 2, 'item': 'Aliens'}]}\n```",
    "social": '{"do": "write to 1", "next": "browse", "text": "Hi, Ann: see <Solaris>!"}',
    "talk": '{"say": "Not <Alien> again, please.", "stance": -1}',
}


def core(actions: tuple[a.AnyAction, ...]) -> list[Any]:
    """Return what was done to what and to whom, without words and degrees."""
    names = ("item", "to", "post", "surface")
    return [(type(one), *(getattr(one, name, "") for name in names)) for one in actions]


@pytest.mark.parametrize("where", GOOD)
def test_a_damaged_reply_is_the_same_or_unreadable(where: str) -> None:
    seen, good = SEEN[where], GOOD[where]
    whole = attempted(seen, good)
    assert isinstance(whole, tuple)
    damaged = [good[:at] for at in range(len(good))] + [good[at:] for at in range(1, len(good))]
    damaged += [good[:at] + good[at + 1 :] for at in range(len(good))]
    damaged += [good[:at] + good[at] + good[at:] for at in range(len(good))]
    damaged += [good[:at] + good for at in range(len(good) + 1)] + [f"{good}\n{good}"]
    for text in damaged:
        got = attempted(seen, text)
        assert isinstance(got, Unreadable) or core(got) == core(whole), (text, got)
