from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents.rule import RuleMind
from audience.errors import BadInput
from audience.grounding import (
    Lives,
    Sessions,
    VisitStage,
    divergence,
    fit_enjoyment,
    fit_habits,
    live_visits,
    miscalibration,
    recalibrate,
    reliability,
    stage_of,
)
from audience.grounding.calibration import BOUNDS, VISITING, wilson
from audience.testing import tiny_genesis
from audience.world import World, rng, tastes

TRUE = {
    "no_pick": 2.6,
    "again": 0.0,
    "leave": -1.0,
    "settle": 0.4,
    "fatigue": 0.0,
    "sated": 0.0,
    "most_picks": 4,
}


def stage(seed: int, people: int = 120) -> VisitStage:
    genesis = tiny_genesis(people, 120, seed=seed)
    counts = np.ones(120, np.int64)
    agents = list(World(genesis).agents)
    return stage_of(
        agents, genesis.catalogue, genesis.domain, counts, np.array([30.0]),
        page_size=6, max_pages=15, seed=seed,
    )  # fmt: skip


def rule(parameters: Mapping[str, float]) -> RuleMind:
    return RuleMind(**parameters)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def real() -> Sessions:
    """Visits of other people, other pages and other dice, with known parameters."""
    stars = dict(zip(BOUNDS, (0.2, 0.45, 0.6, 0.85), strict=True))
    return live_visits(RuleMind(**TRUE | stars), stage(9))  # type: ignore[arg-type]


def test_visits_become_like_those_they_are_fitted_to(real: Sessions) -> None:
    here = stage(1)
    fitted = fit_habits(real, here, rule, tries=40)
    before = live_visits(RuleMind(), here).histograms()
    assert fitted.parameters["most_picks"] == 4
    assert set(VISITING) <= set(fitted.parameters)
    assert fitted.tries <= 45
    for name, target in real.histograms().items():
        assert fitted.distances[name] < 0.05, name
        assert fitted.distances[name] <= divergence(target, before[name]) + 0.005, name
    # The check that matters: other people, whom the search never met.
    others = live_visits(rule(fitted.parameters), stage(5)).histograms()
    for name, target in real.histograms().items():
        assert divergence(target, others[name]) < 0.07, name


def test_what_is_given_stays(real: Sessions) -> None:
    fitted = fit_habits(real, stage(1, 30), rule, given={"taste": 1.5}, tries=6, rates=False)
    assert fitted.parameters["taste"] == 1.5
    assert not set(BOUNDS) & set(fitted.parameters)


def test_as_many_items_are_watched_to_the_end_as_in_the_data(real: Sessions) -> None:
    here = stage(1)
    for share in (0.3, 0.7):
        wanted = replace(real, finished=share)
        fitted = fit_habits(wanted, here, rule, tries=4, rates=False)
        found = live_visits(rule(fitted.parameters), here).finished
        assert found == pytest.approx(share, abs=0.05)


def test_equal_seeds_give_equal_parameters(real: Sessions) -> None:
    first, again = (fit_habits(real, stage(1, 30), rule, tries=8) for _ in range(2))
    assert first == again


def ratings(weights: tuple[float, ...]) -> tuple[Lives, VisitStage]:
    """Return ratings of everybody for everything, made as enjoyment is said to be."""
    here = stage(3, 60)
    people, items = 60, 120
    users, things = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    taste = tastes([me.taste for me in here.agents])
    critic = np.array([me.profile.habits.critic for me in here.agents])
    match = (taste[users] * here.catalogue.weights[things]).sum(axis=1)
    enjoy = weights[0] + weights[1] * match + weights[2] * (2 * here.catalogue.quality[things] - 1)
    enjoy = enjoy - weights[3] * critic[users] + 0.05 * rng(0, "z").standard_normal(len(users))
    stars = 5.0 * enjoy + 0.5
    return Lives(here.catalogue, people, users, things, np.arange(len(users)), stars), here


def test_what_makes_enjoyment_is_found() -> None:
    weights = (0.55, 0.1, 0.2, 0.15)
    lives, here = ratings(weights)
    found = fit_enjoyment(lives, here.agents, here.catalogue)
    names = ("enjoy", "enjoy_taste", "enjoy_quality", "strict")
    assert [found[name] for name in names] == pytest.approx(weights, abs=0.01)
    assert found["enjoy_noise"] == pytest.approx(0.05, abs=0.005)


def test_enjoyment_needs_ratings() -> None:
    lives, here = ratings((0.5, 0.1, 0.1, 0.1))
    none = Lives(lives.catalogue, 60, lives.users, lives.items, lives.at, 0.0 * lives.stars)
    with pytest.raises(BadInput, match="too few ratings"):
        fit_enjoyment(none, here.agents, here.catalogue)


def test_reliable_chances_lie_on_the_diagonal() -> None:
    draws = rng(0, "reliable")
    chances = draws.random(20_000)
    happened = (draws.random(20_000) < chances).astype(np.float64)
    bins = reliability(chances, happened)
    assert len(bins) == 10
    assert sum(one.count for one in bins) == 20_000
    assert miscalibration(bins) < 0.02
    assert sum(one.low <= one.predicted <= one.high for one in bins) >= 8
    assert miscalibration(reliability(chances**3, happened)) > 0.1


def test_equal_predictions_stay_in_one_bin() -> None:
    bins = reliability(np.full(50, 3.5), np.linspace(3.0, 4.0, 50))
    assert len(bins) == 1
    assert bins[0].predicted == bins[0].happened == pytest.approx(3.5)
    assert reliability(np.empty(0), np.empty(0)) == []


def test_intervals_of_shares_stay_inside() -> None:
    low, high = wilson(0.0, 20)
    assert low == pytest.approx(0.0, abs=1e-12)
    assert high == pytest.approx(0.161, abs=0.001)
    assert wilson(0.5, 100) == pytest.approx((0.404, 0.596), abs=0.001)


def test_odds_that_are_too_bold_are_set_right() -> None:
    draws = rng(0, "bold")
    truth = draws.standard_normal(20_000)
    happened = (draws.random(20_000) < 1 / (1 + np.exp(-truth))).astype(np.float64)
    slope, shift = recalibrate(3.0 * truth + 1.0, happened)
    assert slope == pytest.approx(1 / 3, abs=0.02)
    assert shift == pytest.approx(-1 / 3, abs=0.04)
    parted = recalibrate(np.array([-1.0, 1.0]), np.array([0.0, 1.0]))
    assert np.isfinite(parted).all()
