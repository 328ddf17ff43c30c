"""Calibration: parameters of minds whose visits and ratings look like those in data.

Every set of parameters is simulated with the same dice, so that a difference between
two sets is due to them alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from audience.agents import BatchMind
from audience.errors import BadInput
from audience.grounding.lives import Lives
from audience.grounding.ratings import STARS
from audience.grounding.visits import Sessions, VisitStage, by_person, divergence, live_visits
from audience.world import Agent, Bools, Catalogue, Floats, tastes

Make = Callable[[Mapping[str, float]], BatchMind]
VISITING = ("no_pick", "again", "leave", "settle")
"""The parameters that are searched, with their starts and steps."""
_BEGINS = ((1.6, 0.0, -2.0, 0.5), (1.0, 0.0, -5.0, 0.2))
"""For short visits and for long ones: from either, the other is hard to reach."""
_STEP = (0.6, 0.05, 0.8, 0.3)
BOUNDS = ("two_stars", "three_stars", "four_stars", "five_stars")
MATCHED = ("picks per page", "pages per visit", "picks per visit")
RATING = ("enjoy", "enjoy_taste", "enjoy_quality", "strict", "enjoy_noise", *BOUNDS)
"""The parameters by which items are enjoyed and rated."""
_ROUNDS = 4
_HALVINGS = 10


class FittedParameters(msgspec.Struct, frozen=True):
    """Parameters, and how far their visits are from the data."""

    parameters: dict[str, float]
    distances: dict[str, float]
    """The divergence of each histogram, in bits."""
    tries: int


def fit_habits(
    real: Sessions,
    stage: VisitStage,
    make: Make,
    *,
    given: Mapping[str, float] | None = None,
    tries: int = 120,
    rates: bool = True,
) -> FittedParameters:
    """Return parameters whose visits look like the real ones, as far as the data shows them.

    `given` stays as it is. With `rates` the bounds of the stars are moved until the shares of stars
    are those of the data; leave it out for minds that rate in another way.
    """
    from scipy.optimize import minimize

    # Data tells how pages go on, not what an hour spent does; and most visits are soon over or
    # long, which weariness that grows with each page cannot make.
    most = _most(real, stage.page_size)
    fixed = {"fatigue": 0.0, "sated": 0.0, "most_picks": most, **(given or {})}
    targets, count = real.histograms(), 0
    names = MATCHED if real.has_pages else ("picks per visit",)

    means = averages(real)

    def apart(x: Floats) -> float:
        nonlocal count
        count += 1
        visits = live_visits(make(fixed | _named(x)), stage)
        if not len(visits.users):
            return 10.0 * len(names)
        histograms, found = visits.histograms(), averages(visits)
        # Histograms end in an open bin, so the means are matched beside them.
        return sum(
            divergence(targets[name], histograms[name]) + abs(math.log(found[name] / means[name]))
            for name in names
        )

    results = []
    for begin in _BEGINS:
        corners = np.vstack([begin, begin + np.diag(_STEP)])
        most_tries = max(1, tries // len(_BEGINS))
        options = {"initial_simplex": corners, "maxfev": most_tries, "xatol": 0.01, "fatol": 1e-4}
        results.append(minimize(apart, begin, method="Nelder-Mead", options=options))
    fitted = fixed | _named(min(results, key=lambda result: float(result.fun)).x)
    if rates and len(real.stars):
        fitted |= fit_bounds(real, stage, make, fitted)
    if real.finished is not None:
        fitted |= fit_completion(real.finished, stage, make, fitted)
    histograms = live_visits(make(fitted), stage).histograms()
    distances = {
        name: round(divergence(target, histograms[name]), 6)
        for name, target in targets.items()
        if name in histograms
    }
    return FittedParameters(fitted, distances, count)


def averages(visits: Sessions) -> dict[str, float]:
    """Return the means that are matched; everybody counts the same."""
    pages, each = by_person(visits.pagers), by_person(visits.users)
    rows = ((visits.per_page, pages), (visits.pages, each), (visits.picks, each))
    pairs = zip(MATCHED, rows, strict=True)
    return {name: float(values @ counted / counted.sum()) for name, (values, counted) in pairs}


def fit_completion(
    target: float, stage: VisitStage, make: Make, fitted: Mapping[str, float]
) -> dict[str, float]:
    """Return the enjoyment below which items are left, by halving: the higher, the fewer end."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        finished = live_visits(make({**fitted, "dropped": middle}), stage).finished
        if finished is None:
            return {}
        low, high = (middle, high) if finished > target else (low, middle)
    return {"dropped": round((low + high) / 2.0, 4)}


def _named(x: Floats) -> dict[str, float]:
    return dict(zip(VISITING, np.round(x, 4).tolist(), strict=True))


def _most(real: Sessions, page_size: int) -> int:
    """Return the maximum picks of a page: as many as nearly all real pages have."""
    return int(np.clip(math.ceil(float(np.quantile(real.per_page, 0.995))), 1, page_size))


def fit_bounds(
    real: Sessions, stage: VisitStage, make: Make, fitted: Mapping[str, float]
) -> dict[str, float]:
    """Return the enjoyment at which stars begin, moved until their shares are the real ones."""
    target = _odds(np.cumsum(real.histograms()["stars"])[:-1])
    mind = fitted.get("enjoy_noise", 0.13)
    bounds = np.array([fitted.get(name, at) for name, at in zip(BOUNDS, _usual(), strict=True)])
    for _ in range(_ROUNDS):
        visits = live_visits(
            make({**fitted, **dict(zip(BOUNDS, bounds.tolist(), strict=True))}), stage
        )
        if not len(visits.stars):
            break
        simulated = _odds(np.cumsum(visits.histograms()["stars"])[:-1])
        # A logistic of this width is as wide as the noise of enjoyment.
        bounds = np.sort(bounds + 0.6 * max(mind, 0.05) * (target - simulated))
    return dict(zip(BOUNDS, np.round(bounds, 4).tolist(), strict=True))


def _usual() -> tuple[float, ...]:
    from audience.agents.rule import RuleParameters

    usual = RuleParameters()
    return (usual.two_stars, usual.three_stars, usual.four_stars, usual.five_stars)


def _odds(upto: Floats) -> Floats:
    inside = np.clip(upto, 1e-3, 1.0 - 1e-3)
    odds: Floats = np.log(inside / (1.0 - inside))
    return odds


def fit_enjoyment(lives: Lives, agents: Sequence[Agent], catalogue: Catalogue) -> dict[str, float]:
    """Return the weights of taste, quality and the critic's habit in enjoyment, by least squares.

    Stars stand for the enjoyment (stars - 0.5) / 5; person i of the lives is `agents[i]`.
    """
    rated = lives.stars > 0
    if int(rated.sum()) < STARS:
        raise BadInput("there are too few ratings to learn from what people enjoy; give at least 5")
    users, items = lives.users[rated], lives.items[rated]
    taste = tastes([me.taste for me in agents])
    critic = np.array([me.profile.habits.critic for me in agents])
    columns = [
        np.ones(len(users)),
        np.einsum("nt,nt->n", taste[users], catalogue.weights[items]),
        2.0 * catalogue.quality[items] - 1.0,
        -critic[users],
    ]
    design = np.stack(columns, axis=1)
    enjoyed = (lives.stars[rated] - 0.5) / STARS
    found, *_ = np.linalg.lstsq(design, enjoyed, rcond=None)
    noise = float((enjoyed - design @ found).std())
    names = ("enjoy", "enjoy_taste", "enjoy_quality", "strict")
    weights = [float(found[0]), *np.maximum(found[1:], 0.0).tolist()]
    fitted = dict(zip(names, (round(weight, 4) for weight in weights), strict=True))
    return {**fitted, "enjoy_noise": round(noise, 4)}


class Bin(msgspec.Struct, frozen=True):
    """A bin of similar predictions, and what happened."""

    predicted: float
    happened: float
    low: float
    high: float
    """A 95 % interval of what happened."""
    count: int


def reliability(predicted: Floats, happened: Floats, bins: int = 10) -> list[Bin]:
    """Return what happened by predicted value, in bins of equal count; ties stay together.

    With calibrated predictions, both are equal in each bin.
    """
    if not len(predicted):
        return []
    edges = np.unique(np.quantile(predicted, np.linspace(0.0, 1.0, bins + 1)[1:-1]))
    places = np.searchsorted(edges, predicted, side="right")
    return [
        _bin(predicted, happened, places == place)
        for place in range(len(edges) + 1)
        if (places == place).any()
    ]


def _bin(predicted: Floats, happened: Floats, here: Bools) -> Bin:
    count, found = int(here.sum()), happened[here]
    mean = float(found.mean())
    binary = bool(np.isin(found, (0.0, 1.0)).all())
    if binary:
        low, high = wilson(mean, count)
    else:
        half = 1.96 * float(found.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
        low, high = mean - half, mean + half
    return Bin(float(predicted[here].mean()), mean, low, high, count)


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    z = 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = (
        z * math.sqrt(share * (1 - share) / count + z * z / (4 * count**2)) / (1 + z * z / count)
    )
    return middle - reach, middle + reach


def recalibrate(scores: Floats, happened: Floats) -> tuple[float, float]:
    """Return the slope and shift of log-odds with the highest likelihood."""
    design = np.stack([scores, np.ones(len(scores))], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -30.0, 30.0)))
        # A little is added so that outcomes which scores tell apart wholly give a finite slope.
        pull = design.T @ (happened - chance) - 1e-3 * weights
        bend = (design * (chance * (1.0 - chance))[:, None]).T @ design + 1e-3 * np.eye(2)
        step = np.linalg.solve(bend, pull)
        weights = weights + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-9:
            break
    return float(weights[0]), float(weights[1])


def miscalibration(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: the mean distance of outcomes from predictions."""
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.happened - one.predicted) for one in bins) / max(1, total)
