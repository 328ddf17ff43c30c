from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from audience.llm import Unreadable, loose_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{'a': True, 'b': None, 'c': False}", {"a": True, "b": None, "c": False}),
        ("{a: 1.50, b: -2, c: +3, d: .5, e: 1e3}", {"a": 1.5, "b": -2, "c": 3, "d": 0.5, "e": 1e3}),
        ('{“a”: “x ‘y’ "z"”}', {"a": 'x ‘y’ "z"'}),
        ('{"a": [1, 2,], /* c */ "b": {}, // d\n}', {"a": [1, 2], "b": {}}),
        ('{"a": "\\u00e9\\ud83d\\ude00\\n\\/\\q"}', {"a": "é😀\n/q"}),
        ('{"a": "x // y # z /* w"}', {"a": "x // y # z /* w"}),
        ('{"a": "say "yes" twice"}', {"a": 'say "yes" twice'}),
        ("{'a': 'it's the dogs' bone'}", {"a": "it's the dogs' bone"}),
        (
            '{"a": word, "b": two-words, "c": <Some Title>}',
            {"a": "word", "b": "two-words", "c": "<Some Title>"},
        ),
        ('{"a": 1, "a": 1}', {"a": 1}),
        ('{"a": "b"} {"a": "b"}', {"a": "b"}),
        ('{"answer": {"a": 1}} and again {"a": 1}', {"a": 1}),
        ('[[{"a": 1}], [{"a": 1}]]', {"a": 1}),
        ('{"a": 1, "answer": {"b": 2}}', {"a": 1, "answer": {"b": 2}}),
        ('{"answer": "in words"}', {"answer": "in words"}),
        ('"\\"{\\\\\\"a\\\\\\": 1}\\""', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ("see [1]", [1]),
        ('"words"', "words"),
        ('```json\n"{\\"a\\": 1}"\n```', {"a": 1}),
        ('\ufeff \x00{\x01"a"\x02:\u200b1}', {"a": 1}),
        ('<Think>{"a": 2}</Think>{"a": 1}<think>no {</think>', {"a": 1}),
        ('{"a": "<think>"}', {"a": "<think>"}),
        ("{}", {}),
    ],
)
def test_what_a_model_meant_is_found(text: str, value: Any) -> None:
    assert loose_json(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty reply"),
        ("\ufeff\x00 \n", "empty reply"),
        ("words", "no JSON"),
        ("see [1] and [2]", "no JSON"),
        ("{one} [two three] {four", "cut off"),
        ('{"a": 1', "cut off"),
        ('{"a": [1, {"b": 2}', "cut off"),
        ('{"a": "b', "cut off"),
        ('{"a": "b\\', "cut off"),
        ('{"a": 1, /* ', "cut off"),
        ('<think>{"a": 1}', "cut off"),
        ('{"a": 1} {"a": 2}', "two answers"),
        ('{"answer": {"a": 1}} {"a": 2}', "two answers"),
        ('{"a": 1, "a": 2}', "contradiction"),
        ('{"a": NaN}', "not a number"),
        ('{"a": [-Infinity]}', "not a number"),
        ('{"a": 1e999}', "not a number"),
        ('{"a": 1 "b": 2}', "broken JSON"),
        ('{"a": , "b": 2}', "broken JSON"),
        ('{"a: 1, "b": 2}', "broken JSON"),
        ('{"a": {"b": 1]}', "broken JSON"),
        ('{"a": 1}, "b": 2}', "broken JSON"),
        ('{"answer": "{\\"a\\": 1"}', "cut off"),
        ('{"$schema": "x", "type": "object"}', "echo"),
    ],
)
def test_what_cannot_be_told_is_unreadable(text: str, why: str) -> None:
    found = loose_json(text)
    assert isinstance(found, Unreadable)
    assert found.why.split(":")[0] == why


PIECES = ["{", "[", "[[]", '{"a', '{"a":', '{"a":[', '"[",', "['x' ", "[/*", "[//", "{a:1}", "`"]
PIECES += ["<think>", "</think>", "\\", '"\\', "{'", "[1,", "[1] ", '["a",!', "{a b", "“", "[\n#\n"]
WORDS = st.text(st.characters(exclude_categories=["C"], exclude_characters="<"), max_size=12)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4)
)


@given(st.dictionaries(WORDS.filter(lambda word: len(word) < 9), VALUES, max_size=4))
def test_proper_json_stays_what_it_is(value: dict[str, Any]) -> None:
    text = json.dumps({**value, "next": 1})
    found = loose_json(text)
    if isinstance(found, Unreadable):
        assert found.why.startswith(("not a number: ", "broken JSON: ", "echo: "))
    else:
        assert found == json.loads(text)


@pytest.mark.parametrize("piece", PIECES)
def test_long_texts_take_no_longer_than_their_length(piece: str) -> None:
    """Looking again and again from each place on would take minutes here."""
    for text in (piece * 6_000, f"[{piece * 6_000} !}}", f'{{"a":{piece * 6_000}'):
        assert isinstance(loose_json(text), Unreadable | dict | list | str)
