from __future__ import annotations

import math

import pytest

from audience.results import Arm, Difference, Findings, Measured, judged, t95
from audience.results.judgement import holm, obstacle, p_value


def difference(
    metric: str, mean: float, half: float, pairs: int = 5, over: str = "seeds"
) -> Difference:
    return Difference(
        metric, "a", "b", 1.0, 1.0 + mean, mean, mean - half, mean + half, pairs, over
    )


def findings(*differences: Difference, declared: str = "", **marks: str) -> Findings:
    run = Measured("", 1, "", {}, (), {})
    arms = (Arm("a", (run,)), Arm("b", (run,)))
    looked_at = ("satisfaction", "picks", "visits")
    return Findings(
        *("", arms, differences, "", "", {}), declared=declared, looked_at=looked_at, marks=marks
    )


def test_a_p_value_agrees_with_its_interval() -> None:
    assert p_value(difference("picks", 1.0, 1.0)) == pytest.approx(0.05)
    assert p_value(difference("picks", 1.0, 0.5)) < 0.05 < p_value(difference("picks", 1.0, 1.1))
    assert t95(4) == pytest.approx(2.776, abs=1e-3)
    assert p_value(difference("picks", 0.0, 0.0)) == 1.0
    assert p_value(difference("picks", 0.1, 0.0)) == 0.0
    assert math.isnan(p_value(difference("picks", 0.1, math.nan)))


def test_holm_steps_down_and_leaves_out_what_has_no_value() -> None:
    assert holm([0.04]) == [True]
    assert holm([0.04, 0.04]) == [False, False]
    assert holm([0.02, 0.04]) == [True, True]
    assert holm([0.04, math.nan]) == [True, False]
    assert holm([0.03, 0.001, 0.2]) == [False, True, False]
    assert holm([]) == []


def test_the_declared_metric_is_judged_alone_and_the_rest_together() -> None:
    just = [difference(name, 1.0, 0.95) for name in ("satisfaction", "picks", "visits")]
    together = judged(findings(*just))
    assert set(together.values()) == {"unclear"}
    declared = judged(findings(*just, declared="satisfaction"))
    assert declared["b", "satisfaction"] == "better"
    assert declared["b", "picks"] == "unclear"


@pytest.mark.parametrize(
    ("pairs", "over", "marks", "said"),
    [
        (5, "seeds", {}, "better"),
        (3, "seeds", {"b": "shared"}, "better"),
        (2, "seeds", {}, "seen"),
        (500, "people", {}, "seen"),
        (5, "seeds", {"b": "circular"}, "circular"),
        (5, "seeds", {"a": "alike"}, "alike"),
        (2, "seeds", {"a": "alike", "b": "circular"}, "circular"),
    ],
)
def test_what_is_clear_but_no_verdict_is_called_so(
    pairs: int, over: str, marks: dict[str, str], said: str
) -> None:
    found = findings(difference("picks", 1.0, 0.1, pairs, over), **marks)
    assert judged(found)["b", "picks"] == said
    assert obstacle(found, found.differences[0]) == ("" if said == "better" else said)
