from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.recommenders import RecommenderView, seen_by_recommender
from audience.recommenders.extras import RecBole, recbole_adapter as adapter
from audience.recommenders.extras.recbole_adapter import WORKER, Histories, Worker, WorkerFault
from audience.testing import tiny_genesis
from audience.world import Interactions, rng

without_recbole = pytest.mark.skipif(find_spec("recbole") is not None, reason="RecBole is here")


def some() -> RecommenderView:
    made = Interactions(tiny_genesis(4, 6).catalogue, 4)
    for who, what, at, stars in [(2, 5, 30, 4), (2, 1, 10, 0), (0, 5, 20, 1), (2, 3, 40, 5)]:
        made.add(who, what, at, 1.0, stars)
    return seen_by_recommender(made)


def test_histories_are_in_the_order_of_time() -> None:
    lives = Histories(some(), 0)
    assert (lives.people, lives.items) == ([0, 2], [1, 3, 5])
    assert lives.history(2) == [1, 5, 3]
    assert lives.history(3) == []
    assert Histories(some(), 4).people == [2]


def test_atomic_files_hold_places_for_moments_and_an_item_that_is_nobodys(tmp_path: Path) -> None:
    interactions = some()
    Histories(interactions, 0).write(tmp_path / "toy", interactions.catalogue)
    lines = (tmp_path / "toy" / "toy.inter").read_text("utf-8").splitlines()
    assert lines[0] == "user_id:token\titem_id:token\ttimestamp:float"
    assert lines[1:] == ["2\t1\t0", "0\t5\t1", "2\t5\t2", "2\t3\t3"]
    items = (tmp_path / "toy" / "toy.item").read_text("utf-8").splitlines()
    assert [line.split("\t")[0] for line in items] == ["item_id:token", "1", "3", "5", "nothing"]


def test_too_many_scores_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "MOST_CELLS", 11)
    with pytest.raises(BadInput, match=r"2 people with 6 items make 12; use 'als' or 'bpr'"):
        RecBole(python=sys.executable).fit(some(), rng(1, "fit"))


def test_with_nothing_lived_no_worker_is_started() -> None:
    empty = seen_by_recommender(Interactions(tiny_genesis(4, 6).catalogue, 4))
    recommender = RecBole(python=sys.executable)
    assert np.array_equal(recommender.fit(empty, rng(1, "fit")).scores, np.zeros(6))  # type: ignore[attr-defined]
    assert recommender._worker is None


@without_recbole
def test_without_recbole_the_message_says_what_to_give() -> None:
    with pytest.raises(BadInput, match=r"python = .*docs/how-to/other-libraries.md"):
        RecBole()


def test_a_python_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="/nowhere/bin/python"):
        RecBole(python="/nowhere/bin/python")


def test_no_epochs_are_refused() -> None:
    with pytest.raises(BadInput, match="epochs is 0"):
        RecBole(epochs=0, python=sys.executable)


@without_recbole
def test_a_python_without_recbole_is_told_by_its_last_words() -> None:
    recommender = RecBole(python=sys.executable)
    with pytest.raises(WorkerFault, match=r"exit code 1.*No module named"):
        recommender.fit(some(), rng(1, "fit"))


def test_a_worker_ends_when_nobody_holds_it() -> None:
    worker = Worker(sys.executable)
    process, folder = worker.process, Path(worker.folder)
    assert worker.alive
    assert folder.is_dir()
    del worker
    assert process.returncode is not None
    assert not folder.exists()


def test_a_worker_ends_with_its_standard_input() -> None:
    ended = subprocess.run([sys.executable, WORKER], input=b"", timeout=150, check=False)
    assert ended.returncode == 0
