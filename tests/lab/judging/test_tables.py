from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.lab.judging.sheets import (
    answers_of,
    choices_of,
    key_of,
    memories_of,
    pairs_of,
    texts_of,
    write,
)

from audience.lab.judging import Answered, Key, read_answers, tables_of
from audience.lab.judging.page import Sealing
from audience.lab.judging.tasks import Paired, ScoredKey


def read(folder: Path, key: Key, *files: dict[str, Any]) -> list[Answered]:
    paths = [write(folder, f"{place}.json", file) for place, file in enumerate(files)]
    found, problems = read_answers(paths, key)
    assert not problems
    return found


def test_table_3_is_the_mean_over_judges_then_over_cases(tmp_path: Path) -> None:
    key = key_of(choices_of(4))
    right, half, wrong = {"chosen": [1, 2]}, {"chosen": [0, 1]}, {"chosen": [0, 3]}
    ann = answers_of(key, "ann", {"t1": right, "t2": half, "t3": wrong, "t4": right})
    cy = answers_of(key, "cy", {"t1": right, "t2": wrong, "t3": wrong, "t4": wrong})
    (row,) = tables_of(key, read(tmp_path, key, ann, cy)).choices
    assert (row.who, row.a, row.b, row.cases, row.judges) == ("people", 2, 2, 4, 2)
    assert row.hit.mean == pytest.approx((1 + 0.25 + 0 + 0.5) / 4)
    assert 0 <= row.hit.low < row.hit.mean < row.hit.high <= 1


def test_table_1_is_unsealed(tmp_path: Path) -> None:
    key = key_of(pairs_of("T1", 8))
    for_agent = {
        id_: {"verdict": 1 if isinstance(seal, Paired) and seal.first == "agent" else 5}
        for id_, seal in key.tasks.items()
    }
    always_first = {id_: {"verdict": 1} for id_ in key.tasks}
    (row,) = tables_of(key, read(tmp_path, key, answers_of(key, "ann", for_agent))).verdicts
    assert (row.table, row.a, row.b) == ("T1", "agent", "person")
    assert list(row.shares) == [1, 0, 0, 0, 0]
    assert row.better.mean == 1
    (row,) = tables_of(key, read(tmp_path, key, answers_of(key, "ann", always_first))).verdicts
    assert list(row.shares) == [0.5, 0, 0, 0, 0.5]
    assert row.better.mean == 0.5


def test_ties_count_half_and_rows_come_in_the_order_of_the_paper(tmp_path: Path) -> None:
    ways: list[Sealing] = [
        (seen, Paired(f"N={steps}", "1", "recsim", "truth"))
        for steps in (10, 5)
        for seen, _ in pairs_of("sequence", 1)
    ]
    key = key_of(pairs_of("T2", 1), ways, pairs_of("T1", 1))
    answers = {id_: {"verdict": 3} for id_ in key.tasks}
    rows = tables_of(key, read(tmp_path, key, answers_of(key, "ann", answers))).verdicts
    assert [row.table for row in rows] == ["T1", "T2", "N=5", "N=10"]
    assert {row.better.mean for row in rows} == {0.5}
    assert all(math.isnan(row.better.low) for row in rows), "one case has no interval"


def test_cases_that_are_all_alike_are_no_certainty(tmp_path: Path) -> None:
    key = key_of(choices_of(4), pairs_of("T1", 4), memories_of(4))
    answers = {
        id_: {"chosen": [0, 3], "verdict": 3, "informative": 4, "relevant": 4} for id_ in key.tasks
    }
    kinds = {"t": ("chosen",), "pair": ("verdict",), "score": ("informative", "relevant")}
    wanted = {
        task.id: kinds[{"Choose": "t", "Pair": "pair", "Score": "score"}[type(task).__name__]]
        for task in key.sheet.tasks
    }
    given = {id_: {name: answers[id_][name] for name in names} for id_, names in wanted.items()}
    tables = tables_of(key, read(tmp_path, key, answers_of(key, "ann", given)))
    (row,) = tables.choices
    assert (row.hit.mean, row.hit.low) == (0.0, 0.0)
    assert row.hit.high == pytest.approx(0.49, abs=0.01), "none of four: Wilson's"
    (pair,) = tables.verdicts
    assert pair.better.low < 0.2 < 0.8 < pair.better.high
    assert all(math.isnan(score.informative.low) for score in tables.scores)


def test_two_texts_about_the_same_are_one_case(tmp_path: Path) -> None:
    pairs: list[Sealing] = [
        (seen, Paired("T1", f"T1/7-{case}/{author}", "agent", "person", author))
        for case in range(3)
        for author in ("bo", "ed/2")
        for seen, _ in pairs_of("T1", 1)
    ]
    key = key_of(pairs)
    answers = {
        id_: {"verdict": 1 if isinstance(seal, Paired) and "7-0" in seal.case else 5}
        for id_, seal in key.tasks.items()
    }
    (row,) = tables_of(key, read(tmp_path, key, answers_of(key, "ann", answers))).verdicts
    assert (row.cases, row.verdicts) == (3, 6)
    assert row.better.mean == pytest.approx(1 / 3)


def test_table_2_with_paired_differences(tmp_path: Path) -> None:
    key = key_of(memories_of(5))
    points = {"full": (4, 5), "no-short": (2, 5), "no-long": (4, 3), "no-reflection": (4, 5)}
    answers = {
        id_: dict(zip(("informative", "relevant"), points[seal.variant], strict=True))
        for id_, seal in key.tasks.items()
        if isinstance(seal, ScoredKey)
    }
    rows = tables_of(key, read(tmp_path, key, answers_of(key, "ann", answers))).scores
    assert [row.variant for row in rows] == ["full", "no-short", "no-long", "no-reflection"]
    assert [(row.informative.mean, row.relevant.mean) for row in rows] == list(points.values())
    assert [row.informative_less.mean for row in rows] == [0, 2, 0, 0]
    assert [row.relevant_less.mean for row in rows] == [0, 0, 2, 0]


def test_agreement_between_people_only(tmp_path: Path) -> None:
    key = key_of(choices_of(6), pairs_of("T1", 6), memories_of(2))
    same: dict[str, Any] = {}
    for place, task in enumerate(key.sheet.tasks):
        kind = type(task).__name__
        same[task.id] = {
            "Choose": {"chosen": [place % 3, 3]},
            "Pair": {"verdict": 1 + place % 5},
            "Score": {"informative": 1 + place % 5, "relevant": 1 + place % 3},
        }[kind]
    files = [answers_of(key, judge, same) for judge in ("ann", "cy", "di")]
    model = answers_of(key, "gpt", {"t7": {"verdict": 3, "again": 3}}, by="model")
    agreed = {
        one.what: one.agreement for one in tables_of(key, read(tmp_path, key, *files, model)).agreed
    }
    assert set(agreed) == {"choices", "T1", "informative", "relevant"}
    assert all(one.alpha == pytest.approx(1.0) for one in agreed.values())
    assert all(one.judges == 3 for one in agreed.values())
    assert agreed["choices"].things == 24


def test_people_and_models_are_never_mixed(tmp_path: Path) -> None:
    key = key_of(choices_of(2), pairs_of("T1", 2))
    right = {"t1": {"chosen": [1, 2]}, "t2": {"chosen": [1, 2]}}
    wrong = {"t1": {"chosen": [0, 3], "again": [1, 2]}, "t2": {"chosen": [0, 3], "again": [0, 3]}}
    turned = {"t3": {"verdict": 1, "again": 5}, "t4": {"verdict": 1, "again": 5}}
    files = (
        answers_of(key, "ann", right),
        answers_of(key, "gpt", {**wrong, **turned}, by="model"),
    )
    tables = tables_of(key, read(tmp_path, key, *files))
    rows = {row.who: row.hit.mean for row in tables.choices}
    assert rows == {"people": 1.0, "model judge gpt": 0.25}
    (verdicts,) = tables.verdicts
    assert verdicts.who == "model judge gpt"
    assert (list(verdicts.shares), verdicts.verdicts) == ([0.5, 0, 0, 0, 0.5], 4)


def test_texts_are_counted(tmp_path: Path) -> None:
    key = key_of(texts_of(3))
    file = answers_of(key, "ann", {"t1": {"text": "x"}, "t3": {"text": "y"}})
    assert tables_of(key, read(tmp_path, key, file)).texts == {"T1": 2}
