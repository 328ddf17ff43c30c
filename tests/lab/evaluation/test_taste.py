from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import (
    AnswerStore,
    Case,
    Real,
    arena_of,
    baseline_contestants,
    play,
    read_parts,
    taste_result,
)
from audience.lab.evaluation.cases import TaskSet
from audience.lab.evaluation.mixes import MIX
from audience.lab.evaluation.result import aucs
from audience.lab.evaluation.source import TEST, TRAIN, VALID, SplitInteractions, drawn_parts
from audience.lab.evaluation.taste import BY_RECOMMENDER, KNOWN, RATIOS, measured, ratio_name


@pytest.fixture(scope="module")
def parted(ring: Real) -> SplitInteractions:
    return drawn_parts(ring, 1)


@pytest.fixture(scope="module")
def arena(parted: SplitInteractions) -> TaskSet:
    return arena_of(parted)


def test_any_dataset_is_split_40_30_30_by_person(ring: Real, parted: SplitInteractions) -> None:
    for user in range(ring.people):
        counts = np.bincount(parted.part[ring.users == user], minlength=3)
        assert counts.tolist() == [7, 6, 5]
    assert drawn_parts(ring, 2).part.tolist() != parted.part.tolist()


def test_each_is_asked_about_held_out_items_and_m_times_as_many_others(
    parted: SplitInteractions, arena: TaskSet
) -> None:
    real = parted.real
    tasks = {task.name: task for task in arena.tasks}
    for m in RATIOS:
        for case in tasks[ratio_name(m)].cases:
            taken = [item for item, yes in zip(case.candidates, case.truth, strict=True) if yes]
            rows = real.users == case.user
            test = set(real.items[rows & (parted.part == TEST)].tolist())
            assert set(taken) <= test
            assert len(case.candidates) == (m + 1) * len(taken)
            assert len(taken) == min(20 // (m + 1), len(test))
            others = set(case.candidates) - set(taken)
            assert not others & set(real.items[rows].tolist())
            assert set(case.history) == set(real.items[rows & (parted.part == TRAIN)].tolist())


def test_practice_is_on_the_validation_part_and_nothing_of_either_is_learnt(
    parted: SplitInteractions, arena: TaskSet
) -> None:
    real = parted.real
    rows = parted.part == TRAIN
    learnt = set(zip(arena.lives.users.tolist(), arena.lives.items.tolist(), strict=True))
    assert learnt == set(zip(real.users[rows].tolist(), real.items[rows].tolist(), strict=True))
    valid = parted.part == VALID
    known = set(zip(real.users[valid].tolist(), real.items[valid].tolist(), strict=True))
    for case in arena.practice[0].cases:
        taken = {item for item, yes in zip(case.candidates, case.truth, strict=True) if yes}
        assert {(case.user, item) for item in taken} <= known


def test_what_a_recommender_chose_holds_nothing_of_training(arena: TaskSet) -> None:
    [task] = [task for task in arena.tasks if task.name == BY_RECOMMENDER]
    assert any(any(case.truth) for case in task.cases)
    for case in task.cases:
        assert not set(case.candidates) & set(case.history)
        assert list(case.candidates) == sorted(case.candidates)


def test_measures_of_yes_and_no() -> None:
    case = Case(0, (), (1, 2, 3, 4), (True, True, False, False))
    nothing, wrong = np.zeros(4), np.full(4, np.nan)
    found = measured(
        [case] * 3, [np.arange(4.0), nothing, wrong], [np.array([1.0, 0, 1, 0]), nothing, wrong]
    )
    assert found["accuracy"].tolist() == [0.5, 0.5, 0.0]
    assert found["precision"].tolist() == [0.5, 0.0, 0.0]
    assert found["recall"].tolist() == [0.5, 0.0, 0.0]
    assert found["F1"].tolist() == [0.5, 0.0, 0.0]
    assert found["AUC"].tolist() == [0.0, 0.5, 0.5]
    assert np.isnan(aucs([Case(0, (), (1, 2), (False, False))], [np.arange(2.0)])[0])


def test_the_table_tells_baselines_from_chance(parted: SplitInteractions, arena: TaskSet) -> None:
    entries = baseline_contestants()
    played = asyncio.run(play(arena, entries, AnswerStore(None)))
    result = taste_result(parted, played, entries)
    assert result.groups == (*(ratio_name(m) for m in RATIOS), BY_RECOMMENDER)
    rows = {row.name: row.cells for row in result.rows}
    assert rows[MIX]["1:1"]["F1"].value.mean > 0.6
    assert rows["item-knn"]["1:9"]["AUC"].value.mean > 0.7
    assert 0.4 < rows["random"]["1:1"]["accuracy"].value.mean < 0.6
    assert set(rows["ease"][BY_RECOMMENDER]) == {"AUC"}
    assert rows[MIX]["1:9"][KNOWN].value.mean > 0.3
    assert KNOWN not in rows["random"]["1:9"], "who says yes and no is not told the count"


def published(folder: Path, users: int = 12, items: int = 40) -> Path:
    """Write a split in the layout of Agent4Rec's, of made-up people."""
    folder.mkdir(parents=True)
    for name, first in (("train", 0), ("valid", 4), ("test", 7)):
        count = 4 if name == "train" else 3
        lines = [
            " ".join(
                str(one)
                for one in [user, *(((user + 3 * (first + n)) % items) for n in range(count))]
            )
            for user in range(users)
        ]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    rows = [f'{n},"Film, The {n} (19{50 + n})",Drama|War,3.5,words' for n in range(items)]
    (folder / "movie_detail.csv").write_text(
        "movie_id,title,genres,rating,summary\n" + "\n".join(rows)
    )
    maps = (
        ("movie_id_map", [f"{100 + n},{n}" for n in range(items)]),
        ("user_id_map", [f"{n + 1},{n}" for n in range(users)]),
    )
    for name, rows in maps:
        (folder / f"{name}.csv").write_text("raw_id,index\n" + "\n".join(rows) + "\n")
    return folder


def test_a_published_split_is_read_as_it_is(tmp_path: Path) -> None:
    found = read_parts(published(tmp_path / "split"), None, 1)
    assert (found.real.people, len(found.real.catalogue), found.asked) == (12, 40, 12)
    assert np.bincount(found.part).tolist() == [48, 36, 36]
    item = found.real.catalogue[3]
    assert (item.title, item.year, item.tags) == ("Film, The 3", 1953, ("Drama", "War"))
    assert item.quality == 0.5, "the mean rating there is over all data"


def source(folder: Path) -> Path:
    """Write people of whom some are in the split, with the order of what they took up."""
    folder.mkdir()
    rows = ["user_id,item_id,timestamp"]
    for user in range(1, 16):
        rows += [f"{user},{100 + (user - 1 + 3 * n) % 40},{1000 - 10 * n}" for n in range(10)]
    (folder / "all.csv").write_text("\n".join(rows) + "\n")
    return folder


def test_others_of_the_same_data_are_learnt_from_and_never_asked(tmp_path: Path) -> None:
    split = published(tmp_path / "split")
    found = read_parts(split, source(tmp_path / "source"), 1)
    assert (found.asked, found.real.people) == (12, 15)
    others = found.real.users >= 12
    assert others.sum() == 30
    assert set(found.part[others].tolist()) == {TRAIN}
    mine = (found.real.users == 0) & (found.part == TRAIN)
    # The source's moments run backwards, so that the order is turned too.
    assert found.real.items[mine].tolist() == [9, 6, 3, 0]
    arena = arena_of(found)
    assert {case.user for task in arena.tasks for case in task.cases} <= set(range(12))


def test_mistakes_in_a_split_are_told_with_their_place(tmp_path: Path) -> None:
    split = published(tmp_path / "split")
    (split / "valid.txt").write_text("0 1 2\n1 x 3\n")
    with pytest.raises(BadInput, match=r"valid\.txt: line 2"):
        read_parts(split, None, 1)
    (split / "valid.txt").write_text("0 1 99\n")
    with pytest.raises(BadInput, match=r"valid\.txt: line 1: an item is not in"):
        read_parts(split, None, 1)
    (split / "valid.txt").write_text("0 1 2\n")
    (split / "movie_detail.csv").write_text("id,name\n1,x\n")
    with pytest.raises(BadInput, match=r"movie_detail\.csv: line 1: column movie_id"):
        read_parts(split, None, 1)
    (split / "movie_detail.csv").unlink()
    with pytest.raises(BadInput, match=r"movie_detail\.csv"):
        read_parts(split, None, 1)
