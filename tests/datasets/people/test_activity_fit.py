"""Activity laws: what was drawn is found again, and what real data says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.datasets.files import ABSENT, ML_1M, SHARED, write

from audience.datasets import Training
from audience.datasets.loaders import MovieLens, recognise
from audience.datasets.people import ActivityFit, draw_levels, fit_activity, levels_of
from audience.datasets.people.traits import OFTENEST, RAREST
from audience.errors import BadInput
from audience.world import Clock, rng


def test_a_pareto_law_is_found_again() -> None:
    draws = rng(1, "test").random(20_000)
    fitted = fit_activity(np.floor(100 * (1 - draws) ** (-1 / 1.8)).astype(np.int64))
    assert fitted.best == "pareto"
    assert fitted.pareto.shape == pytest.approx(1.8, abs=0.05)
    assert fitted.pareto.least == 100
    assert fitted.pareto.ks < 0.02 < fitted.lognormal.ks
    assert fitted.pareto.likelihood > fitted.lognormal.likelihood


def test_a_lognormal_law_is_found_again() -> None:
    counts = np.rint(np.exp(4.0 + 0.7 * rng(2, "test").standard_normal(20_000)))
    fitted = fit_activity(counts.astype(np.int64))
    assert fitted.best == "lognormal"
    assert (fitted.lognormal.mu, fitted.lognormal.sigma) == pytest.approx((4.0, 0.7), abs=0.02)
    assert fitted.lognormal.ks < 0.02 < fitted.pareto.ks
    assert fitted.lognormal.likelihood > fitted.pareto.likelihood


def test_the_estimates_are_those_of_the_formulas() -> None:
    fitted = fit_activity([2, 4, 8])
    assert fitted.pareto.shape == pytest.approx(3 / np.log(2 * 4))
    assert fitted.lognormal.mu == pytest.approx(np.log(4))
    assert fitted.lognormal.sigma == pytest.approx(np.log(2) * np.sqrt(2 / 3))
    # Two thirds have at most 7; the lognormal puts Phi((ln 7.5 - ln 4) / sigma) = .8667 there.
    assert fitted.lognormal.ks == pytest.approx(0.8667 - 2 / 3, abs=1e-3)


def test_an_x_min_leaves_lower_counts_out_of_the_pareto_alone() -> None:
    fitted = fit_activity([1, 1, 2, 4, 8], least=2)
    assert (fitted.pareto.people, fitted.lognormal.people) == (3, 5)
    assert fitted.pareto.shape == fit_activity([2, 4, 8]).pareto.shape


def test_people_without_interactions_are_counted_and_not_fitted() -> None:
    fitted = fit_activity([0, 0, 2, 4, 8])
    assert (fitted.people, fitted.silent) == (3, 2)
    assert fitted.lognormal == fit_activity([2, 4, 8]).lognormal


@pytest.mark.parametrize(
    ("counts", "least", "message"),
    [
        ([], None, "of 0 people nobody has interactions"),
        ([0, 0], None, "of 2 people nobody has interactions"),
        ([3, 3, 3], None, "of 3 people all have equally many"),
        ([-1, 3], None, "0 or more"),
        (
            [1, 2, 3],
            3,
            "x_min 3: fewer than two different counts are as high; give a number from 1",
        ),
        ([1, 2, 3], 0, "x_min 0"),
    ],
)
def test_what_cannot_be_fitted_is_said(
    counts: list[int], least: float | None, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        fit_activity(counts, least)


@pytest.fixture(scope="module")
def fitted() -> ActivityFit:
    return fit_activity(np.rint(np.exp(3 + rng(3, "test").standard_normal(5_000))).astype(np.int64))


@pytest.mark.parametrize("law", ["lognormal", "pareto", ""])
def test_levels_are_bounded_and_a_beginning_of_more(fitted: ActivityFit, law: str) -> None:
    many = draw_levels(fitted, 3_000, 7, law)
    assert many[:50].tolist() == draw_levels(fitted, 50, 7, law).tolist()
    assert many.min() >= RAREST
    assert many.max() <= OFTENEST
    assert len(np.unique(many)) > 500


def test_drawn_levels_spread_as_the_counts_do(fitted: ActivityFit) -> None:
    drawn = draw_levels(fitted, 20_000, 1)
    assert drawn.mean() == pytest.approx(1.0, abs=0.05)
    assert np.log(drawn).std() == pytest.approx(fitted.lognormal.sigma, abs=0.06)


def test_an_unknown_law_is_named(fitted: ActivityFit) -> None:
    with pytest.raises(BadInput, match=r"law 'paretto' is unknown .did you mean 'pareto'"):
        draw_levels(fitted, 3, 1, "paretto")


def test_levels_are_multiples_of_the_mean() -> None:
    assert levels_of(np.array([0, 5, 10, 1000]), 10.0).tolist() == [0.05, 0.5, 1.0, 20.0]


def test_a_loaded_audience_takes_its_counts_or_draws_from_their_law(tmp_path: Path) -> None:
    lines = "".join(f"{n}::{10 * (k % 2 + 1)}::3::{k}\n" for n in (1, 2) for k in range(4**n))
    folder = write(tmp_path, {**ML_1M, "ratings.dat": lines}, "latin-1")
    past = MovieLens(folder).genesis(2, 1, Clock()).profiles
    assert [who.activity for who in past] == [0.4, 1.6]
    drawn = [
        who.activity for who in MovieLens(folder, activity="fitted").genesis(2, 1, Clock()).profiles
    ]
    assert drawn == draw_levels(fit_activity([4, 16]), 2, 1).tolist() != [0.4, 1.6]


@pytest.mark.parametrize(
    ("name", "lognormal", "pareto"), [("ml-1m", 0.0527, 0.1451), ("ml-100k", 0.0699, 0.1125)]
)
def test_real_people_are_nearer_to_a_lognormal(name: str, lognormal: float, pareto: float) -> None:
    place = SHARED / name
    if not place.exists():
        pytest.skip(ABSENT)
    found = fit_activity(Training(recognise(place).make(place).corpus()).counts)
    assert found.best == "lognormal"
    assert (found.lognormal.ks, found.pareto.ks) == pytest.approx((lognormal, pareto), abs=1e-4)
