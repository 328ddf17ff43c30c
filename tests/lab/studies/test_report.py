from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from tests.lab.studies.planted import planted

from audience.lab.studies import Studied, command_of, find, write_index, write_study
from audience.lab.studies.report import draw_study, runs_csv


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Studied:
    recipe = find("word-of-mouth")
    findings = planted(recipe, {"deaf": {"told_lift": 0.5}})
    folder = tmp_path_factory.mktemp("mouth")
    found = Studied(recipe, findings, folder, ("A remark <of> this study.",))
    write_study(found, "audience study word-of-mouth --agents 9")
    return found


def test_the_page_holds_question_method_finding_figures_table_and_command(
    studied: Studied,
) -> None:
    page = (studied.folder / "report.html").read_text("utf-8")
    assert studied.recipe.question in page
    assert page.count("<li>") >= 5 + 3
    assert "lift of a good word is lower with deaf than with talking" in page
    assert "audience study word-of-mouth --agents 9" in page
    assert "A remark &lt;of&gt; this study." in page
    assert page.count("<figure") == 3
    assert "<table>" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
    assert "$" not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)


def test_figures_numbers_and_table_lie_beside_it(studied: Studied) -> None:
    names = {path.name for path in (studied.folder / "figures").iterdir()}
    for figure in ("told_and_untold", "lift", "differences"):
        assert {f"{figure}.{kind}" for kind in ("svg", "pdf", "png")} <= names
    rows = list(csv.DictReader(io.StringIO((studied.folder / "numbers.csv").read_text())))
    assert {row["metric"] for row in rows} == set(studied.recipe.study.labels)
    assert {row["arm"] for row in rows} == set(studied.recipe.scenario.arms)
    assert (studied.folder / "table.tex").read_text().startswith(r"\begin{tabular}")


def test_every_number_of_every_run_is_a_row(studied: Studied) -> None:
    rows = list(csv.DictReader(io.StringIO(runs_csv(studied.findings))))
    arms, metrics = len(studied.findings.arms), len(studied.recipe.study.labels)
    assert len(rows) == arms * 5 * metrics * 3
    assert {row["round"] for row in rows} == {"0", "1", "2"}


def test_all_kinds_of_charts_are_drawn_and_captioned() -> None:
    recipe = find("cocoon")
    drawn, captions = draw_study(planted(recipe, {}), recipe.study.charts)
    assert set(drawn) == set(captions)
    assert {chart.name for chart in recipe.study.charts} <= set(drawn)


def test_an_index_leads_to_the_reports(studied: Studied, tmp_path: Path) -> None:
    page = write_index(tmp_path, {studied.recipe.study.name: studied.findings.verdict}).read_text(
        "utf-8"
    )
    assert 'href="word-of-mouth/report.html"' in page
    assert "lower with deaf" in page


def test_the_command_is_what_was_typed() -> None:
    given: dict[str, object] = {"agents": 9, "mind": None, "key_env": "A B"}
    said = command_of("my file.toml", given, quick=True)
    assert said == "audience study 'my file.toml' --quick --agents 9 --key-env 'A B'"


def test_bars_below_zero_are_seen() -> None:
    recipe = find("popularity")
    found = planted(recipe, {"random": {"gap_shown": -0.5}})
    drawn, _ = draw_study(found, recipe.study.charts[:1])
    bottom, _ = drawn["gap"].axes[0].get_ylim()
    assert bottom < -0.5
