from __future__ import annotations

import math

import pytest

from audience.lab.judging.tables import agreement

# Krippendorff's own example: four observers, twelve units, some of them not seen by all.
SEEN = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)


def units() -> list[dict[str, float]]:
    found: list[dict[str, float]] = [{} for _ in range(12)]
    for judge, row in enumerate(SEEN):
        for unit, value in enumerate(row):
            if value is not None:
                found[unit][str(judge)] = float(value)
    return found


@pytest.mark.parametrize(("ordered", "alpha"), [(False, 0.743), (True, 0.815)])
def test_alpha_of_the_published_example(ordered: bool, alpha: float) -> None:
    found = agreement(units(), ordered=ordered)
    assert found.alpha == pytest.approx(alpha, abs=0.001)
    assert found.low < found.alpha < found.high
    assert (found.things, found.judges) == (11, 4)


def test_full_agreement_and_agreement_by_chance() -> None:
    same = agreement([{"a": float(n % 3), "b": float(n % 3)} for n in range(30)], ordered=False)
    assert (same.alpha, same.equal) == (1.0, 1.0)
    crossed = [{"a": float(n // 2 % 2), "b": float(n % 2)} for n in range(400)]
    chance = agreement(crossed, ordered=False)
    assert abs(chance.alpha) < 0.02
    assert chance.equal == 0.5


def test_near_misses_count_less_where_judgements_are_degrees() -> None:
    near = [{"a": float(n % 5), "b": float(min(n % 5 + 1, 4))} for n in range(50)]
    assert agreement(near, ordered=True).alpha > agreement(near, ordered=False).alpha + 0.5


def test_nobody_met_nobody() -> None:
    alone = agreement([{"a": 1.0}, {"b": 2.0}], ordered=True)
    assert math.isnan(alone.alpha)
    assert math.isnan(alone.equal)
    assert (alone.things, alone.judges) == (0, 2)


def test_all_the_same_says_nothing_about_agreement() -> None:
    found = agreement([{"a": 3.0, "b": 3.0}] * 5, ordered=True)
    assert math.isnan(found.alpha)
    assert found.equal == 1.0
