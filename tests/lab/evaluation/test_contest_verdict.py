"""The finding of a contest, as it was stored, in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audience.lab.evaluation import stored_finding


def stored(folder: Path, low: float, high: float, *, lower: bool) -> str:
    cell = {"against_best": {"mean": (low + high) / 2, "low": low, "high": high, "count": 9}}
    rows = [
        {"name": "markov", "kind": "baseline", "cells": {"drawn": {"RMSE": cell}}},
        {"name": "grounded", "kind": "mind", "cells": {"drawn": {"RMSE": cell}}},
    ]
    result = {
        "groups": ["drawn"],
        "columns": ["RMSE"],
        "rows": rows,
        "best": {"drawn": {"RMSE": "markov"}},
        "lower_is_better": ["RMSE"] if lower else [],
    }
    (folder / "result.json").write_text(json.dumps(result))
    return stored_finding(folder)


@pytest.mark.parametrize(
    ("low", "high", "lower", "told"),
    [
        (0.1, 0.3, True, "grounded is worse by +0.200 [+0.100, +0.300]."),
        (-0.3, -0.1, True, "grounded is better by −0.200 [−0.300, −0.100]."),
        (0.1, 0.3, False, "grounded is better by +0.200 [+0.100, +0.300]."),
        (-0.1, 0.3, True, "no difference of grounded could be shown (+0.100 [−0.100, +0.300])."),
    ],
)
def test_minds_are_held_against_the_best_baseline(
    tmp_path: Path, low: float, high: float, lower: bool, told: str
) -> None:
    found = stored(tmp_path, low, high, lower=lower)
    assert found == f"RMSE, drawn, against the best baseline (markov): {told}"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"groups": 3}', '{"rows": []}'])
def test_what_is_no_contest_has_no_finding(tmp_path: Path, text: str) -> None:
    assert stored_finding(tmp_path) == ""
    (tmp_path / "result.json").write_text(text)
    assert stored_finding(tmp_path) == ""
