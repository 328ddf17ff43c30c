from __future__ import annotations

import math

import numpy as np
import pytest

from audience.results import Arm, Findings, Measured, differences, shown, summary
from audience.runs.verdict import spread_verdict, verdict


def found(arms: tuple[Arm, ...], **marks: str) -> Findings:
    metrics = [name for name in ("satisfaction", "picks") if name in arms[0].runs[0].totals]
    contrasts = differences(arms, metrics)
    looked_at = ("picks",)
    return Findings(
        *("t", arms, contrasts, "", "", {}),
        declared="satisfaction",
        looked_at=looked_at,
        marks=marks,
    )


def arm(name: str, *values: float) -> Arm:
    totals = [{"satisfaction": v, "picks": 100 * v, "pages": 9.0, "click_rate": v} for v in values]
    return Arm(name, tuple(Measured("", n, "", one, (), {}) for n, one in enumerate(totals)))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ((0.5, 0.6, 0.7), (0.6, 0.7, 0.8), "new serves this audience better than old: satisf"),
        ((0.6, 0.7, 0.8), (0.5, 0.6, 0.7), "old serves this audience better than new: satisf"),
        ((0.5, 0.7), (0.7, 0.5), "No clear difference between new and old"),
        ((0.5,), (0.7,), "No clear difference between new and old"),
        (
            (0.5, 0.7),
            (0.5, 0.7),
            "No difference between new and old: satisfaction 0.600 with both",
        ),
    ],
)
def test_the_verdict_names_the_better_one_only_when_that_is_clear(
    old: tuple[float, ...], new: tuple[float, ...], told: str
) -> None:
    arms = (arm("old", *old), arm("new", *new))
    said = verdict(found(arms))
    assert said.startswith(told)
    assert ("picks" in said) == ("better" in told)


def test_the_verdict_and_the_cards_show_the_same_numbers() -> None:
    people = {"old": [0.2, 0.4, math.nan, 0.9], "new": [0.3, 0.6, 0.1, math.nan]}
    arms = tuple(
        Arm(
            name,
            (
                Measured(
                    *("", 1, ""),
                    {"satisfaction": 0.77, "click_rate": 0.5, "picks": 9.0, "pages": 20.0},
                    (),
                    {"satisfaction": np.array(values)},
                ),
            ),
        )
        for name, values in people.items()
    )
    both = found(arms)
    line = next(line for line in summary(both) if line.metric == "satisfaction")
    said = verdict(both)
    assert [cell.over for cell in line.cells] == ["people", "people"]
    for cell in line.cells:
        assert f"{shown(cell.mean)} with {cell.arm}" in said
    assert f"{line.contrasts[0].percent:+.1f} %" in said
    alone = verdict(found(arms[:1]))
    assert f"satisfaction {line.cells[0].mean:.3f}" in alone
    assert "0.77" not in alone


NONE = math.nan


@pytest.mark.parametrize("totals", [{"satisfaction": NONE}, {"click_rate": NONE}, {"picks": 0.0}])
def test_what_is_unknown_is_never_said_as_a_number(totals: dict[str, float]) -> None:
    usual = {"satisfaction": 0.5, "click_rate": 0.1, "picks": 1.0, "pages": 9.0} | totals
    none = Arm("none", (Measured("", 1, "", usual, (), {}),) * 2)
    some = arm("some", 0.4, 0.6)
    for arms in ((none,), (none, some), (some, none)):
        said = verdict(found(arms))
        assert "nan" not in said.lower()
    spread = {"reach": NONE, "told": 0.0, "emotion": NONE, "positive": NONE}
    spread |= {"cascade_scale": NONE, "cascade_depth": NONE}
    assert "nan" not in spread_verdict(spread)


def test_a_rise_from_nothing_is_told_without_a_percentage() -> None:
    arms = (arm("old", 0.5, 0.6, 0.7), arm("new", 0.6, 0.7, 0.8))
    for run_ in arms[0].runs:
        run_.totals["picks"] = 0.0
    said = verdict(found(arms))
    assert "picks +70" in said


def test_a_verdict_is_withheld_where_minds_failed() -> None:
    ill = Measured("runs/ill", 1, "", {"satisfaction": 0.9}, (), {}, 0.4)
    arms = (arm("old", 0.5), Arm("new", (ill,)))
    said = verdict(found(arms))
    assert said.startswith("No verdict: 40% of the decisions in runs/ill failed")


def test_two_seeds_say_what_was_seen_and_how_to_get_a_verdict() -> None:
    said = verdict(found((arm("old", 0.5, 0.6), arm("new", 0.6, 0.7))))
    assert said.startswith("new is ahead of old, which is no verdict: satisfaction 0.550 with old")
    assert said.endswith("Fewer than three seeds give no verdict; for one, use --seeds 3 or more.")
    assert "better" not in said
    three = verdict(found((arm("old", 0.5, 0.6, 0.7), arm("new", 0.6, 0.7, 0.8))))
    assert "serves this audience better" in three


@pytest.mark.parametrize("mark", ["circular", "alike"])
def test_a_marked_arm_is_never_better(mark: str) -> None:
    arms = (arm("random", 0.5, 0.6, 0.7), arm("ease", 0.6, 0.7, 0.8))
    for marks in ({"ease": mark}, {"random": mark}):
        said = verdict(found(arms, **marks))
        assert said.startswith("ease is ahead of random, which is no verdict: satisfaction ")
        assert f"{next(iter(marks))} is {mark}: judged by minds that reason as it does" in said
        assert "better" not in said
    assert "better" in verdict(found(arms, ease="shared"))


def test_what_else_is_clear_is_corrected_for_the_metrics_looked_at() -> None:
    arms = (arm("old", 0.5, 0.6, 0.7), arm("new", 0.6, 0.7, 0.8))
    for place, run_ in enumerate(arms[1].runs):
        # p is about 0.04: clear alone, not beside another metric that is not
        run_.totals["picks"] += 6.0 * place
        run_.totals["return_rate"] = 0.5 + 0.1 * (place - 1)
    for run_ in arms[0].runs:
        run_.totals["return_rate"] = 0.5
    alone = found(arms)
    assert "Also: picks" in verdict(alone)
    both = Findings(
        *("t", arms, differences(arms, ["satisfaction", "picks", "return_rate"]), "", "", {}),
        declared="satisfaction",
        looked_at=("picks", "return_rate"),
    )
    assert "Also" not in verdict(both)
