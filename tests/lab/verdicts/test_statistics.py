from __future__ import annotations

import math

import numpy as np
import pytest

from audience.lab.verdicts.statistics import MEASURES, count, lengths, measures
from audience.testing import tiny_genesis
from audience.world import MEMORY, VISITS, Catalogue, Chapter, Entry, Item, events as e

GENESIS = tiny_genesis(4)
MINUTES = [item.minutes for item in GENESIS.catalogue.items]


def visit(who: int, *events: e.AnyEvent, phase: int = VISITS) -> Chapter:
    return Chapter(1, phase, 0, who, tuple(Entry(one) for one in events))


LIVED = visit(
    0,
    e.Woke(0, 0),
    e.SlateShown(0, (1, 2, 3, 4), 0),
    e.Picked(0, 2, 1),
    e.Watched(0, 2, 0.5),
    e.Rated(0, 2, 4),
    e.Picked(0, 3, 2),
    e.Watched(0, 3, 1.0),
    e.Rated(0, 3, 3),
    e.SlateShown(0, (5, 6, 7, 8), 1),
    e.SlateShown(0, (9, 10), 0, "search"),
    e.Picked(0, 9, 0),
    e.Watched(0, 9, 1.0),
    e.Rated(0, 9, 5),
    e.Left(0, 0.75),
)


def test_only_what_was_recommended_counts() -> None:
    found = count([LIVED], GENESIS)
    one = {name: getattr(found, name)[0] for name in found.__struct_fields__}
    assert one == {
        "visits": 1,
        "pages": 2,
        "clicked": 1,
        "shown": 8,
        "views": 2,
        "likes": 1,
        "minutes": 0.5 * MINUTES[2] + MINUTES[3],
        "said": 0.75,
        "rated_visit": 1,
    }
    assert found.visits.tolist() == [1, 0, 0, 0]


def test_measures_are_of_each_person() -> None:
    again = visit(0, e.SlateShown(0, (11, 12, 13, 14), 0), e.Left(0, 0.25))
    found = measures(count([LIVED, again], GENESIS), np.array([1.5, 2.0, 2.0, 2.0]))
    one = {name: values[0] for name, values in found.items()}
    assert set(one) == set(MEASURES)
    assert one == {
        "view_ratio": 2 / 12,
        "likes": 0.5,
        "like_ratio": 1 / 12,
        "exit_page": 1.5,
        "satisfaction": 5.5,
        "click_rate": pytest.approx(1 / 3),
        "watch_time": (0.5 * MINUTES[2] + MINUTES[3]) / 2,
        "diversity": 1.5,
    }
    assert all(math.isnan(values[1]) for values in found.values())


def test_a_visit_without_a_page_says_nothing_of_the_recommender() -> None:
    found = count([visit(1, e.Woke(1, 0), e.Left(1, 0.9))], GENESIS)
    assert found.visits.tolist() == found.said.tolist() == [0, 0, 0, 0]
    failed = visit(1, e.SlateShown(1, (1, 2), 0), e.Left(1, None, "failed"))
    found = count([failed, visit(2, e.SlateShown(2, (1,), 0), phase=MEMORY)], GENESIS)
    assert found.visits.tolist() == [0, 1, 0, 0]
    assert np.isnan(measures(found, np.zeros(4))["satisfaction"]).all()


def test_items_without_lengths_count_as_one() -> None:
    assert lengths(GENESIS.catalogue) == MINUTES
    assert lengths(Catalogue((Item(0, "A"), Item(1, "B")))) == [1.0, 1.0]
