from __future__ import annotations

import math

import pytest
from tests.lab.studies.logs import found, lived, visit, world

from audience.lab.studies.cocoon import Windows
from audience.lab.studies.filter_bubble import Narrowing
from audience.world import events as e


def test_a_page_of_one_genre_and_a_page_of_two() -> None:
    genesis = world(items=[("Comedy",), ("Comedy",), ("Drama",), ("Noir",)])
    one, rounds = found(
        genesis,
        Windows(),
        [visit(0, e.SlateShown(0, (0, 1), 0))],
        [visit(0, e.SlateShown(0, (0, 2), 0), e.SlateShown(0, (2, 3), 0, "search"))],
    )
    assert [row["page_entropy"] for row in rounds] == [0.0, 1.0]
    assert [row["page_top"] for row in rounds] == [1.0, 0.5]
    assert [row["page_genres"] for row in rounds] == [1.0, 2.0]
    assert one["page_entropy"] == 0.5


def test_an_item_with_two_genres_gives_each_one_half() -> None:
    genesis = world(items=[("Comedy", "Drama"), ("Comedy",)])
    one, _ = found(genesis, Windows(), [visit(0, e.SlateShown(0, (0, 1), 0))])
    assert one["page_top"] == pytest.approx(0.75)
    assert one["page_entropy"] == pytest.approx(-0.75 * math.log2(0.75) - 0.25 * math.log2(0.25))


def test_the_last_five_count_and_those_with_fewer_do_not() -> None:
    items = [("Comedy",)] * 6 + [("Drama",)] * 2
    past = [(0, item) for item in range(4)] + [(1, 0)]
    one, _ = found(
        world(items=items, past=past),
        Windows(),
        [visit(0, *lived(0, 4), *lived(0, 6)), visit(1, *lived(1, 7))],
    )
    assert one["five_genres"] == 2.0
    assert one["five_top"] == pytest.approx(0.8)


def test_growth_is_the_last_round_less_the_first() -> None:
    genesis = world(items=[("Comedy",), ("Comedy",), ("Drama",)])
    one, _ = found(
        genesis,
        Narrowing(),
        [visit(0, e.SlateShown(0, (0, 2), 0))],
        [visit(0, e.SlateShown(0, (0, 1), 0))],
    )
    assert one["page_top_growth"] == pytest.approx(0.5)
    assert one["page_genres_growth"] == -1.0


def test_where_nothing_happens_nothing_is_defined() -> None:
    one, _ = found(world(), Windows(), [])
    assert all(math.isnan(value) for value in one.values())
