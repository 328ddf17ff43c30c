from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given, strategies as s

from audience.scenario import dump

_texts = s.text(s.characters(codec="utf-8"), max_size=12)
_plain = s.one_of(
    _texts,
    s.integers(-(2**63), 2**63 - 1),
    s.booleans(),
    s.floats(allow_nan=False, allow_infinity=False),
)
_values = s.recursive(
    s.one_of(_plain, s.lists(_plain, max_size=3)),
    lambda inner: s.one_of(
        s.dictionaries(_texts, inner, max_size=3),
        s.lists(s.dictionaries(_texts, inner, max_size=2), min_size=1, max_size=3),
    ),
    max_leaves=12,
)


@given(s.dictionaries(_texts, _values, max_size=4))
def test_what_is_written_is_read_back(tree: dict[str, Any]) -> None:
    assert tomllib.loads(dump(tree)) == tree


def test_what_is_not_there_is_left_out() -> None:
    assert dump({"a": None, "b": 1}) == "b = 1\n"


def test_tables_come_after_plain_keys() -> None:
    assert dump({"t": {"x": 1}, "a": 2}) == "a = 2\n\n[t]\nx = 1\n"
