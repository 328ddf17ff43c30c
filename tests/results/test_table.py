from __future__ import annotations

import csv
import io
import json
import math

import pytest
from rich.console import Console

from audience.results import (
    ANY,
    POSITIVE,
    SHARE,
    Bounds,
    Column,
    Interval,
    ResultTable,
    csv_text,
    text_of,
    to_csv,
    to_html,
    to_json,
    to_latex,
    to_markdown,
    to_rich,
)

TABLE = ResultTable(
    (
        Column("Arm", is_text=True),
        Column("Click rate", "share", over="seeds"),
        Column("Picks", over="people", digits=1, half=True),
        Column("People"),
    ),
    (
        ("popular", Interval(0.6123, 0.6012, 0.6234, 3), Interval(4.0, 3.5, 4.5, 200), 200),
        ("ease", Interval(0.5), Interval(), None),
    ),
    "Two arms",
    "Rule minds.",
)
HOSTILE = ResultTable(
    (Column("<b>&", is_text=True), Column("a|b_c", "50 %")),
    (("<script>alert(1)</script>", 1), ("x & $y$ {z} \\input", 2), ("[bold]|`#`", 3)),
)

MARKDOWN = """## Two arms

| Arm | Click rate (share) | Picks | People |
| --- | ---: | ---: | ---: |
| popular | 0.612 [0.601, 0.623] | 4.0 ± 0.5 | 200 |
| ease | 0.500 | – | – |

Means over seeds: Click rate.

Means over people: Picks.

Rule minds.
"""
CSV = """Arm,Click rate,Click rate low,Click rate high,Picks,Picks low,Picks high,People
popular,0.6123,0.6012,0.6234,4.0,3.5,4.5,200
ease,0.5,,,,,,
"""
LATEX = r"""\begin{tabular}{lrrr}
\hline
Arm & Click rate (share) & Picks & People \\
\hline
popular & 0.612 [0.601, 0.623] & 4.0 ± 0.5 & 200 \\
ease & 0.500 & -- & -- \\
\hline
\end{tabular}
% Two arms
% Means over seeds: Click rate.
% Means over people: Picks.
% Rule minds.
"""
HTML = """<table><caption>Two arms</caption><thead><tr><th scope="col">Arm</th>\
<th scope="col">Click rate <small>share</small></th><th scope="col">Picks</th>\
<th scope="col">People</th></tr></thead>
<tbody>
<tr><th scope="row">popular</th><td>0.612 [0.601, 0.623]</td><td>4.0 ± 0.5</td><td>200</td></tr>
<tr><th scope="row">ease</th><td>0.500</td><td>–</td><td>–</td></tr>
</tbody></table>
<p class="note">Means over seeds: Click rate.</p>
<p class="note">Means over people: Picks.</p>
<p class="note">Rule minds.</p>"""
TERMINAL = """Two arms
Arm        Click rate (share)      Picks  People
popular  0.612 [0.601, 0.623]  4.0 ± 0.5     200
ease                    0.500          –       –"""


def printed(table: ResultTable) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(to_rich(table))
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def test_one_table_in_six_forms() -> None:
    assert to_markdown(TABLE) == MARKDOWN
    assert to_csv(TABLE) == CSV
    assert to_latex(TABLE) == LATEX
    assert to_html(TABLE) == HTML
    assert printed(TABLE) == TERMINAL
    read = json.loads(to_json(TABLE))
    assert read["caption"] == "Two arms"
    assert read["columns"][1]["over"] == "seeds"
    assert read["rows"][0][1] == {"mean": 0.6123, "low": 0.6012, "high": 0.6234, "count": 3}
    assert read["rows"][1][2]["mean"] is None


def test_text_that_means_harm_stays_text() -> None:
    page = to_html(HOSTILE)
    assert "<script>" not in page
    assert "<b>" not in page
    assert r"x \& \$y\$ \{z\} \textbackslash{}input" in to_latex(HOSTILE)
    assert "\n{}[bold]" in to_latex(HOSTILE)
    pipes = {line.count("|") - line.count("\\|") for line in to_markdown(HOSTILE).splitlines()}
    assert pipes == {3}
    assert "[bold]|`#`" in printed(HOSTILE)
    rows = list(csv.reader(io.StringIO(to_csv(HOSTILE))))
    assert [row[0] for row in rows] == ["<b>&", *(row[0] for row in HOSTILE.rows)]


def test_classes_mark_cells_of_a_page() -> None:
    table = ResultTable((Column("a"), Column("b")), (("x", 1),))
    assert '<td class="better">1</td>' in to_html(table, [("", "better")])


def test_what_all_figures_are_means_over_is_said_once() -> None:
    columns = (Column("Arm", is_text=True), Column("a", over="seeds"), Column("b", over="seeds"))
    assert ResultTable(columns, ()).notes == ("Means over seeds.",)


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        (None, Column(""), "–"),
        (math.nan, Column(""), "–"),
        ("", Column(""), ""),
        (12_000, Column(""), "12,000"),
        (0.25, Column("", digits=2, signed=True), "+0.25"),
        (-0.25, Column("", digits=2), "−0.25"),
        (Interval(1.0, 0.5, 1.5), Column("", signed=True, half=True), "+1.00 ± 0.50*"),
        (Interval(0.1, -0.1, 0.3), Column("", digits=1, signed=True), "+0.1 [−0.1, +0.3]"),
    ],
)
def test_values_are_written_for_people(value: object, column: Column, text: str) -> None:
    assert text_of(value, column) == text  # type: ignore[arg-type]


def test_what_is_not_known_is_an_empty_cell() -> None:
    assert csv_text(("a", "b"), [(math.nan, None), (1, "x")]) == "a,b\n,\n1,x\n"


def test_an_empty_column_can_be_printed() -> None:
    table = ResultTable((Column("a", is_text=True), Column("")), (("x", ""),))
    assert printed(table) == "a\nx"


@pytest.mark.parametrize(
    ("interval", "bounds", "text"),
    [
        (Interval(0.9, 0.8, 1.0), SHARE, "0.90 ± 0.10"),
        (Interval(0.95, 0.75, 1.0), SHARE, "0.95 [0.75, 1.00]"),
        (Interval(0.02, 0.0, 0.07), POSITIVE, "0.02 [0.00, 0.07]"),
        (Interval(0.95, 0.75, 1.15), ANY, "0.95 ± 0.20"),
    ],
)
def test_plus_and_minus_never_leave_what_is_possible(
    interval: Interval, bounds: Bounds, text: str
) -> None:
    assert text_of(interval, Column("", digits=2, half=True, bounds=bounds)) == text
