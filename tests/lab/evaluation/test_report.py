from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.lab.evaluation import (
    Result,
    footer,
    read_answers,
    write_evaluation,
)
from audience.lab.evaluation.contest import StoredAnswers
from audience.lab.evaluation.report import (
    as_csv,
    contest_markdown,
    group_table,
    paired_table,
    side_by_side,
)
from audience.lab.evaluation.result import best_of, with_rows
from audience.llm import Counts
from audience.results import texts


@pytest.fixture
def result() -> Result:
    kinds = {"popularity": "baseline", "ease": "baseline", "llm": "mind", "real humans": "people"}
    values = {
        "popularity": np.array([0.0, 1.0, 0.0, 1.0]),
        "ease": np.array([1.0, 1.0, 0.0, 1.0]),
        "llm": np.array([1.0, 1.0, 1.0, 1.0]),
        "real humans": np.array([math.nan, 1.0, math.nan, 0.0]),
    }
    empty = Result(
        "discrimination", "Discrimination on x", "x", 4, 7, "some-model", ("uniform",), ("(1,5)",)
    )
    kept = StoredAnswers(
        [np.array([math.nan]), np.array([1.0])],
        Counts(calls=9, reused=2, prompt=100, completion=10, dollars=0.5),
    )
    answers = {("llm", "uniform (1,5)"): kept}
    return with_rows(empty, kinds, {"uniform": {"(1,5)": values}}, [answers])


def test_differences_are_paired_and_to_the_best_baseline(result: Result) -> None:
    assert result.best == {"uniform": {"(1,5)": "ease"}}
    rows = {row.name: row.cells["uniform"]["(1,5)"] for row in result.rows}
    against = rows["llm"].against_best
    assert against is not None
    assert against.mean == 0.25
    assert rows["ease"].against_best is None
    human = rows["real humans"]
    assert (human.users, human.value.mean) == (2, 0.5)
    assert human.against_best is not None
    assert human.against_best.mean == -0.5, "over the same two people"


def test_tables_tell_people_seed_model_calls_tokens_and_cost(result: Result) -> None:
    text = "\n".join(footer(replace(result, calls_now=7)))
    for word in (
        "4 users",
        "seed 7",
        "some-model",
        "9 calls (7 of them now)",
        "110 tokens",
        "$0.5",
    ):
        assert word in text
    assert "Unreadable answers, scored as wrong: llm 1" in text
    assert "Fewer users: real humans 2" in text
    assert texts(group_table(result, "uniform"))[2] == ["EASE", "0.750 [0.000, 1.000]"]
    assert [row[0] for row in paired_table(result, "uniform").rows] == ["llm", "real humans"]


def test_markdown_and_csv_hold_the_same(result: Result) -> None:
    text = contest_markdown(result)
    assert "| uniform | (1,5) |" in text
    assert "| llm | 1.000" in text
    rows = list(csv.DictReader(io.StringIO(as_csv(result))))
    assert len(rows) == 4
    found = {row["contestant"]: row for row in rows}
    assert float(found["llm"]["difference"]) == 0.25
    assert found["ease"]["difference"] == ""
    assert found["llm"]["best_baseline"] == "ease"


def test_a_result_is_written_whole(result: Result, tmp_path: Path) -> None:
    paths = write_evaluation(result, tmp_path / "out")
    names = {path.name for path in paths}
    assert names == {"result.json", "table.md", "table.csv", "figure.png", "figure.svg"}
    told = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (told["seed"], told["users"], told["model"]) == (7, 4, "some-model")
    assert told["rows"][2]["spent"]["calls"] == 9


def test_the_figure_shows_everybody_of_each_panel(result: Result) -> None:
    figure = side_by_side(result)
    [axes] = [one for one in figure.axes if one.get_visible()]
    assert [one.get_text() for one in axes.get_yticklabels()] == [
        "popularity", "EASE", "llm", "real humans"
    ]  # fmt: skip


def test_the_best_may_be_the_lowest() -> None:
    values = {"a": np.array([1.0]), "b": np.array([2.0]), "c": np.array([math.nan])}
    assert best_of(values) == "b"
    assert best_of(values, is_lower=True) == "a"
    assert best_of({"c": values["c"]}) == ""


def people(path: Path, **changes: object) -> Path:
    choice = {
        "judge": "x", "by": "person", "user": 3, "key": "u3", "a": 1, "b": 5,
        "negatives": "uniform", "candidates": [1, 2, 3, 4, 5, 6], "chosen": [2],
    }  # fmt: skip
    other = {**choice, "by": "model"}
    file = {
        "format": "audience-people-choices",
        "version": 1,
        "seed": 1,
        "choices": [choice, other],
    }
    path.write_text(json.dumps({**file, **changes}))
    return path


def test_answers_of_people_are_read_and_those_of_models_left_out(tmp_path: Path) -> None:
    [one] = read_answers(people(tmp_path / "people.json"), 1)
    assert (one.user, one.task, one.chosen) == (3, "uniform (1,5)", (2,))


def test_mistakes_in_answers_are_told(tmp_path: Path) -> None:
    path = people(tmp_path / "people.json", seed=4)
    with pytest.raises(BadInput, match="use --seed 4"):
        read_answers(path, 1)
    with pytest.raises(BadInput, match="not a file of people's choices"):
        read_answers(people(path, format="other"), 1)
    path.write_text("[]")
    with pytest.raises(BadInput, match="eval people import"):
        read_answers(path, 1)
    with pytest.raises(BadInput, match="nowhere"):
        read_answers(tmp_path / "nowhere.json", 1)
