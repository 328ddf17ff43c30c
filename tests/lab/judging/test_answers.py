from __future__ import annotations

import json
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

from audience.errors import BadInput
from audience.lab.judging import Key, read_answers, read_key
from audience.lab.judging.tasks import Choose, Pair, Score

KEY = key_of(choices_of(1), texts_of(1), pairs_of("T1", 1), memories_of(1))
GOOD: dict[str, Any] = {
    "t1": {"chosen": [0, 2]},
    "t2": {"text": " I saw it. "},
    "t3": {"verdict": 2},
    "t4": {"informative": 1, "relevant": 5},
}


def test_good_answers_are_taken(tmp_path: Path) -> None:
    (one,), problems = read_answers([write(tmp_path, "a", answers_of(KEY, "ann", GOOD))], KEY)
    assert not problems
    assert (one.judge, one.by, one.tasks) == ("ann", "person", 7)
    assert list(one.answers) == ["t1", "t2", "t3", "t4"]


@pytest.mark.parametrize(
    ("task", "answer", "why"),
    [
        ("t1", {"chosen": [0]}, "chooses 1 instead of 2"),
        ("t1", {"chosen": [0, 0]}, "chooses 1 instead of 2"),
        ("t1", {"chosen": [0, 4]}, "chooses something that was not shown"),
        ("t1", {"chosen": "0"}, "Expected `array | null`"),
        ("t1", {"verdict": 3}, "has no choice"),
        ("t2", {"text": "  "}, "has no text"),
        ("t2", {"text": "x" * 5000}, "has no text, or one that is too long"),
        ("t3", {"verdict": 6}, "rates 6, which is not 1 to 5"),
        ("t3", {"verdict": 2.5}, "Expected `int | null`"),
        ("t3", {"verdict": 2, "again": 4}, "is answered twice"),
        ("t4", {"informative": 3}, "has no rating"),
        ("t99", {"verdict": 3}, "no such task"),
    ],
)
def test_what_is_wrong_is_named_and_the_rest_is_kept(
    tmp_path: Path, task: str, answer: Any, why: str
) -> None:
    path = write(tmp_path, "a", answers_of(KEY, "ann", {**GOOD, task: answer}))
    (one,), (problem,) = read_answers([path], KEY)
    assert (problem.path, problem.task) == (str(path), task)
    assert problem.why.startswith(why)
    assert set(one.answers) == set(GOOD) - {task}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "is not a file of answers"),
        ("[]", "is not a file of answers"),
        ("\udcff", "is not a file of answers"),
        (json.dumps({"format": "x", "page": "", "judge": "a", "answers": {}}), "another format"),
        (json.dumps(answers_of(KEY, " ", GOOD)), "does not name the judge"),
        (json.dumps({**answers_of(KEY, "a", GOOD), "page": "other"}), "belongs to another page"),
        (json.dumps({**answers_of(KEY, "a", GOOD), "version": 9}), "newer version"),
        (json.dumps({**answers_of(KEY, "a", GOOD), "by": "cat"}), "neither person nor model"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    good = write(tmp_path, "b.json", answers_of(KEY, "bea", GOOD))
    found, (problem,) = read_answers([path, tmp_path / "none", good][::2], KEY)
    assert [one.judge for one in found] == ["bea"]
    assert problem.path == str(path)
    assert why in problem.why
    _, (missing,) = read_answers([tmp_path / "none"], KEY)
    assert "cannot be read: No such file" in missing.why


def test_of_two_files_of_a_judge_the_fuller_then_the_later_counts(tmp_path: Path) -> None:
    less = {name: GOOD[name] for name in ("t1", "t2")}
    first = write(tmp_path, "1", answers_of(KEY, "Ann", GOOD))
    second = write(tmp_path, "2", answers_of(KEY, "ann ", less))
    later = write(tmp_path, "3", answers_of(KEY, "ann", GOOD, saved="2031"))
    for paths in ([first, second, later], [later, second, first]):
        (one,), problems = read_answers(paths, KEY)
        assert one.path == str(later)
        assert {problem.path for problem in problems} == {str(first), str(second)}


def test_nobody_judges_words_of_her_own(tmp_path: Path) -> None:
    found, (problem,) = read_answers([write(tmp_path, "a", answers_of(KEY, "Bo", GOOD))], KEY)
    assert problem.why == "judges the judge's own text"
    assert "t3" not in found[0].answers


def test_a_model_answers_twice(tmp_path: Path) -> None:
    both = {**GOOD, "t1": {"chosen": [0, 1], "again": [1, 2]}, "t3": {"verdict": 2, "again": 4}}
    path = write(tmp_path, "a", answers_of(KEY, "gpt", both, by="model"))
    (one,), problems = read_answers([path], KEY)
    assert not problems
    assert one.name == "model judge gpt"
    worse = {"t1": {"chosen": [0, 1], "again": [1]}, "t3": {"verdict": 2, "again": 9}}
    path = write(tmp_path, "a", answers_of(KEY, "gpt", worse, by="model"))
    _, problems = read_answers([path], KEY)
    assert [problem.task for problem in problems] == ["t1", "t3"]


def test_the_key(tmp_path: Path) -> None:
    import msgspec

    (tmp_path / "key").write_bytes(msgspec.json.encode(KEY))
    assert read_key(tmp_path / "key") == KEY
    assert isinstance(KEY, Key)
    assert [type(task) for task in KEY.sheet.tasks[::2][:2]] == [Choose, Pair]
    assert isinstance(KEY.sheet.tasks[-1], Score)
    for path, why in (
        (tmp_path / "none", "cannot be read"),
        (write(tmp_path, "b", {}), "not a key"),
    ):
        with pytest.raises(BadInput, match=f"--key .*{why}"):
            read_key(path)
