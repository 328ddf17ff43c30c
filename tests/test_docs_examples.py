"""The code of the documentation runs, and does what the page says."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.test_docs import blocks, described, fields, text_of

from audience.log import Log
from audience.recommenders import Ranked, Service
from audience.runs import run
from audience.runs.exports import COLUMNS, KINDS as EXPORTS
from audience.scenario import parse
from audience.testing import check_metric, check_mind, check_recommender


def executed(page: str, places: slice = slice(None)) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "example"}
    for body in blocks(page, "python")[places]:
        exec(compile(body, page, "exec"), space)
    return space


def test_the_recommender_example_conforms() -> None:
    space = executed("docs/reference/recommenders.md")
    check_recommender(space["TagLover"]())


def test_the_recommenders_of_the_tutorial_conform() -> None:
    space = executed("docs/tutorial/my-recommender.md")
    check_recommender(space["Newest"]())
    check_recommender(space["Tags"](fresh=0.5))


def test_the_service_page_explains_and_describes_every_option() -> None:
    check_recommender(executed("docs/how-to/recommender-service.md")["Explained"]())
    asked = inspect.signature(Service).parameters.values()
    for one in asked:
        if one.kind is one.KEYWORD_ONLY and one.name != "run":
            row = f"| `{one.name}` | `{json.dumps(one.default)}` |"
            assert row in text_of("docs/how-to/recommender-service.md"), row
    assert fields(Ranked) <= described("docs/how-to/recommender-service.md")


def test_the_export_page_describes_every_column_and_kind_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {*COLUMNS, *EXPORTS} <= described("docs/how-to/export.md")
    monkeypatch.chdir(tmp_path)
    columns = executed("docs/how-to/export.md")["columns"]
    assert columns["outcome"].count("shown") > columns["outcome"].count("picked") > 0


def test_the_mind_and_the_metric_of_the_examples_conform() -> None:
    check_mind(executed("docs/reference/minds.md")["FirstItem"]())
    metrics = executed("docs/reference/metrics.md")
    check_metric(metrics["Searches"])
    check_metric(metrics["SharedSearches"])


@pytest.mark.slow
def test_the_python_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    space = executed("docs/how-to/python.md")
    assert (tmp_path / space["outcome"].report).is_file()
    told = capsys.readouterr().out
    assert "what-if" in told
    assert (
        len(
            re.findall(r"serves this audience better|No clear difference|which is no verdict", told)
        )
        == 2
    )


@pytest.mark.slow
def test_the_plugins_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    executed("docs/reference/plugins.md")
    assert re.fullmatch(r"\d+ [0-9a-f]{32}\n", capsys.readouterr().out)


def test_the_sql_and_the_live_reader_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(parse("agents = 40\nrounds = 2"), out=tmp_path / "one", report=False)
    queries = blocks("docs/reference/run-folder.md", "sql")
    assert len(queries) == 3
    with Log.open(tmp_path / "one") as log:
        for query in queries:
            assert log.query(query), query
    newest = executed("docs/reference/run-folder.md")["news"](tmp_path / "one")
    assert newest == len(capsys.readouterr().out.splitlines())
