from __future__ import annotations

import math

import numpy as np
import pytest

from audience.results import (
    ANY,
    POSITIVE,
    SHARE,
    Arm,
    Bounds,
    Findings,
    Measured,
    bounds_of,
    differ,
    differences,
    readable,
    summary,
    withheld,
)


def run(value: float, people: list[float] | None = None) -> Measured:
    agents = {"picks": np.array(people)} if people is not None else {}
    return Measured("", 1, "", {"picks": value}, (), agents)


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.nan, "–"), (3.0, "3"), (1234.0, "1,234"), (1234.5, "1,234"), (0.12345, "0.123")],
)
def test_numbers_are_written_for_people(value: float, text: str) -> None:
    assert readable(value) == text


def test_seeds_are_paired() -> None:
    old, new = Arm("old", (run(10), run(90))), Arm("new", (run(12), run(92)))
    found = differ(old, new, "picks")
    assert (found.difference, found.low, found.high, found.pairs) == (2.0, 2.0, 2.0, 2)
    assert (found.reference_mean, found.other_mean, found.over) == (50.0, 52.0, "seeds")
    assert found.percent == pytest.approx(4.0)
    assert found.is_clear


def test_with_one_seed_people_are_paired_and_means_are_theirs() -> None:
    old = Arm("old", (run(999, [1.0, 2.0, math.nan, 4.0]),))
    new = Arm("new", (run(999, [2.0, 3.0, 7.0, 4.0, 50.0]),))
    found = differ(old, new, "picks")
    assert (found.pairs, found.over) == (3, "people")
    assert found.difference == pytest.approx(2 / 3)
    assert (found.reference_mean, found.other_mean) == pytest.approx((7 / 3, 3.0))
    assert found.percent == pytest.approx(100 * 2 / 7)


def test_what_only_a_whole_run_has_is_compared_without_an_interval() -> None:
    found = differ(Arm("old", (run(10),)), Arm("new", (run(13),)), "picks")
    assert (found.difference, found.percent, found.pairs) == (3.0, 30.0, 0)
    assert math.isnan(found.low)
    assert not found.is_clear
    missing = differ(Arm("old", (run(10),)), Arm("new", (run(13),)), "joy")
    assert math.isnan(missing.difference)
    assert math.isnan(missing.percent)


def test_every_arm_is_compared_with_the_first() -> None:
    arms = [Arm(name, (run(value),)) for name, value in (("a", 1), ("b", 2), ("c", 5))]
    found = [(one.reference, one.other, one.difference) for one in differences(arms, ["picks"])]
    assert found == [("a", "b", 1.0), ("a", "c", 4.0)]


@pytest.mark.parametrize(
    ("metric", "unit", "bounds"),
    [
        ("click_rate", "share of pages", SHARE),
        ("rating_mean", "stars", (1.0, 5.0)),
        ("picks", "", POSITIVE),
        ("mine", "share of talks", SHARE),
        ("mine", "bits", POSITIVE),
        ("mine", "difference of shares", ANY),
        ("mine", "", ANY),
    ],
)
def test_a_unit_says_what_is_possible(metric: str, unit: str, bounds: Bounds) -> None:
    assert bounds_of(metric, unit) == bounds


def test_a_share_of_a_study_has_no_interval_beyond_all_and_nothing() -> None:
    arm = Arm("a", tuple(Measured("", 1, "", {"x": v, "gap": v}, (), {}) for v in (0.9, 1.0, 1.0)))
    labels = {"x": ("X", "share", ""), "gap": ("Gap", "difference of shares", "")}
    share, gap = summary(Findings("", (arm,), (), "", "", {}, labels))
    assert share.cells[0].high == 1.0
    assert gap.cells[0].high > 1.0, "a difference is signed and has no such end"


@pytest.mark.parametrize(("failed", "is_withheld"), [(0.0, False), (0.05, False), (0.051, True)])
def test_too_many_failed_decisions_withhold_the_verdict(failed: float, is_withheld: bool) -> None:
    sound, ill = run(1), Measured("runs/ill", 2, "", {"picks": 1.0}, (), {}, failed)
    arms = (Arm("old", (sound, sound)), Arm("new", (sound, ill)))
    assert bool(withheld(arms)) == is_withheld
    assert Findings("", arms, (), "", "", {}).is_withheld == is_withheld
    if is_withheld:
        assert withheld(arms).startswith("No verdict: 5% of the decisions in runs/ill failed;")
