from __future__ import annotations

import math

import pytest

from audience.errors import BadInput
from audience.results import Arm, Difference, Findings, Measured
from audience.runs import condition, failed_in, plain_rulings, ruled


def findings(*differences: Difference, failed: float = 0.0, failed_pages: float = 0.0) -> Findings:
    runs = (Measured("", 1, "", {}, (), {}, failed, failed_pages),)
    return Findings("", (Arm("a", runs), Arm("b", runs)), differences, "", "", {})


def difference(
    value: float, half: float = 0.1, reference: float = 10.0, metric: str = "picks"
) -> Difference:
    bounds = value - half, value + half
    return Difference(metric, "a", "b", reference, reference + value, value, *bounds, 5, "seeds")


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("picks < -2%", -0.31, True),
        ("picks < -2%", -0.29, False),
        ("picks <= -2 %", -0.31, True),
        ("picks>0.5", 0.61, True),
        ("picks >= +0.5", 0.6, True),
        ("picks > 0.5", 0.6, False),
        ("picks > 0.5", 0.55, False),
    ],
)
def test_a_condition_holds_where_the_whole_interval_meets_it(
    text: str, value: float, holds: bool
) -> None:
    (ruling,) = ruled([condition(text)], findings(difference(value)))
    assert ruling.failed is holds
    assert str(ruling).startswith(f"{'FAILED' if holds else 'passed'}: {text.strip()}: b ")


def test_a_wide_interval_passes_and_says_what_it_would_see() -> None:
    (ruling,) = ruled([condition("picks < -2%")], findings(difference(-0.9, 0.8)))
    assert not ruling.failed
    assert ruling.least == pytest.approx(-2 - 8 * (1 + 0.941 / 2.776), abs=0.01)
    assert str(ruling) == (
        "passed: picks < -2%: b -9.00 % [-17.00 %, -1.00 %]; 80 % of such comparisons would see "
        "-12.71 %"
    )


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (difference(math.nan), "no number to judge by"),
        (difference(0.1, math.nan), "no interval to judge by"),
        (difference(1.0, reference=0.0), "no number to judge by"),
        (difference(1.0, metric="gini"), "picks was not measured"),
    ],
)
def test_a_missing_number_fails(given: Difference, why: str) -> None:
    (ruling,) = rulings = ruled([condition("picks > 500%")], findings(given))
    assert ruling.failed
    assert why in str(ruling)
    assert plain_rulings(rulings)[0]["value"] is None


def test_failed_decisions_and_pages_fail_whatever_is_asked() -> None:
    asked = [condition("picks < -2%")]
    usual = findings(difference(0.0))
    assert failed_in(ruled(asked, usual)) == ()
    for ill in ({"failed": 0.06}, {"failed_pages": 1.0}):
        found = ruled(asked, findings(difference(0.0), **ill))
        assert failed_in(found) == ("failed_share > 5%",)
    little = findings(difference(0.0), failed=0.02)
    assert failed_in(ruled(asked, little)) == ()
    assert failed_in(ruled([condition("failed_share > 1%")], little)) == ("failed_share > 1%",)
    assert failed_in(ruled([condition("failed_share > 0.03")], little)) == ()


def test_no_difference_at_all_passes_both_ways() -> None:
    asked = [condition("picks < 0"), condition("picks > 0")]
    assert failed_in(ruled(asked, findings(difference(0.0, 0.0)))) == ()


@pytest.mark.parametrize("text", ["picks", "picks = 3", "picks < much", "< 3", "picks < 3 < 4"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not METRIC < NUMBER"):
        condition(text)


def test_one_arm_has_nothing_to_compare() -> None:
    alone = Findings("", (Arm("a", ()),), (), "", "", {})
    with pytest.raises(BadInput, match="nothing to compare"):
        ruled([condition("picks < 0")], alone)
    assert ruled([], alone) == []
