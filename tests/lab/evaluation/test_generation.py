from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from audience.lab.evaluation import (
    AnswerStore,
    Case,
    GeneratedSteps,
    Real,
    baseline_contestants,
    generation_result,
    paths_of,
    walked,
)
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.generation import PAGE, RankedPages, distances, edit_distance, walk
from audience.lab.evaluation.mixes import MIX
from audience.lab.judging import exported
from audience.lab.judging.cases import TRUTH, SequenceFile, read_file
from audience.world import Floats


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ([], [], 0),
        ([1], [], 1),
        ([1, 2, 3], [1, 2, 3], 0),
        ([1, 2, 3], [2, 3], 1),
        ([1, 1], [2, 2], 2),
    ],
)
def test_edit_distance(one: list[int], other: list[int], apart: int) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == apart


def test_distances_are_nil_for_the_truth_and_grow_with_difference(ring: Real) -> None:
    popularity = np.arange(80.0) / 10
    truth, same, other = (1, 2, 3), (3, 1, 2), (70, 71, 72)
    found = distances(ring.catalogue, popularity, [truth, same, other], [truth] * 3)
    assert found["genres"].tolist() == pytest.approx([0.0, 0.0, 1.0])
    assert found["popularity"].tolist() == pytest.approx([0.0, 0.0, 6.9])
    assert found["sequence"].tolist() == [0.0, 0.0, 1.0]
    nothing = distances(ring.catalogue, popularity, [()], [truth])
    assert np.isnan(nothing["genres"][0])
    assert nothing["sequence"][0] == 1.0


class Highest:
    """Takes the highest id; says nothing every second time it is asked, where told so."""

    name = "highest"

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent
        self.seen: list[list[Case]] = []

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        self.seen.append(list(cases))
        if self.silent and len(self.seen) % 2:
            return [np.full(len(case.candidates), np.nan) for case in cases]
        return [np.array(case.candidates, np.float64) for case in cases]


def test_steps_follow_ones_own_picks_and_never_repeat(ring: Real) -> None:
    [path] = paths_of(ring, steps=(5,), agents=8)
    one = Highest()
    ways = asyncio.run(walk(one, one.name, path.pages, path.histories, 5))
    for way, history in zip(ways, path.histories.values(), strict=True):
        assert len(set(way)) == 5
        assert not set(way) & set(history)
    for number, cases in enumerate(one.seen):
        for way, case in zip(ways, cases, strict=True):
            assert len(case.candidates) == PAGE
            assert case.history[len(case.history) - number :] == way[:number]
            assert not any(case.truth), "nothing is told of what is right"


def test_a_step_without_an_answer_takes_nothing_and_shows_another_page(ring: Real) -> None:
    [path] = paths_of(ring, steps=(4,), agents=5)
    one = Highest(silent=True)
    ways = asyncio.run(walk(one, one.name, path.pages, path.histories, 4))
    assert all(len(way) == 2 for way in ways)
    first, second = one.seen[0], one.seen[1]
    for before, after in zip(first, second, strict=True):
        assert not set(before.candidates) & set(after.candidates)


def test_pages_leave_out_what_is_barred(ring: Real) -> None:
    [path] = paths_of(ring, steps=(5,), agents=3)
    pages = RankedPages(Ground(path.arena.lives, 1))
    users = np.array(list(path.histories))
    lived = list(path.histories.values())
    shown = pages.of(users, lived, lived, 20)
    for row, history in zip(shown, lived, strict=True):
        assert not set(row.tolist()) & set(history)


@pytest.fixture(scope="module")
def found(ring: Real) -> list[GeneratedSteps]:
    entries = baseline_contestants()
    paths = paths_of(ring, steps=(3, 5), agents=20)

    async def whole() -> list[GeneratedSteps]:
        return [await walked(path, entries, entries, AnswerStore(None)) for path in paths]

    return asyncio.run(whole())


def test_the_truth_is_what_people_did_last_and_is_not_learnt(
    ring: Real, found: list[GeneratedSteps]
) -> None:
    for one in found:
        lives = one.path.arena.lives
        learnt = set(zip(lives.users.tolist(), lives.items.tolist(), strict=True))
        for user, truth in one.path.truth.items():
            rows = np.flatnonzero(ring.users == user)
            assert ring.items[rows][-one.path.steps :].tolist() == list(truth)
            assert all((user, item) not in learnt for item in truth)


def test_the_table_has_every_baseline_and_the_mix(ring: Real, found: list[GeneratedSteps]) -> None:
    result = generation_result(ring, found, baseline_contestants(), seed=1)
    assert result.groups == ("N=3", "N=5")
    rows = {row.name: row.cells["N=5"] for row in result.rows}
    for name in ("random", "popularity", "recsim", "ease", "markov", MIX):
        assert set(rows[name]) == {"genres", "popularity", "sequence", "AUC"}
    assert rows["genre profile"]["genres"].value.mean <= rows["random"]["genres"].value.mean + 0.1
    assert set(result.lower_is_better) == {"genres", "popularity", "sequence"}


def test_sequences_are_exported_for_blind_judging(
    ring: Real, found: list[GeneratedSteps], tmp_path: Path
) -> None:
    path = tmp_path / "sequences.json"
    path.write_bytes(exported(ring, found, ["markov", "recsim"]))
    told = read_file(path, SequenceFile, "--sequences")
    assert len(told.walks) == 40
    walk_ = told.walks[0]
    assert set(walk_.ways) == {"markov", "recsim", TRUTH}
    assert len(walk_.ways["markov"]) == walk_.steps == 3
    newest = ring.catalogue[found[0].path.histories[walk_.user][-1]]
    assert walk_.history[0].title == newest.title


def test_steps_are_kept(ring: Real, tmp_path: Path) -> None:
    [path] = paths_of(ring, steps=(3,), agents=6)
    entries = baseline_contestants()
    one = asyncio.run(walked(path, entries, entries, AnswerStore(tmp_path)))
    files = {p: p.stat().st_mtime_ns for p in (tmp_path / "scores").iterdir()}
    two = asyncio.run(walked(path, entries, entries, AnswerStore(tmp_path)))
    assert files == {p: p.stat().st_mtime_ns for p in (tmp_path / "scores").iterdir()}
    for name, kept in one.ways.items():
        again = two.ways[name].scores
        assert [a.tolist() for a in kept.scores] == [b.tolist() for b in again]
