from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable

import pytest

from audience.results import (
    Findings,
    findings_to_csv,
    result_table,
    shown,
    summary,
    texts,
    to_latex,
    to_markdown,
)
from audience.results.summary_table import findings_to_json

Make = Callable[..., Findings]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.6123, 0.6012, 0.6234), "0.612 [0.601, 0.623]"),
        ((4113.2, 4025.1, 4201.3), "4,113 [4,025, 4,201]"),
        ((-0.00002, -0.011, 0.0109), "0.000 [−0.011, 0.011]"),
        ((0.5, math.nan, math.nan), "0.500"),
        ((12.0, math.nan, math.nan), "12"),
        ((0.5, 0.5, 0.5), "0.500 [0.500, 0.500]"),
        ((0.0, 0.0, 0.0), "0 [0, 0]"),
        ((math.nan, 1.0, 2.0), "–"),
        ((math.inf, 1.0, 2.0), "–"),
    ],
)
def test_numbers_have_the_digits_their_interval_supports(
    numbers: tuple[float, float, float], text: str
) -> None:
    assert shown(*numbers) == text


def test_a_gain_shows_its_sign_and_nothing_has_none() -> None:
    assert shown(0.25, signed=True) == "+0.250"
    assert shown(0.0, signed=True) == "0"


def test_every_row_is_as_wide_as_the_header(make: Make) -> None:
    table = texts(result_table(make(arms=("a", "b", "c"), lacking=("rating_mean",))))
    assert table[0][3:8] == ["a", "b", "c", "b − a", "b in % of a"]
    assert {len(row) for row in table} == {10}
    assert next(row for row in table if row[0] == "Mean rating")[3:] == ["–"] * 7


def test_one_arm_has_no_differences(make: Make) -> None:
    assert texts(result_table(make(arms=("only",))))[0] == ["Metric", "Unit", "Mean over", "only"]


def test_csv_gives_every_digit_back(make: Make) -> None:
    findings = make(lacking=("rating_mean",))
    read = list(csv.DictReader(io.StringIO(findings_to_csv(findings))))
    by_key = {(row["metric"], row["arm"]): row for row in read}
    for line in summary(findings):
        for cell in line.cells:
            text = by_key[line.metric, cell.arm]["mean"]
            assert text == "" if math.isnan(cell.mean) else float(text) == cell.mean
        for contrast in line.contrasts:
            row = by_key[line.metric, contrast.other]
            assert float(row["difference"]) == contrast.difference
            assert float(row["difference_low"]) == contrast.low
    assert by_key["rating_mean", "random"]["mean"] == ""


def test_latex_gives_the_rows_back(make: Make) -> None:
    findings = make(arms=("a_b", "50% {x} & $y$"), lacking=("rating_mean",))
    text = to_latex(result_table(findings))
    body = [line[: -len(r" \\")] for line in text.splitlines() if line.endswith(r"\\")]
    read = [[_plain(cell) for cell in re.split(r"(?<!\\)&", line)] for line in body]
    assert read == texts(result_table(findings))
    assert text.startswith(r"\begin{tabular}{lllrrrr}")


def _plain(cell: str) -> str:
    cell = cell.strip().replace("$-$", "−")
    return re.sub(r"\\([&%$#_{}])", r"\1", cell).replace("--", "–")


def test_markdown_cannot_be_broken_by_names(make: Make) -> None:
    lines = to_markdown(result_table(make(arms=("a|b", "<i>\nc")))).splitlines()
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    assert r"a\|b" in lines[0]
    assert r"\<i> c" in lines[0]


def test_json_keeps_values_and_makes_the_undefined_null(make: Make) -> None:
    findings = make(lacking=("rating_mean",))
    read = json.loads(findings_to_json(findings))
    totals = read["arms"][0]["runs"][0]["totals"]
    assert totals["picks"] == findings.arms[0].runs[0].totals["picks"]
    assert totals["rating_mean"] is None
    assert read["summary"][0]["cells"][0]["mean"] == summary(findings)[0].cells[0].mean
