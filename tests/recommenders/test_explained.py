from __future__ import annotations

import numpy as np
import pytest

from audience.engine import Platform
from audience.errors import BadInput
from audience.recommenders import (
    Context,
    Explained,
    NoRecommender,
    Popular,
    Random,
    Ranked,
    seen_by_recommender,
)
from audience.testing import check_recommender, simulate, tiny_genesis
from audience.world import Interactions, dice, events as e, rng


def asked(users: int) -> Context:
    who = np.arange(users)
    return Context(who * 0, who * 0, ((),) * users, dice(3, "rank", who, 0))


def test_it_keeps_to_the_protocol_and_to_the_order_of_what_it_explains() -> None:
    check_recommender(Explained("popular"))
    genesis = tiny_genesis(3, 12)
    seen = Interactions(genesis.catalogue, 3)
    seen.add(0, 4, 0, 1.0)
    ranked = (
        Explained("popular")
        .fit(seen_by_recommender(seen), rng(0, "fit"))
        .rank(np.arange(3), 12, asked(3))
    )
    plain = Popular().fit(seen_by_recommender(seen), rng(0, "fit")).rank(np.arange(3), 12, asked(3))
    assert np.array_equal(np.asarray(ranked), plain)


def test_a_reason_names_a_tag_that_the_reader_lived_most() -> None:
    genesis = tiny_genesis(2, 12)
    seen = Interactions(genesis.catalogue, 2)
    seen.add(0, 0, 0, 1.0)
    (tag,) = genesis.catalogue[0].tags
    ranked = (
        Explained("popular")
        .fit(seen_by_recommender(seen), rng(0, "fit"))
        .rank(np.arange(2), 12, asked(2))
    )
    assert isinstance(ranked, Ranked)
    assert ranked.reasons is not None
    for item, reason in zip(ranked.items[0].tolist(), ranked.reasons[0], strict=True):
        has = tag in genesis.catalogue[item].tags
        assert reason == (f"Because you like {tag}" if has else "")
    assert not any(ranked.reasons[1])


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(BadInput, match="recommender 'poplar' is unknown"):
        Explained("poplar")


def test_nothing_shows_nothing_and_people_leave_or_search() -> None:
    _, kept = simulate(tiny_genesis(20), recommender=NoRecommender())
    shown = [event for event in kept.events() if isinstance(event, e.SlateShown)]
    assert all(event.surface == "search" for event in shown)
    assert not any(isinstance(event, e.Failed) for event in kept.events())
    left = [event for event in kept.events() if isinstance(event, e.Left)]
    assert len(left) == sum(isinstance(event, e.Woke) for event in kept.events())
    _, random = simulate(tiny_genesis(20), recommender=Random(), platform=Platform())
    assert any(
        isinstance(event, e.SlateShown) and event.surface == "recommender"
        for event in random.events()
    )
