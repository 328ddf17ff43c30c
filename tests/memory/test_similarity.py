from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest

from audience.llm import NoVectors, Vectors, Wordllama
from audience.memory.similarity import (
    MISTAKEN,
    REPEATED,
    ThresholdFit,
    Thresholds,
    calibrate,
    choose,
    pairs,
    shipped,
    thresholds_of,
)


@cache
def found() -> ThresholdFit:
    return asyncio.run(calibrate(Wordllama()))


def test_there_are_enough_pairs_and_none_twice() -> None:
    counts = Counter(pair.label for pair in pairs())
    assert counts["same"] >= 100
    assert counts["other"] >= 140
    assert counts["near"] >= 30
    assert len({frozenset((pair.one, pair.other)) for pair in pairs()}) == len(pairs())
    assert all(pair.one.strip() != pair.other.strip() for pair in pairs())


def test_the_default_embedder_meets_the_bar(
    record_property: Callable[[str, object], None],
) -> None:
    record_property("overall", str(found().overall))
    assert found().overall.enhanced["same"] >= REPEATED, str(found().overall)
    assert found().overall.enhanced["other"] <= MISTAKEN, str(found().overall)


def test_it_meets_the_bar_on_pairs_it_was_not_chosen_on(
    record_property: Callable[[str, object], None],
) -> None:
    record_property("held_out", str(found().held_out))
    assert found().held_out.meets_the_bar, str(found().held_out)


def test_few_repetitions_and_nothing_else_merge() -> None:
    merged = found().overall.merged
    assert 0.2 <= merged["same"] <= 0.5
    assert merged["other"] == merged["near"] == 0.0


def test_the_shipped_thresholds_are_those_found() -> None:
    kept = shipped()[Wordllama.name]
    assert kept.enhance == pytest.approx(found().thresholds.enhance, abs=0.002)
    assert kept.merge == pytest.approx(found().thresholds.merge, abs=0.002)
    assert asyncio.run(thresholds_of(Wordllama())) == kept


def test_all_shipped_thresholds_are_cosines_in_order() -> None:
    assert {"wordllama-256", "all-minilm-l6-v2"} <= set(shipped())
    assert all(0.0 < one.enhance < one.merge < 1.0 for one in shipped().values())


class Foreign:
    """The default's vectors under another name; silent where it is told to be."""

    name = "foreign"
    size = 256

    def __init__(self, *, is_silent: bool = False) -> None:
        self.is_silent = is_silent

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_silent:
            raise NoVectors("nobody is there")
        return await Wordllama().embed(texts)


def test_an_unknown_embedder_is_calibrated_now() -> None:
    assert asyncio.run(thresholds_of(Foreign())) == found().thresholds


def test_an_embedder_that_fails_cannot_be_calibrated() -> None:
    with pytest.raises(NoVectors):
        asyncio.run(thresholds_of(Foreign(is_silent=True)))


def test_where_both_bars_cannot_be_met_the_mistakes_stay_few() -> None:
    cosines = np.linspace(0.0, 0.9, 100)
    kept = choose(cosines, cosines)
    assert np.mean(cosines >= kept.enhance) <= MISTAKEN
    assert kept.merge >= kept.enhance
    assert kept.merge > cosines.max()


def test_clear_cases_leave_room() -> None:
    assert choose(np.full(50, 0.9), np.full(50, 0.1)) == Thresholds(0.9, 0.9)
