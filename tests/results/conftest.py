"""Findings made by hand, with known effects."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest

from audience.results import Arm, Findings, Measured, differences
from audience.world import rng

Make = Callable[..., Findings]

USUAL = {
    "pages": 5200.0, "picks": 4100.0, "click_rate": 0.44, "minutes_per_visit": 61.0,
    "completion": 0.71, "satisfaction": 0.58, "return_rate": 0.49, "ratings": 900.0,
    "rating_mean": 3.4, "rating_1": 0.06, "rating_2": 0.14, "rating_3": 0.28, "rating_4": 0.33,
    "rating_5": 0.19, "entropy_consumption": 2.9, "gini": 0.62, "coverage_exposure": 0.81,
    "coverage_consumption": 0.55, "failed": 0.0,
}  # fmt: skip
EFFECTS = {
    "satisfaction": 0.06,
    "picks": 0.11,
    "click_rate": 0.08,
    "gini": 0.22,
    "coverage_exposure": -0.5,
}
ALONE = ("satisfaction", "click_rate", "picks", "return_rate", "entropy_consumption")
PEOPLE = 200


def _run(arm: int, seed: int, rounds: int, lacking: Sequence[str]) -> Measured:
    dice = rng(seed, "findings")
    own = rng(seed, "findings", arm)
    level = {
        name: value * (1 + dice.normal(0, 0.02)) * (1 + arm * EFFECTS.get(name, 0.0))
        for name, value in USUAL.items()
    }
    level = {name: value * (1 + own.normal(0, 0.008)) for name, value in level.items()}
    level |= dict.fromkeys(lacking, math.nan)
    by_round = tuple(
        {"round": float(number)}
        | {name: level[name] * (0.9 + 0.02 * number + own.normal(0, 0.01)) for name in ALONE}
        for number in range(1, rounds + 1)
    )
    of_each = {
        name: level[name] / (PEOPLE if name == "picks" else 1) * dice.lognormal(0, 0.2, PEOPLE)
        for name in ALONE
    }
    of_each["satisfaction"][:5] = math.nan
    return Measured(
        f"runs/{arm}-{seed}", seed, f"{seed:02d}{arm:02d}" * 16, level, by_round, of_each
    )


def make_findings(
    *,
    seeds: int = 5,
    arms: Sequence[str] = ("random", "popular"),
    rounds: int = 10,
    title: str = "Two recommenders",
    lacking: Sequence[str] = (),
    scenario: str = 'title = "Two recommenders"\nmind = "rule"\n',
) -> Findings:
    made = tuple(
        Arm(name, tuple(_run(place, seed, rounds, lacking) for seed in range(1, seeds + 1)))
        for place, name in enumerate(arms)
    )
    metrics = [name for name in USUAL if name not in lacking]
    first, last = (arms[0], arms[-1]) if arms else ("", "")
    verdict = (
        f"{last} serves this audience better than {first}: satisfaction 0.58 with {first}, "
        f"0.61 with {last} (+5.8 %, 95 % interval +4.9 to +6.8 % over {seeds} seeds)."
    )
    facts = {"people": f"{PEOPLE}", "rounds": f"{rounds} of 1d", "mind": "rule"}
    return Findings(title, made, differences(made, metrics), verdict, scenario, facts)


@pytest.fixture
def make() -> Make:
    return make_findings
