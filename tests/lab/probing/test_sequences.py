from __future__ import annotations

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import Real, edit_distance
from audience.lab.probing.visits import apart, sessions, similarity, transitions
from audience.world import Catalogue, Item

ACTIONS = ("enter", "page", "pick", "rate", "leave")
ONE = ("enter", "pick", "rate", "leave")


def real(rows: list[tuple[int, int, float]]) -> Real:
    users, at, stars = (np.array(column) for column in zip(*rows, strict=True))
    order = np.argsort(at, kind="stable")
    items = np.zeros(len(rows), np.int64)
    columns = (users[order], items, at[order], stars[order].astype(np.float64))
    return Real("r", Catalogue((Item(0, "x"),)), 9, *columns)


def test_edits_are_counted() -> None:
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == edit_distance("abc", "") == 3
    assert similarity(ONE, ONE) == 1.0
    assert similarity(ONE, ("enter", "leave")) == 0.5


def test_a_long_pause_ends_a_real_visit() -> None:
    rows = [(0, 0, 4.0), (0, 600, 0.0), (0, 9_000, 3.0), (1, 60, 5.0)]
    found = sessions(real(rows), 30.0, 1)
    assert sorted(found) == sorted([("enter", "pick", "rate", "pick", "leave"), ONE, ONE])
    assert len(sessions(real(rows), 1_000.0, 1)) == 2
    assert len(sessions(real(rows), 30.0, 1, most=2)) == 2
    with pytest.raises(BadInput, match="--gap 0"):
        sessions(real(rows), 0.0, 1)


def test_transitions_are_apart_by_the_share_that_differs() -> None:
    mine, theirs = transitions([ONE], ACTIONS), transitions([ONE] * 7, ACTIONS)
    assert apart(mine, theirs) == 0.0
    unrated = transitions([("enter", "pick", "leave")], ACTIONS)
    # After `pick` all differs, and nobody rates: two of three steps.
    assert apart(unrated, theirs) == pytest.approx(2 / 3)
    assert apart(transitions([], ACTIONS), theirs) == pytest.approx(1.0)
