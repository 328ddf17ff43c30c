from __future__ import annotations

import asyncio
import importlib.machinery
import importlib.util
import socket
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from audience.errors import BadInput
from audience.llm import Vectors, Wordllama


def rows_of(*texts: str) -> Vectors:
    return asyncio.run(Wordllama().embed(texts))


@given(st.lists(st.text(max_size=40), max_size=12), st.text(max_size=60))
def test_a_text_has_the_same_vector_alone_and_in_company(others: list[str], text: str) -> None:
    (alone,) = rows_of(text)
    for company in ([text, *others], [*others, text, text]):
        found = rows_of(*company)[company.index(text)]
        assert found.tobytes() == alone.tobytes()


def test_long_and_short_texts_do_not_move_each_other() -> None:
    texts = [f"I watched <Heat> {number} times. " * (number % 7 + 1) for number in range(300)]
    together = rows_of(*texts)
    alone = [rows_of(text)[0] for text in texts]
    assert np.array_equal(np.stack(alone), together)


def test_rows_have_length_one_or_are_zero() -> None:
    rows = rows_of("I loved <Heat>.", "", "?!", "漢字", "x" * 100_000)
    assert rows.shape == (5, 256)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 0.0, 0.0, 1.0, 1.0], abs=1e-5)


def test_no_texts_give_no_rows() -> None:
    assert rows_of().shape == (0, 256)


def test_titles_weigh_more_than_the_frame_around_them() -> None:
    frame = "I watched {} with my sister on Sunday and we both enjoyed it."
    ours, other, bare, bare_other = rows_of(
        frame.format("<Heat>"),
        frame.format("<Titanic>"),
        frame.format("Heat"),
        frame.format("Titanic"),
    )
    assert ours @ other < bare @ bare_other < 1.0
    assert ours @ bare > 0.95


def test_brackets_and_punctuation_say_nothing() -> None:
    one, other = rows_of("Heat, again!", "Heat again")
    assert one.tobytes() == other.tobytes()


def test_it_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the embedder wanted to connect")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert rows_of("offline").any()


def test_a_missing_package_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> importlib.machinery.ModuleSpec | None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", nothing)
    with pytest.raises(BadInput, match="pip install --force-reinstall wordllama"):
        Wordllama()
