"""Replies of all kinds, good and ugly: what is right is taken, what is not is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from audience.llm import Outcome, Reply
from audience.memory import tokens
from audience.memory.prompts import ReplyContents
from audience.memory.replies import conclusion_in, importance_in, read, sentence_in
from audience.memory.sentences import SENTENCE, shortened

CORPUS = Path(__file__).parent / "replies.jsonl"
ROWS = [msgspec.json.decode(line) for line in CORPUS.read_text("utf-8").splitlines()]


def reply(text: str, outcome: Outcome = "reply") -> Reply:
    return Reply("key", outcome, (text,) if outcome == "reply" else (), why="Mia said no")


def kept(text: str) -> str:
    """Return a sentence of the corpus; one with a mark is too long and is kept short."""
    return shortened(text[1:]) if text.startswith("@") else text


@pytest.mark.parametrize("row", ROWS, ids=[row["case"] for row in ROWS])
def test_each_reply_of_the_corpus_is_read_as_it_was_meant(row: dict[str, Any]) -> None:
    wanted = msgspec.convert(row.get("wanted", {"memories": 3}), ReplyContents)
    told = read(reply(row["text"]), wanted)
    memories = {
        int(n): (kept(text), importance) for n, (text, importance) in row["memories"].items()
    }
    assert told.memories == memories
    assert told.insights == {n: kept(text) for n, text in row["insights"].items()}
    found = told.reflection and [told.reflection.text, list(told.reflection.sources)]
    assert found == row["reflection"]
    assert list(told.problems) == row["problems"]
    assert told.usable == bool(memories or row["insights"] or row["reflection"])


def test_cases_of_the_corpus_have_names_of_their_own() -> None:
    assert len({row["case"] for row in ROWS}) == len(ROWS) > 60


@pytest.mark.parametrize("outcome", ["refusal", "timeout", "unreadable", "error"])
def test_what_did_not_come_is_told_by_its_outcome_alone(outcome: Outcome) -> None:
    told = read(reply("", outcome), ReplyContents(2))
    assert told.problems == (f"no reply ({outcome})",)
    assert not told.usable


def test_a_sentence_is_never_longer_than_a_sentence_may_be() -> None:
    for text in ("word " * 20_000, "x" * 100_000, "七" * 5_000, "I " + "very " * 40 + "much."):
        problems: list[str] = []
        said = sentence_in({"sentence": text}, "sentence", problems)
        assert 0 < tokens(said) <= SENTENCE
        assert problems == []


def test_a_long_text_is_cut_after_a_sentence_a_clause_or_a_word_and_kept() -> None:
    filler = " and thought about it" * 12
    cut = {
        f"I slept well. I dreamt{filler}.": "I slept well.",
        f"I slept well in the end, the night was long{filler}.": "I slept well in the end.",
        f"I slept{filler}.": shortened(f"I slept{filler}."),
    }
    problems: list[str] = []
    for text, kept_ in cut.items():
        assert sentence_in({"sentence": text}, "sentence", problems) == kept_
    assert problems == []


def test_single_values_are_read_by_the_same_rules() -> None:
    problems: list[str] = []
    assert sentence_in({"sentence": " I\nslept. "}, "sentence", problems) == "I slept."
    assert sentence_in([{"topic": "sad films"}], "topic", problems) == "sad films"
    assert importance_in({"importance": "7/10"}, problems) == 7
    found = conclusion_in({"insight": "I rest.", "sources": [3, 3, 1]}, (5, 6, 7), problems)
    assert found is not None
    assert (found.text, found.sources) == ("I rest.", (7, 5))
    assert problems == []
    assert sentence_in({"sentence": ""}, "sentence", problems) == ""
    assert sentence_in("words", "sentence", problems) == ""
    assert importance_in({"importance": 12}, problems) == 0
    assert importance_in({"sentence": "x"}, problems) == 0
    assert conclusion_in({"insight": "I rest.", "sources": [8]}, (1, 2, 3), problems) is None
    assert problems == [
        "empty sentence",
        "entry is no object",
        "importance out of range",
        "importance missing",
        "unknown source",
        "insight without sources",
    ]


WORDS = st.text(max_size=20)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
KEYS = st.sampled_from(["n", "sentence", "importance", "insight", "sources", "memories", "topic"])
KEYS |= st.sampled_from(["insights", "reflection"]) | WORDS
ANY = st.recursive(
    PLAIN, lambda one: st.lists(one, max_size=4) | st.dictionaries(KEYS, one, max_size=4)
)


@given(st.dictionaries(KEYS, ANY, max_size=4) | ANY)
def test_whatever_is_said_only_what_is_right_is_taken(value: Any) -> None:
    text = msgspec.json.encode(value).decode()
    told = read(reply(text), ReplyContents(2, ("A",), (4, 9)))
    assert set(told.memories) <= {1, 2}
    assert all(1 <= importance <= 10 for _, importance in told.memories.values())
    assert all(text and tokens(text) <= SENTENCE for text, _ in told.memories.values())
    assert set(told.insights) <= {"A"}
    assert told.reflection is None or set(told.reflection.sources) <= {4, 9}
    assert len(told.memories) == 2 or told.problems
    assert not [one for one in told.problems if len(one) > 40]
