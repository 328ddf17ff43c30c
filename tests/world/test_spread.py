from __future__ import annotations

import numpy as np

from audience.world import Profile, Spread, Topic

PEOPLE = [Profile(number, career="fisher" if number % 2 else "cook") for number in range(400)]


def begun(**fields: object) -> Spread:
    spread = Spread(len(PEOPLE))
    spread.begin(Topic("a", "b", **fields), 7, PEOPLE)  # type: ignore[arg-type]
    return spread


def test_leanings_are_drawn_by_name_and_follow_the_profile() -> None:
    spread = begun(favour=0.5, favour_of={"fisher": 0.0, "cook": 1.0})
    assert (spread.leaning[0, 1::2] == -1).all()
    assert (spread.leaning[0, ::2] == 1).all()
    share = (begun(favour=0.25).leaning[0] == 1).mean()
    assert 0.18 < share < 0.32
    assert (begun().leaning == begun().leaning).all()


def test_the_first_round_in_which_somebody_hears_of_it_counts() -> None:
    spread = begun()
    spread.reach(0, (3, 5), 2)
    spread.reach(0, (5, 6), 4)
    assert [spread.standing(0, who).aware for who in (3, 5, 6, 7)] == [2, 2, 4, 0]


def test_those_without_news_calm_down_with_their_chance() -> None:
    spread = begun(decay=0.3)
    spread.level[0] = 2
    spread.read[0, :200] = 5
    spread.calm(7, 5)
    assert (spread.level[0, :200] == 2).all()
    fell = (spread.level[0, 200:] == 1).mean()
    assert set(np.unique(spread.level[0, 200:])) == {1, 2}
    assert 0.2 < fell < 0.4


def test_nobody_is_calmer_than_calm() -> None:
    spread = begun(decay=1.0)
    spread.level[0, :3] = (0, 1, 2)
    for round_ in range(1, 6):
        spread.calm(7, round_)
    assert not spread.level.any()


def test_reading_ends_the_wait_for_every_topic() -> None:
    spread = begun()
    spread.begin(Topic("c", "d"), 7, PEOPLE)
    spread.unread[:, 4] = (0, 1)
    spread.unread[0, 9] = 1
    assert spread.waiting().tolist() == [4, 9]
    spread.open(4, 3)
    assert spread.waiting().tolist() == [9]
    assert spread.read[:, 4].tolist() == [0, 3]


def test_what_is_packed_is_unpacked() -> None:
    spread = begun()
    spread.reach(0, (1, 2), 3)
    spread.level[0, 2], spread.stance[0, 2], spread.unread[0, 8] = 2, -1, 1
    again = Spread.unpack(spread.topics, spread.people, spread.packed())
    for name in ("level", "stance", "leaning", "aware", "read", "unread"):
        assert (getattr(again, name) == getattr(spread, name)).all()
        assert getattr(again, name).dtype == getattr(spread, name).dtype


def test_somebody_who_comes_later_has_leanings_of_its_own() -> None:
    spread = begun(favour=1.0)
    spread.grow(7, Profile(400))
    assert spread.level.shape == (1, 401)
    assert spread.standing(0, 400).leaning == 1
