from __future__ import annotations

import numpy as np
import pytest

from audience.agents.rule import RuleMind
from audience.grounding import Sessions, VisitStage, live_visits, stage_of
from audience.testing import tiny_genesis
from audience.world import Past, World

PEOPLE, ITEMS = 40, 60


def stage(seed: int = 1, max_pages: int = 8, popularity: int = 0) -> VisitStage:
    past = tuple(Past(agent, item, 10, 1.0, 4) for agent in range(PEOPLE) for item in range(5))
    genesis = tiny_genesis(PEOPLE, ITEMS, past=past)
    counts = np.ones(ITEMS, np.int64)
    counts[50] += popularity
    return stage_of(
        list(World(genesis).agents),
        genesis.catalogue,
        genesis.domain,
        counts,
        np.array([30.0, 60.0]),
        page_size=5,
        max_pages=max_pages,
        seed=seed,
    )


def plain(visits: Sessions) -> list[list[float]]:
    columns = (visits.users, visits.picks, visits.pages, visits.minutes, visits.per_page)
    return [one.tolist() for one in (*columns, visits.stars)]


def test_nothing_lived_is_shown_and_nothing_twice() -> None:
    shelves = stage().shelves
    assert shelves.shape == (PEOPLE, 40)
    assert shelves.min() >= 5
    assert all(len(set(row)) == 40 for row in shelves.tolist())


def test_the_popular_come_early() -> None:
    early = (stage(popularity=1000).shelves[:, :5] == 50).any(axis=1).mean()
    assert early > 0.9 > (stage().shelves[:, :5] == 50).any(axis=1).mean()


def test_equal_names_give_equal_visits_and_others_do_not() -> None:
    assert plain(live_visits(RuleMind(), stage())) == plain(live_visits(RuleMind(), stage()))
    assert plain(live_visits(RuleMind(), stage())) != plain(live_visits(RuleMind(), stage(2)))


def test_what_is_counted_adds_up() -> None:
    found = live_visits(RuleMind(no_pick=0.0, again=0.0, leave=-3.0, most_picks=3), stage())
    assert int(found.picks.sum()) == int(found.per_page.sum())
    assert int(found.pages.sum()) == len(found.per_page)
    assert int(found.per_page.max()) == 3
    assert int(found.pages.max()) <= 8
    assert found.shown % 5 == 0
    assert found.shown >= int(found.picks.sum())
    assert (found.minutes[found.pages == 1] == 0.0).all()
    longer = found.pages > 1
    reach = found.minutes[longer] / (found.pages[longer] - 1)
    assert ((reach >= 0.5) & (reach <= 1.0)).all()


@pytest.mark.parametrize(
    ("better", "worse", "measure"),
    [
        ({"no_pick": 0.0}, {"no_pick": 3.0}, "picks"),
        ({"leave": -6.0}, {"leave": 1.0}, "pages"),
        ({"leave": -1.0, "settle": 2.0}, {"leave": -1.0, "settle": 0.0}, "pages"),
    ],
)
def test_parameters_move_what_they_say(
    better: dict[str, float], worse: dict[str, float], measure: str
) -> None:
    usual = {"again": 0.0, "fatigue": 0.0, "content": 0.0, "sated": 0.0}
    more, less = (live_visits(RuleMind(**usual | one), stage()) for one in (better, worse))  # type: ignore[arg-type]
    assert getattr(more, measure).sum() > 1.2 * getattr(less, measure).sum()


def test_visits_without_a_pick_leave_no_trace() -> None:
    found = live_visits(RuleMind(no_pick=30.0), stage())
    assert plain(found) == [[], [], [], [], [], []]
    assert found.shown > 0
