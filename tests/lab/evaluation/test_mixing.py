from __future__ import annotations

import numpy as np
import pytest

from audience.lab.evaluation import Case
from audience.lab.evaluation.mixes import FOLDS, Flat, columns, folds_of, mixed
from audience.lab.evaluation.result import auc
from audience.world import Floats, rng


def world(people: int = 200, size: int = 6) -> tuple[list[Case], dict[str, list[Floats]]]:
    """Return cases whose truth is known from `good` with noise, while `noise` says nothing."""
    cases, good, noise = [], [], []
    for user in range(people):
        draws = rng(3, "mixing", user)
        truth = [False] * size
        truth[int(draws.integers(size))] = True
        cases.append(Case(user, (0,), tuple(range(size)), tuple(truth)))
        good.append(np.array(truth, np.float64) * 2.0 + draws.normal(0, 1, size))
        noise.append(draws.normal(0, 1, size))
    return cases, {"good": good, "noise": noise}


def test_the_mix_is_as_good_as_its_best_part_and_ignores_noise() -> None:
    cases, features = world()
    flat, folds = Flat(cases, features), folds_of(cases, 1)
    before, now = mixed(flat, folds, flat, folds)
    areas = [
        float(np.mean([auc(s, c.truth) for s, c in zip(scores, cases, strict=True)]))
        for scores in (now, features["good"], features["noise"])
    ]
    assert areas[0] > areas[1] - 0.01
    assert areas[1] > areas[2] + 0.2
    assert all(np.array_equal(a, b) for a, b in zip(before, now, strict=True))


def test_nobody_is_weighed_by_its_own_practice() -> None:
    cases, features = world(60)
    flat, folds = Flat(cases, features), folds_of(cases, 1)
    _, before = mixed(flat, folds, flat, folds)
    mine = folds == folds[0]
    turned = [
        Case(one.user, one.history, one.candidates, one.truth[::-1] if own else one.truth)
        for one, own in zip(cases, mine, strict=True)
    ]
    _, after = mixed(Flat(turned, features), folds, flat, folds)
    for own, one, two in zip(mine, before, after, strict=True):
        assert np.array_equal(one, two) == bool(own)


def test_folds_are_those_of_people_and_all_are_used() -> None:
    cases, _ = world(100)
    folds = folds_of(cases, 1)
    assert set(folds.tolist()) == set(range(FOLDS))
    assert folds_of(cases[::-1], 1).tolist() == folds[::-1].tolist()
    assert folds_of(cases, 2).tolist() != folds.tolist()


@pytest.mark.parametrize("name", ["popularity", "markov", "item-knn", "ease", "anything"])
def test_forms_keep_the_order_of_scores(name: str) -> None:
    scores = np.array([0.0, 0.001, 0.4, 3.0, 40.0])
    for column in columns(name, scores):
        assert np.isfinite(column).all()
        assert (np.diff(column) > 0).all()
