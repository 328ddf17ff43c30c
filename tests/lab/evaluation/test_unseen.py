from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.lab.evaluation import Real, arenas, part_of_user
from audience.lab.evaluation.unseen import unseen_among


def test_a_sixth_of_all_people_is_held_out_and_training_has_the_rest() -> None:
    parts = Counter(part_of_user(str(number)) for number in range(6_000))
    assert parts["test"] / 6_000 == pytest.approx(5 / 30, abs=0.015)
    assert parts["valid"] / 6_000 == pytest.approx(1 / 30, abs=0.01)
    assert sum(parts.values()) == 6_000


def test_the_part_of_a_person_never_changes() -> None:
    """Training files were made by this split: whoever moves to `test` has been learnt from."""
    parts = [part_of_user(str(number)) for number in range(1, 41)]
    held = [number for number, part in enumerate(parts, 1) if part != "train"]
    assert held == HELD


HELD = [1, 2, 9, 18, 22, 26, 39]


def test_only_people_who_are_held_out_are_asked_and_others_are_learnt_from(ring: Real) -> None:
    expected = {n for n, key in enumerate(ring.keys) if part_of_user(key) == "test"}
    assert 0 < len(expected) < ring.people
    for arena in arenas(ring, unseen=True):
        for task in (*arena.tasks, *arena.practice):
            assert {case.user for case in task.cases} == expected
        assert set(arena.lives.users.tolist()) == set(range(ring.people))
        assert "not trained on" in arena.notes[-1]
    assert not any("trained" in note for note in arenas(ring)[0].notes)


def test_data_without_ids_or_without_anybody_held_out_are_refused(ring: Real) -> None:
    with pytest.raises(BadInput, match="no ids of people"):
        arenas(replace(ring, keys=()), unseen=True)
    trained = next(n for n, key in enumerate(ring.keys) if part_of_user(key) == "train")
    with pytest.raises(BadInput, match="none of the 1 people"):
        unseen_among(np.array([trained]), ring.keys)


def test_matched_negatives_come_from_the_window_that_is_asked_for(ring: Real) -> None:
    wide = arenas(ring, shapes=((1, 5),), window=60)[0]
    narrow = arenas(ring, shapes=((1, 5),), window=12)[0]
    popularity = np.bincount(narrow.lives.items, minlength=len(ring.catalogue))

    def apart(cases: list[tuple[int, ...]]) -> float:
        return float(np.mean([np.ptp(popularity[list(candidates)]) for candidates in cases]))

    spread = [apart([case.candidates for case in arena.tasks[1].cases]) for arena in (narrow, wide)]
    assert narrow.tasks[1].negatives == "matched"
    assert spread[0] < spread[1]
    assert "windows of 12 ranks" in narrow.notes[0]
    with pytest.raises(BadInput, match="--window 1"):
        arenas(ring, window=1)
