from __future__ import annotations

import math

import numpy as np
import pytest

from audience.errors import BadInput
from audience.results import Arm, Findings, Measured
from audience.runs import condition, power_estimates
from audience.runs.power import noise_of
from audience.world import rng

PEOPLE = 400


def pilot(
    *, seeds: int = 40, between: float = 0.0, within: float = 0.4, level: float = 0.5
) -> Findings:
    """Return arms that do not differ, with known noise relative to the level."""
    draw = rng(1, "pilot")
    arms: dict[str, list[Measured]] = {"a": [], "b": []}
    for seed in range(seeds):
        first = np.full(PEOPLE, level)
        moved = 1.0 + draw.normal(0.0, between) if between else 1.0
        second = level * (moved + draw.normal(0.0, within, PEOPLE))
        for name, values in (("a", first), ("b", second)):
            mean = float(values.mean())
            arms[name].append(Measured("", seed, "", {"picks": mean}, (), {"picks": values}))
    pair = tuple(Arm(name, tuple(runs)) for name, runs in arms.items())
    return Findings("", pair, (), "", "", {})


def both(findings: Findings) -> tuple[Arm, Arm]:
    first, second = findings.arms
    return first, second


def test_noise_is_split_into_people_and_seeds() -> None:
    found = noise_of(*both(pilot(between=0.05)), "picks")
    assert found.people == pytest.approx(0.4**2, rel=0.05)
    assert math.sqrt(found.between) == pytest.approx(0.05, rel=0.3)
    alone = noise_of(*both(pilot()), "picks")
    assert alone.between < 0.1 * alone.people / PEOPLE * 4


def test_the_estimate_follows_the_formula() -> None:
    (found,) = power_estimates([condition("picks < -2%")], pilot(), 0.05)
    five = next(need for need in found.needs if need.seeds == 5)
    allowed = 5 * (0.03 / (2.776 + 0.941)) ** 2
    assert five.people == pytest.approx(found.noise.people / (allowed - found.noise.between), 0.01)
    best = found.suggested
    assert best is not None
    assert best == next(need for need in found.needs if need.people <= found.pilot == PEOPLE)
    people = [need.people for need in found.needs]
    assert people == sorted(people, reverse=True)


def test_where_seeds_differ_too_much_no_number_of_people_is_enough() -> None:
    (found,) = power_estimates([condition("picks < -4%")], pilot(between=0.2), 0.05)
    assert {need.people for need in found.needs} == {0}
    assert found.suggested is None


def test_what_cannot_be_estimated_is_refused() -> None:
    asked = [condition("picks < -2%")]
    with pytest.raises(BadInput, match="say what is tested with --fail-if"):
        power_estimates([], pilot(), 0.05)
    with pytest.raises(BadInput, match="the pilot has 2 seeds; run it with at least 3"):
        power_estimates(asked, pilot(seeds=2), 0.05)
    with pytest.raises(BadInput, match=r"a loss of 2\.0% is within picks < -2%"):
        power_estimates(asked, pilot(), 0.02)
    with pytest.raises(BadInput, match="gini is undefined or 0 in the pilot"):
        power_estimates([condition("gini < -2%")], pilot(), 0.05)
