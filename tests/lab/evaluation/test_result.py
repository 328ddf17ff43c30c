from __future__ import annotations

import math

import numpy as np
import pytest

from audience.lab.evaluation import Case
from audience.lab.evaluation.result import auc, aucs, hits
from audience.world import Floats, rng


def case(*truth: bool) -> Case:
    return Case(0, (1, 2), tuple(range(len(truth))), truth)


@pytest.mark.parametrize(
    ("truth", "scores", "worth"),
    [
        ((True, False, False), (3.0, 2.0, 1.0), 1.0),
        ((False, True, False), (3.0, 2.0, 1.0), 0.0),
        ((True, True, False, False), (4.0, 1.0, 3.0, 2.0), 0.5),
        ((True, False, False, False), (1.0, 1.0, 1.0, 1.0), 0.25),
        ((True, True, False), (1.0, 1.0, 1.0), 2 / 3),
        ((True, False), (math.nan, math.nan), 0.0),
    ],
)
def test_a_hit_is_the_share_of_the_truth_among_the_chosen(
    truth: tuple[bool, ...], scores: tuple[float, ...], worth: float
) -> None:
    assert hits([case(*truth)], [np.array(scores)])[0] == pytest.approx(worth)


def test_auc_counts_ties_half() -> None:
    assert auc(np.array([3.0, 1.0, 2.0]), (True, False, False)) == 1.0
    assert auc(np.array([1.0, 1.0]), (True, False)) == 0.5
    assert math.isnan(auc(np.array([1.0]), (True,)))
    assert math.isnan(auc(np.array([math.nan, 1.0]), (True, False)))


def test_cases_of_many_widths_are_measured_as_each_would_be_alone() -> None:
    draws = rng(1, "measuring")
    cases, scores = [], []
    for number in range(200):
        width = int(draws.integers(2, 9))
        truth = draws.permutation(width) < int(draws.integers(1, width))
        cases.append(case(*truth.tolist()))
        scores.append(draws.integers(4, size=width) / 3.0)
        if number % 17 == 0:
            scores[-1][0] = math.nan
    found, areas = hits(cases, scores), aucs(cases, scores)
    for place, (one, each) in enumerate(zip(cases, scores, strict=True)):
        assert found[place] == _slow_hit(one, each)
        if np.isnan(each).any():
            assert areas[place] == 0.5
        else:
            assert areas[place] == _slow_auc(one, each) == auc(each, one.truth)


def _slow_hit(one: Case, scores: Floats) -> float:
    if np.isnan(scores).any():
        return 0.0
    truth = np.array(one.truth)
    wanted = int(truth.sum())
    cut = np.sort(scores)[-wanted]
    sure, tied = scores > cut, scores == cut
    share = (wanted - int(sure.sum())) / int(tied.sum())
    return float((sure & truth).sum() + share * (tied & truth).sum()) / wanted


def _slow_auc(one: Case, scores: Floats) -> float:
    truth = np.array(one.truth)
    apart = scores[truth][:, None] - scores[~truth][None, :]
    return float((apart > 0).mean() + 0.5 * (apart == 0).mean())
