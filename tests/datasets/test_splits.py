from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.datasets.test_corpus import ROWS, Rows, corpus

from audience.datasets import Corpus, Split, Training, by_ratio, by_time, genesis_of, leave_last
from audience.errors import BadInput
from audience.world import Clock

WAYS: dict[str, Callable[[Corpus], Split]] = {
    "last": lambda whole: leave_last(whole, 2),
    "ratio": lambda whole: by_ratio(whole, 0.3),
    "time": lambda whole: by_time(whole, 5),
}


def split(name: str, whole: Corpus) -> Split | None:
    try:
        return WAYS[name](whole)
    except BadInput:
        return None


@pytest.mark.parametrize("name", list(WAYS))
@given(rows=ROWS)
def test_parts_are_apart_and_the_test_is_later(name: str, rows: Rows) -> None:
    whole = corpus(rows)
    found = split(name, whole)
    if found is None:
        return
    assert len(found.train) + len(found.test) + found.repeats == len(whole.lived)
    pairs = [
        {*zip(part.users.tolist(), part.items.tolist(), strict=True)}
        for part in (found.train, found.test)
    ]
    assert not pairs[0] & pairs[1]
    for person in range(6):
        before = found.train.at[found.train.users == person]
        after = found.test.at[found.test.users == person]
        if len(before) and len(after):
            assert before.max() <= after.min()


def learnt(training: Training) -> list[object]:
    """Return everything that is derived from a training part."""
    return [
        training.counts.tolist(),
        training.popularity.tolist(),
        training.mean,
        np.nan_to_num(training.item_means, nan=-1.0).tolist(),
        np.nan_to_num(training.person_means, nan=-1.0).tolist(),
        training.quality.tolist(),
        training.tag_popularity.tolist(),
        training.tag_shares().tolist(),
        training.interests(training.tag_popularity),
    ]


@pytest.mark.parametrize("name", list(WAYS))
@given(rows=ROWS, shift=st.integers(1, 4), stars=st.floats(0.5, 5.0))
def test_changed_test_rows_change_nothing_that_is_learnt(
    name: str, rows: Rows, shift: int, stars: float
) -> None:
    whole = corpus(rows)
    found = split(name, whole)
    if found is None or not len(found.train):
        return
    held = ~_is_in(whole, found)
    items = np.where(held, (whole.lived.items + shift) % 5, whole.lived.items)
    given_stars = np.where(held, stars, whole.lived.stars)
    other = whole.having(msgspec.structs.replace(whole.lived, items=items, stars=given_stars))
    again = split(name, other)
    assert again is not None
    assert learnt(again.training) == learnt(found.training)
    digests = [genesis_of(part.corpus, 6, 1, Clock()).digest for part in (found, again)]
    assert digests[0] == digests[1]


def _is_in(whole: Corpus, found: Split) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Say which rows of a corpus its training part kept: moments tell rows of a pair apart."""
    codes = [(part.users * 100 + part.items) * 100 + part.at for part in (whole.lived, found.train)]
    return np.asarray(np.isin(codes[0], codes[1]))


def test_the_last_and_the_share_are_counted_per_person() -> None:
    whole = corpus([(0, n, n) for n in range(5)] + [(1, 0, 3), (1, 1, 4), (2, 0, 1)])
    last = leave_last(whole, 2)
    assert np.bincount(last.test.users, minlength=6).tolist() == [2, 0, 0, 0, 0, 0]
    assert last.test.items.tolist() == [3, 4]
    ratio = by_ratio(whole, 0.5)
    assert np.bincount(ratio.test.users, minlength=6).tolist() == [2, 1, 0, 0, 0, 0]
    time = by_time(whole, 4)
    assert sorted(time.test.at.tolist()) == [4, 4]


def test_what_was_lived_before_is_no_test() -> None:
    found = leave_last(corpus([(0, 0, 1), (0, 1, 2), (0, 0, 3)]))
    assert (len(found.test), found.repeats) == (0, 1)


def test_a_split_that_makes_no_sense_is_refused() -> None:
    whole = corpus([(0, 0, 1), (0, 1, 2)])
    undated = msgspec.structs.replace(whole, dated=False)
    with pytest.raises(BadInput, match="at least one"):
        leave_last(whole, 0)
    with pytest.raises(BadInput, match="not between 0 and 1"):
        by_ratio(whole, 1.0)
    with pytest.raises(BadInput, match="splits nothing off; take one from 2 to 2"):
        by_time(whole, 99)
    with pytest.raises(BadInput, match="has no moments of its own"):
        by_time(undated, 2)
