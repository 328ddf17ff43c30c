"""Findings with planted numbers: what a study must say follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audience.lab.studies import Recipe, find, found_in
from audience.lab.studies.study import StudyFindings
from audience.results import Arm, Findings, Measured, differences

NOISE = (0.01, -0.02, 0.015, -0.005, 0.0)


def runs(values: Mapping[str, float], seeds: int = 5) -> tuple[Measured, ...]:
    """Return one run per seed whose numbers lie around those given."""
    return tuple(
        Measured(
            f"seed-{seed}",
            seed,
            f"{seed:032x}",
            {name: value + NOISE[seed % 5] * abs(value or 0.1) for name, value in values.items()},
            ({"round": 1.0, **values}, {"round": 2.0, **values}),
            {},
        )
        for seed in range(seeds)
    )


def planted(
    recipe: Recipe,
    levels: Mapping[str, Mapping[str, float]],
    seeds: int = 5,
    default: float = 1.0,
) -> StudyFindings:
    """Return what a study finds where arms have the given numbers, and the rest are all alike."""
    arms = []
    for name in recipe.scenario.arms:
        values = dict.fromkeys(recipe.study.labels, default) | dict(levels.get(name, {}))
        arms.append(Arm(name, runs(values, seeds)))
    return found_in(recipe, arms)


def verdict(name: str, levels: Mapping[str, Mapping[str, float]]) -> str:
    return planted(find(name), levels).verdict


def two(metrics: Sequence[str], first: float, second: float) -> Findings:
    """Return findings of two arms, a and b."""
    arms = tuple(
        Arm(name, runs(dict.fromkeys(metrics, value)))
        for name, value in (("a", first), ("b", second))
    )
    return Findings("Two", arms, differences(arms, list(metrics)), "", "", {})
