from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.lab.evaluation.test_mixing import world

from audience.lab.evaluation import Case
from audience.lab.evaluation.mixes import folds_of
from audience.lab.evaluation.taste import decided, expected_worth, yes
from audience.world import rng


def test_yes_and_no_follow_scores_by_what_others_did() -> None:
    cases, features = world()
    said = decided("good", cases, features["good"], cases, features["good"], 1)
    truth = np.array([one for case in cases for one in case.truth])
    given = np.concatenate(said) > 0.5
    assert (given == truth).mean() > 0.85
    assert 0.5 < given.sum() / truth.sum() < 2.0
    for scores, each in zip(features["good"], said, strict=True):
        order = np.argsort(scores)
        assert (np.diff(each[order]) >= 0).all(), "who scores higher is never refused for a lower"


def test_nobody_is_decided_by_its_own_practice() -> None:
    cases, features = world(60)
    folds = folds_of(cases, 1)
    mine = folds == folds[0]
    turned = [
        Case(one.user, one.history, one.candidates, one.truth[::-1] if own else one.truth)
        for one, own in zip(cases, mine, strict=True)
    ]
    good = features["good"]
    before = decided("good", cases, good, cases, good, 1)
    after = decided("good", cases, good, turned, good, 1)
    for own, one, two in zip(mine, before, after, strict=True):
        assert not own or np.array_equal(one, two)
    assert any(not np.array_equal(one, two) for one, two in zip(before, after, strict=True))


def test_what_could_not_be_said_stays_so() -> None:
    cases, features = world(50)
    scores = list(features["good"])
    scores[3] = np.full(6, np.nan)
    said = decided("good", cases, scores, cases, scores, 1)
    assert np.isnan(said[3]).all()
    assert not np.isnan(said[4]).any()
    nothing = [np.full(6, np.nan)] * 50
    assert all(np.isnan(one).all() for one in decided("x", cases, nothing, cases, nothing, 1))


def test_the_worth_to_expect_is_the_mean_over_all_that_may_be_true() -> None:
    chances = rng(1, "worth").uniform(0.05, 0.95, (3, 5))
    found = expected_worth(chances)
    for row, count in product(range(3), range(6)):
        total = 0.0
        for truth in product((0, 1), repeat=5):
            taken = np.array(truth)
            likely = np.prod(np.where(taken == 1, chances[row], 1.0 - chances[row]))
            said = np.arange(5) < count
            hit = float((taken * said).sum())
            f1 = 2.0 * hit / max(float(taken.sum()) + count, 1.0)
            total += float(likely) * (f1 + float((taken == said).mean()))
        assert found[row, count] == pytest.approx(total)


def test_lists_are_decided_as_each_would_be_alone_and_ties_alike() -> None:
    draws = rng(2, "ties")
    scores = draws.integers(4, size=(80, 7)).astype(np.float64)
    chances = 1.0 / (1.0 + np.exp(2.0 - scores))
    said = yes(scores, chances)
    for row in range(80):
        assert yes(scores[row : row + 1], chances[row : row + 1])[0].tolist() == said[row].tolist()
        for value in np.unique(scores[row]).tolist():
            assert len(set(said[row][scores[row] == value].tolist())) == 1
