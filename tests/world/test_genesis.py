from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.testing import tiny_genesis
from audience.world import Catalogue, Clock, Domain, Genesis, Item, Past, Profile, Ties, World

CATALOGUE = Catalogue((Item(0, "One"), Item(1, "Two")))
PEOPLE = (Profile(0, "A"), Profile(1, "B"))


def ties(people: int = 2, *pairs: tuple[int, int]) -> Ties:
    firsts, others = [a for a, _ in pairs], [b for _, b in pairs]
    return Ties.of(people, firsts, others, [0] * len(pairs), [0.5] * len(pairs))


def test_packing_keeps_everything() -> None:
    past = (Past(0, 1, 12, 0.5, 4),)
    plain = tiny_genesis(5, 7)
    domain, clock = Domain("book", "books", "read"), Clock("2020-02-02", "1M")
    genesis = Genesis(plain.catalogue, plain.profiles, plain.ties, clock, domain, past)
    read = Genesis.unpack(genesis.packed)
    assert read.catalogue.items == genesis.catalogue.items
    assert read.catalogue.tags == genesis.catalogue.tags
    assert read.profiles == genesis.profiles
    assert (read.clock, read.domain, read.past) == (clock, domain, past)
    for column in ("starts", "others", "kinds", "closeness"):
        assert np.array_equal(getattr(read.ties, column), getattr(genesis.ties, column))
    assert read.ties.names == genesis.ties.names
    assert read.digest == genesis.digest
    assert read.packed == genesis.packed


def test_what_others_lived_is_kept_and_reaches_no_recommender() -> None:
    others = (Past(7, 1, 12, 1.0, 5),)
    plain = Genesis(CATALOGUE, PEOPLE, ties())
    genesis = Genesis(CATALOGUE, PEOPLE, ties(), others=others)
    assert Genesis.unpack(genesis.packed).others == others
    assert genesis.digest != plain.digest
    assert genesis.evidence == others
    assert Genesis(CATALOGUE, PEOPLE, ties(), past=others[:0]).evidence == ()
    world = World(genesis)
    assert len(world.interactions) == 0
    assert all(not agent.history for agent in world.agents)
    with pytest.raises(
        BadInput, match="past interaction of others with item 2, which does not exist"
    ):
        Genesis(CATALOGUE, PEOPLE, ties(), others=(Past(0, 2, 12),))


def test_the_digest_is_of_what_is_true_and_not_of_the_object() -> None:
    assert tiny_genesis(5, 7).digest == tiny_genesis(5, 7).digest


@pytest.mark.parametrize(
    "other",
    [
        lambda g: tiny_genesis(6, 7),
        lambda g: tiny_genesis(5, 8),
        lambda g: tiny_genesis(5, 7, seed=1),
        lambda g: Genesis(g.catalogue, g.profiles, g.ties, Clock(step="5h"), g.domain),
        lambda g: Genesis(g.catalogue, g.profiles, g.ties, g.clock, Domain("song")),
        lambda g: Genesis(g.catalogue, g.profiles, g.ties, g.clock, past=(Past(0, 0, 1),)),
        lambda g: Genesis(
            g.catalogue, (replace(g.profiles[0], age=99), *g.profiles[1:]), g.ties, g.clock
        ),
    ],
)
def test_any_difference_shows_in_the_digest(other: Callable[[Genesis], Genesis]) -> None:
    genesis = tiny_genesis(5, 7)
    assert other(genesis).digest != genesis.digest


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((Catalogue(()), PEOPLE, ties()), "catalogue is empty"),
        ((CATALOGUE, (), ties(0)), "no people"),
        ((Catalogue((Item(1, "One"),)), PEOPLE, ties()), "item 1 .'One'. is at index 0"),
        ((Catalogue((Item(0, "One"), Item(0, "Two"))), PEOPLE, ties()), "item 0 .'Two'."),
        ((CATALOGUE, (Profile(0, "A"), Profile(0, "B")), ties()), "person 0 .'B'."),
        ((CATALOGUE, PEOPLE, ties(2, (0, 2))), "person 2, who does not exist"),
        ((CATALOGUE, PEOPLE, ties(2, (0, -1))), "person -1, who does not exist"),
        ((CATALOGUE, PEOPLE, ties(2, (5, 0))), "ties cover 6 people"),
        ((CATALOGUE, PEOPLE, ties(1)), "ties cover 1 people"),
    ],
)
def test_bad_input_is_named(parts: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Genesis(*parts)


def test_a_tie_to_oneself_is_refused() -> None:
    good = tiny_genesis(3, 4)
    ties = Ties.of(3, [0, 1], [1, 1], [0, 0], [0.5, 0.5])
    with pytest.raises(BadInput, match="person 1 has a tie to themselves"):
        Genesis(good.catalogue, good.profiles, ties)


def test_a_past_of_nobody_or_nothing_is_refused() -> None:
    good = tiny_genesis(3, 4)
    for past in (Past(3, 0, 0), Past(0, 4, 0), Past(-1, 0, 0)):
        with pytest.raises(BadInput, match="one of them does not exist"):
            Genesis(good.catalogue, good.profiles, good.ties, past=(past,))
