from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import pytest

from audience.errors import Halt
from audience.llm import NoVectors, Vectors
from audience.llm.embedder import VectorCache


class Counting:
    """Gives a text's length and its number of vowels; remembers what it was asked."""

    name = "counting"
    size = 0

    def __init__(self, spoil: Callable[[Vectors, Sequence[str]], Any] | None = None) -> None:
        self.asked: list[list[str]] = []
        self._spoil = spoil

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        await asyncio.sleep(0.001)
        rows = np.array([[len(text), sum(map(text.count, "aeiou"))] for text in texts], np.float32)
        return self._spoil(rows, texts) if self._spoil else rows


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 120.0))


def test_each_text_is_embedded_once() -> None:
    inner = Counting()
    kept = VectorCache(inner)

    async def test() -> None:
        first = await kept.embed(["one", "two", "one"])
        again = await kept.embed(["two", "three", "one"])
        assert inner.asked == [["one", "two"], ["three"]]
        assert np.array_equal(first[0], first[2])
        assert np.array_equal(first[[1, 0]], again[[0, 2]])

    run(test)


def test_many_askers_make_one_batch() -> None:
    inner = Counting()
    kept = VectorCache(inner)

    async def test() -> None:
        asks = [kept.embed([f"text {number}", "shared"]) for number in range(200)]
        rows = await asyncio.gather(*asks)
        assert len(inner.asked) == 1
        assert len(inner.asked[0]) == 201
        plain = await Counting().embed(["text 7"])
        assert rows[7][0] == pytest.approx(plain[0] / np.linalg.norm(plain[0]))

    run(test)


def test_what_is_under_way_is_waited_for() -> None:
    inner = Counting()
    kept = VectorCache(inner)

    async def test() -> None:
        early = asyncio.ensure_future(kept.embed(["one"]))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        late = await kept.embed(["one", "two"])
        assert np.array_equal(late[:1], await early)
        assert inner.asked == [["one"], ["two"]]

    run(test)


def test_an_asker_that_goes_takes_nothing_from_the_others() -> None:
    kept = VectorCache(Counting())

    async def test() -> None:
        gone, stays = (asyncio.ensure_future(kept.embed(["one"])) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        assert (await stays).any()

    run(test)


def test_the_texts_used_longest_ago_go_first() -> None:
    inner = Counting()
    kept = VectorCache(inner, most=3)

    async def test() -> None:
        await kept.embed(["a", "bb", "ccc"])
        await kept.embed(["a"])
        await kept.embed(["dddd"])
        assert len(kept) == 3
        await kept.embed(["a", "ccc", "dddd"])
        assert len(inner.asked) == 2
        await kept.embed(["bb"])
        assert inner.asked[-1] == ["bb"]

    run(test)


def test_more_texts_than_can_be_kept_still_have_their_vectors() -> None:
    texts = [chr(97 + number) * (number + 1) for number in range(20)]
    small, large = VectorCache(Counting(), most=3), VectorCache(Counting())

    async def test() -> None:
        await small.embed(texts[5:8])
        assert np.array_equal(await small.embed(texts), await large.embed(texts))
        assert len(small) == 3

    run(test)


def test_blank_texts_are_zero_and_never_asked_for() -> None:
    inner = Counting()
    kept = VectorCache(inner)

    async def test() -> None:
        assert (await kept.embed([])).shape == (0, 0)
        assert (await kept.embed(["", " "])).shape == (2, 0)
        rows = await kept.embed(["", "one", "\n"])
        assert rows.shape == (3, 2)
        assert not rows[[0, 2]].any()
        assert inner.asked == [["one"]]

    run(test)


def test_it_outlives_an_event_loop() -> None:
    inner = Counting()
    kept = VectorCache(inner)

    async def leave() -> None:
        asyncio.ensure_future(kept.embed(["one"]))  # noqa: RUF006
        await asyncio.sleep(0)

    async def test() -> None:
        assert (await kept.embed(["one"])).any()

    asyncio.run(leave())
    run(test)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda rows, _: rows * np.nan, "not finite"),
        (lambda rows, _: rows[:-1], "shape"),
        (lambda rows, _: rows[:, :0], "shape"),
        (lambda rows, _: rows.tolist(), "no array"),
        (lambda rows, _: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_an_embedder_does_wrong_is_no_vectors(spoil: Any, why: str) -> None:
    kept = VectorCache(Counting(spoil))

    async def test() -> None:
        with pytest.raises(NoVectors, match=why):
            await kept.embed(["one"])
        assert len(kept) == 0

    run(test)


def test_a_size_that_changes_is_no_vectors() -> None:
    kept = VectorCache(Counting(lambda rows, texts: rows[:, :1] if "bad" in texts else rows))

    async def test() -> None:
        await kept.embed(["one"])
        with pytest.raises(NoVectors, match="1 numbers where they have 2"):
            await kept.embed(["bad"])
        assert (await kept.embed(["one", "two"])).shape == (2, 2)

    run(test)


def test_only_those_fail_whose_text_failed() -> None:
    def spoil(rows: Vectors, texts: Sequence[str]) -> Vectors:
        found = {text: row for text, row in zip(texts, rows, strict=True) if text != "bad"}
        raise NoVectors("one is bad", found)

    kept = VectorCache(Counting(spoil))

    async def test() -> None:
        good, bad = await asyncio.gather(
            kept.embed(["good"]), kept.embed(["bad", "fine"]), return_exceptions=True
        )
        assert isinstance(good, np.ndarray)
        assert isinstance(bad, NoVectors)
        assert bad.why == "one is bad"
        assert len(kept) == 2

    run(test)


def test_a_halt_passes_through_to_all() -> None:
    def spoil(rows: Vectors, texts: Sequence[str]) -> Vectors:
        raise Halt("the budget is spent")

    kept = VectorCache(Counting(spoil))

    async def test() -> None:
        both = await asyncio.gather(
            kept.embed(["one"]), kept.embed(["two"]), return_exceptions=True
        )
        assert [type(one) for one in both] == [Halt, Halt]

    run(test)
