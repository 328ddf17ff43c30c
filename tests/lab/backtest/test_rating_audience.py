"""An audience that rates finds the effects that made its ratings, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from audience.lab.backtest.rating_audience import RatedTable, fitted, held_out_error
from audience.world import Floats, rng

PEOPLE, ITEMS = 120, 60


def planted(
    person: float = 0.0, item: float = 0.0, group: float = 0.0, noise: float = 0.3
) -> tuple[RatedTable, Floats]:
    """Return ratings from effects of given deviations, and what everybody would have given."""
    draw = rng(4, "planted")
    women = draw.random(PEOPLE) < 0.5
    of_group = draw.normal(0.0, group, (2, ITEMS))
    whole = 3.0 + draw.normal(0.0, person, (PEOPLE, 1)) + draw.normal(0.0, item, ITEMS)
    whole = whole + of_group[women.astype(int)]
    seen = draw.random((PEOPLE, ITEMS)) < 0.25
    noisy = whole + draw.normal(0.0, noise, whole.shape)
    features = np.stack([women, ~women], axis=1).astype(np.float64)
    kinds = np.eye(4)[np.arange(ITEMS) % 4]
    names = (("gender:women", "gender:men"), tuple(f"kind:{n}" for n in range(4)))
    return RatedTable(np.where(seen, noisy, 0.0), features, kinds, *names), whole


def test_the_variances_are_those_that_were_planted() -> None:
    table, _ = planted(person=0.6, item=0.5)
    found = fitted(table)
    assert found.variances["a person, all items"] == pytest.approx(0.36, abs=0.12)
    assert found.variances["everybody, an item"] == pytest.approx(0.25, abs=0.12)
    assert found.noise == pytest.approx(0.09, abs=0.06)


def test_what_others_alike_rated_is_expected_of_a_person() -> None:
    table, whole = planted(item=0.4, group=0.8)
    found = fitted(table)
    unseen = ~table.seen
    error = float(np.sqrt(((found.expected - whole)[unseen] ** 2).mean()))
    assert error < 0.35 < float(whole.std())
    groups = ("same gender, an item", "people alike, an item")
    assert sum(found.variances.get(name, 0.0) for name in groups) > 0.2


def test_noise_alone_is_shrunk_away() -> None:
    table, _ = planted(noise=1.0)
    found = fitted(table)
    assert float(found.expected.std()) < 0.25
    assert found.noise > 0.8


def test_the_posterior_is_that_of_the_dense_formula() -> None:
    from audience.lab.backtest.rating_audience import effects_of, posterior

    table, _ = planted(person=0.5, item=0.5)
    effects = [(effect, 0.1 * (n + 1)) for n, effect in enumerate(effects_of(table)[:5])]
    who, what = np.nonzero(table.seen)
    rest = np.where(table.seen, table.ratings - 3.0, 0.0)
    dense = sum(
        v * effect.people[np.ix_(who, who)] * effect.items[np.ix_(what, what)]
        for effect, v in effects
    )
    solved = np.linalg.solve(dense + 0.2 * np.eye(len(who)), rest[who, what])
    cells = np.zeros_like(rest)
    cells[who, what] = solved
    expected = sum(v * effect.people @ cells @ effect.items for effect, v in effects)
    found = posterior(effects, rest, table.seen.astype(np.float64), 0.2)
    assert np.allclose(found, expected, atol=1e-3)


def test_weights_bring_back_what_choice_hid() -> None:
    table, _ = planted(item=0.5)
    draw = rng(9, "chances")
    chances = np.clip(0.02 + 0.2 * (table.ratings > 3.0) + 0.0 * draw.random(), 0.02, 1.0)
    chosen = RatedTable(
        table.ratings, table.people, table.items, table.person_names, table.item_names, chances
    )
    assert fitted(chosen, weighed=True).mean < fitted(chosen).mean
    assert held_out_error(chosen, weighed=False) < 1.0
