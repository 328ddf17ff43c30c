from __future__ import annotations

import math

import numpy as np
import pytest

from audience.errors import BadInput
from audience.grounding.preference import (
    OTHERS,
    Steps,
    fit_preferences,
    log_likelihood,
    steps_of,
)
from audience.testing import tiny_genesis
from audience.world import World, rng

BEFORE = {"taste": 2.6, "quality": 1.2, "novelty": 0.5}
TRUE = {"taste": 4.0, "quality": 0.0, "novelty": 1.5}


def planted(people: int, steps: int, seed: int) -> Steps:
    """Return choices made by known weights."""
    draw = rng(seed, "planted")
    values = draw.uniform(-1.0, 1.0, (people * steps, 1 + OTHERS, len(TRUE)))
    utility = values @ np.array(list(TRUE.values())) + draw.gumbel(size=values.shape[:2])
    taken = utility.argmax(axis=1)
    for row, place in enumerate(taken.tolist()):
        values[row, [0, place]] = values[row, [place, 0]]
    return Steps(np.repeat(np.arange(people), steps), values)


def test_the_weights_behind_choices_are_found() -> None:
    steps, others = planted(300, 10, 1), planted(300, 10, 2)
    found = fit_preferences(steps, BEFORE)
    assert found["taste"] == pytest.approx(4.0, abs=0.4)
    assert found["quality"] == pytest.approx(0.0, abs=0.2)
    assert found["novelty"] == pytest.approx(1.5, abs=0.3)
    assert log_likelihood(others, found) > log_likelihood(others, BEFORE) > -math.log(1 + OTHERS)


def test_everybody_counts_the_same_however_long_their_history() -> None:
    steps = planted(40, 5, 3)
    row = np.zeros(400, np.int64)
    longer = Steps(
        np.concatenate([steps.owners, row]), np.concatenate([steps.values, steps.values[row]])
    )
    many = log_likelihood(longer, BEFORE)
    assert many == pytest.approx(log_likelihood(steps, BEFORE), abs=0.2)
    assert longer.shares.sum() == pytest.approx(1.0)
    assert longer.shares[longer.owners == 0].sum() == pytest.approx(1 / 40)


def test_a_step_stands_beside_items_that_the_person_never_took() -> None:
    genesis = tiny_genesis(6, 40)
    agents = World(genesis).agents
    users, items = np.array([0, 0, 3]), np.array([5, 6, 7])
    popularity = np.arange(40)
    made = steps_of(agents, genesis.catalogue, users, items, popularity=popularity, seed=1)
    assert made.owners.tolist() == [0, 0, 3]
    again = steps_of(agents, genesis.catalogue, users, items, popularity=popularity, seed=1)
    np.testing.assert_array_equal(made.values, again.values)
    assert made.values.shape == (3, 1 + OTHERS, 3)
    taken = made.values[0, 0]
    assert not (made.values[0, 1:] == taken).all(axis=1).all()


def test_without_later_steps_there_is_nothing_to_learn() -> None:
    genesis = tiny_genesis(3, 10)
    none = np.zeros(0, np.int64)
    with pytest.raises(BadInput, match="later interactions"):
        steps_of(
            World(genesis).agents, genesis.catalogue, none, none, popularity=np.arange(10), seed=1
        )
