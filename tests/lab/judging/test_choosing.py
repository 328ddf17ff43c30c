from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.lab.evaluation import SHAPES, arenas, read_real
from audience.lab.judging.cases import choices, item_line, shown_item


def test_the_choices_are_the_cases_of_the_evaluation_with_the_same_seed(real: Path) -> None:
    found = read_real(real)
    cases = {
        (task.name, case.user): case
        for arena in arenas(found, seed=3)
        for task in arena.tasks
        for case in task.cases
    }
    made = list(choices(found, cases=4, seed=3))
    assert len(made) == 16
    for seen, seal in made:
        case = cases[f"uniform ({seal.a},{seal.b})", seal.user]
        assert (case.candidates, case.truth) == (seal.candidates, seal.truth)
        assert [one.title for one in seen.candidates] == [
            found.catalogue[item].title for item in case.candidates
        ]
        assert seen.choose == seal.a == sum(seal.truth)
        assert len(seen.candidates) == seal.a + seal.b


def test_nobody_is_asked_about_twice(real: Path) -> None:
    made = list(choices(read_real(real), cases=6, seed=1))
    users = [seal.user for _, seal in made]
    assert len(set(users)) == len(users) == 24


def test_a_judge_sees_neither_the_truth_nor_its_stars(real: Path) -> None:
    found = read_real(real)
    for seen, seal in choices(found, cases=3, seed=1):
        true = {
            found.catalogue[item].title
            for item, is_true in zip(seal.candidates, seal.truth, strict=True)
            if is_true
        }
        assert not true & {one.title for one in seen.history}
        assert all(one.stars == 0.0 for one in seen.candidates)
        assert all(one.stars > 0.0 for one in seen.history)


def test_the_truth_lies_anywhere_on_the_list(real: Path) -> None:
    made = choices(read_real(real), cases=24, seed=1, shapes=[(1, 5)], negatives="matched")
    places = {seal.truth.index(True) for _, seal in made}
    assert len(places) > 3


def test_more_than_there_are_people(real: Path) -> None:
    with pytest.raises(BadInput, match="4 shapes need 28 people"):
        list(choices(read_real(real), cases=7, seed=1))


def test_an_item_on_one_line(real: Path) -> None:
    assert (
        item_line(shown_item(read_real(real).catalogue, 0)) == "Film 0 & <b> (1900) · Drama, Comedy"
    )


def test_every_shape_of_the_paper() -> None:
    assert SHAPES == ((1, 5), (3, 3), (3, 7), (1, 9))
