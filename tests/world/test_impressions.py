"""Impressions are kept in order, with picks, and the oldest go first."""

from __future__ import annotations

from audience.world import Impressions


def shown(pages: int, most: int) -> Impressions:
    made = Impressions(most)
    for page in range(pages):
        made.show(page, (2 * page, 2 * page + 1), 10 * page, searched=page % 2 == 1)
        made.pick(page, 2 * page + 1)
    return made


def test_a_pick_marks_the_newest_impression_of_its_own_visit() -> None:
    made = Impressions()
    made.show(1, (7, 8), 5, searched=False)
    made.show(2, (7,), 5, searched=True)
    made.pick(2, 8)
    made.pick(2, 7)
    agents, items, at, places, searched, picked = (column.tolist() for column in made.columns(3))
    assert (agents, items, at, places) == ([1, 1, 2], [7, 8, 7], [5, 5, 5], [0, 1, 0])
    assert (searched, picked) == ([False, False, True], [False, False, True])


def test_an_earlier_fit_sees_only_what_was_shown_before_it() -> None:
    assert shown(5, 100).columns(4)[1].tolist() == [0, 1, 2, 3]


def test_the_oldest_are_dropped_and_pieces_join_to_the_same() -> None:
    whole = shown(40, 20)
    assert whole.count == 80
    assert whole.columns(80)[1].tolist() == list(range(60, 80))
    joined = Impressions(20)
    for pages in (10, 25, 40):
        part, begin = shown(pages, 20), joined.count
        joined.extend(part.packed(begin), max(begin, part.dropped))
    assert joined.count == 80
    assert joined.columns(80)[1].tolist() == list(range(60, 80))
