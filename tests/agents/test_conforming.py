from __future__ import annotations

import statistics

from tests.agents.rule.test_mind import SLATE, crowd, decided

from audience.agents.rule import RuleMind
from audience.testing import check_batch_mind, simulate, tiny_genesis
from audience.world import Habits, Heard, actions as a


def stars(conform: float, stance: float | None) -> float:
    heard = () if stance is None else tuple(Heard(item, 1, stance) for item in SLATE)
    made = decided(crowd(heard=heard, habits=Habits(watcher=1.0, chatter=1.0)), conform=conform)
    given = [x.stars for one in made for x in one.actions if isinstance(x, a.Rate)]
    return statistics.mean(given)


def test_ratings_move_towards_what_friends_said_only_with_the_parameter() -> None:
    assert abs(stars(0.0, -1.0) - stars(0.0, 1.0)) < 0.15
    assert stars(0.8, -1.0) < stars(0.8, None) - 0.3
    assert stars(0.8, 1.0) > stars(0.8, None) + 0.2
    assert stars(0.8, None) == stars(0.0, None)


def test_it_decides_for_many_as_for_each() -> None:
    check_batch_mind(RuleMind(conform=0.5))


def test_without_the_parameter_nothing_changes() -> None:
    genesis = tiny_genesis(12)
    _, plain = simulate(genesis, mind=RuleMind())
    _, zero = simulate(genesis, mind=RuleMind(conform=0.0))
    assert plain.digest() == zero.digest()
