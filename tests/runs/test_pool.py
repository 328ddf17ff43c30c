from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import encode

from audience.errors import BadInput, Halt, Interrupted
from audience.log import Log
from audience.runs import (
    Attendant,
    Outcome,
    PoolTask,
    TaskFault,
    conduct,
    kept_run,
    pool_of,
    processes_for,
    run,
    with_sensitivity,
)
from audience.runs.pool import Processes
from audience.scenario import parse

TWO = """
agents = 30
rounds = 2
seeds = 3
recommender = "popular"
[arms.popular]
[arms.ease]
recommender = "ease"
"""
HERE = f"{__name__}:"


def squared(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """The work of a task in these tests, found by its name in other processes too."""
    del attendant
    os.write(1, b"a part of the user's may print, and not end its line")
    with (root / "done.txt").open("a") as file:
        file.write(f"{given['number']}\n")
    return str(given["number"] ** 2).encode()


def dying(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Kill this process, until it was killed often enough."""
    mark = root / f"died-{given['number']}"
    deaths = int(mark.read_text()) if mark.exists() else 0
    if deaths < given["times"]:
        mark.write_text(str(deaths + 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return squared(root, given, attendant)


def failing(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    del root, attendant
    raise {"bad": BadInput, "odd": KeyError}[given["kind"]]("this cannot be")


def waiting(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Go on until it is stopped."""
    (root / f"began-{given['number']}").touch()
    while not attendant.stopping():
        time.sleep(0.01)
    raise Interrupted("stopped")


def task(call: str, number: int, root: Path, **given: object) -> PoolTask:
    return PoolTask(f"task {number}", HERE + call, {"number": number, **given}, str(root))


@pytest.fixture(scope="module", autouse=True)
def _found_by_workers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        yield


@pytest.fixture(scope="module")
def two(_found_by_workers: None) -> Iterator[Processes]:
    """Two processes for all tests that do not harm them."""
    with Processes(2) as pool:
        yield pool


def never() -> bool:
    return False


@pytest.mark.parametrize("size", [1, 2])
def test_tasks_are_done_here_or_beside_each_other(size: int, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with pool_of(size) as pool:
        tasks = [task("squared", number, tmp_path) for number in range(5)]
        ended = list(pool.work(tasks, lambda *counts: told.append(counts), never))
        more = list(pool.work([task("squared", 9, tmp_path)], lambda *_: None, never))
    assert {each.name: result for each, result in ended} == {
        f"task {number}": str(number**2).encode() for number in range(5)
    }
    assert [result for _, result in more] == [b"81"]
    assert sorted((tmp_path / "done.txt").read_text().split()) == list("012349")
    assert sum(runs for _, runs in told) == 5


def test_a_task_waits_for_those_whose_folders_it_reads(two: Processes, tmp_path: Path) -> None:
    first = [task("squared", number, tmp_path) for number in range(3)]
    names = tuple(each.name for each in first)
    last = PoolTask("last", HERE + "squared", {"number": 7}, str(tmp_path), after=names)
    ended = [each.name for each, _ in two.work([last, *first], lambda *_: None, never)]
    assert ended[-1] == "last"
    assert len(ended) == 4


def test_a_dead_process_is_replaced_and_its_task_done(tmp_path: Path) -> None:
    tasks = [task("dying", number, tmp_path, times=number % 3) for number in range(3)]
    with Processes(2) as pool:
        ended = list(pool.work(tasks, lambda *_: None, never))
    assert sorted(result for _, result in ended) == [b"0", b"1", b"4"]
    assert sorted((tmp_path / "done.txt").read_text().split()) == list("012")


def test_a_task_that_takes_its_process_down_thrice_is_told(tmp_path: Path) -> None:
    with Processes(1) as pool, pytest.raises(TaskFault, match="task 1: its process died 3 times"):
        list(pool.work([task("dying", 1, tmp_path, times=9)], lambda *_: None, never))


def test_an_error_is_told_with_the_name_of_its_task(tmp_path: Path) -> None:
    with Processes(1) as pool, pytest.raises(BadInput, match="task 3: this cannot be"):
        list(pool.work([task("failing", 3, tmp_path, kind="bad")], lambda *_: None, never))
    with Processes(1) as pool, pytest.raises(TaskFault, match=r"task 4: KeyError.*this cannot be"):
        list(pool.work([task("failing", 4, tmp_path, kind="odd")], lambda *_: None, never))


def test_stopping_ends_what_is_under_way_at_its_next_commit_point(tmp_path: Path) -> None:
    tasks = [task("waiting", number, tmp_path) for number in range(2)]

    def both_began() -> bool:
        return len(list(tmp_path.glob("began-*"))) == 2

    with Processes(2) as pool, pytest.raises(Interrupted):
        list(pool.work(tasks, lambda *_: None, both_began))


def digests(outcome: Outcome) -> list[str]:
    return [done.measured.digest for done in outcome.finished]


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    scenario = parse(TWO)
    return with_sensitivity(scenario, conduct(scenario, tmp_path_factory.mktemp("one") / "both"))


def test_an_experiment_has_the_same_numbers_with_any_number_of_processes(
    straight: Outcome, tmp_path: Path
) -> None:
    scenario = parse(TWO)
    with Processes(3) as pool:
        outcome = conduct(scenario, tmp_path / "three", pool=pool)
        outcome = with_sensitivity(scenario, outcome, pool=pool)
    assert digests(outcome) == digests(straight)
    assert encode(outcome.differences) == encode(straight.differences), "with what is NaN"
    assert outcome.verdict == straight.verdict
    assert encode(outcome.findings.band) == encode(straight.findings.band)
    places = [str(tmp_path / "three" / place) for place in ("popular/seed-1", "ease/seed-3")]
    assert [outcome.finished[0].measured.folder, outcome.finished[-1].measured.folder] == places


def test_finished_runs_are_read_and_not_run_again(two: Processes, tmp_path: Path) -> None:
    scenario, folder = parse(TWO), tmp_path / "both"
    first = conduct(scenario, folder, pool=two)
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("*/*/run.db")}
    (folder / "ease" / "seed-2" / "run.db").unlink()
    (folder / "ease" / "seed-2" / "metrics.msgpack").unlink()
    runs: list[int] = []
    again = conduct(scenario, folder, pool=two, counted=lambda _, done: runs.append(done))
    assert digests(again) == digests(first)
    assert sum(runs) == 6
    changed = [p for p in folder.glob("*/*/run.db") if p.stat().st_mtime_ns != kept[p]]
    assert [str(path.parent.relative_to(folder)) for path in changed] == ["ease/seed-2"]
    assert kept_run(folder / "nothing") is None


def test_an_interrupted_run_is_resumed_by_the_pool(
    straight: Outcome, two: Processes, tmp_path: Path
) -> None:
    scenario = parse(TWO)
    asked = iter([False] * 4)
    with pytest.raises(Interrupted):
        conduct(scenario, tmp_path / "both", stopping=lambda: next(asked, True))
    begun = [path.parent for path in (tmp_path / "both").glob("*/*/run.db")]
    assert 0 < len(begun) < 6
    assert digests(conduct(scenario, tmp_path / "both", pool=two)) == digests(straight)


def test_runs_of_a_pool_are_named_as_the_folder_was_given(
    two: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = conduct(parse(TWO), Path("both"), pool=two)
    folders = [run.measured.folder for run in outcome.finished]
    assert "both/ease/seed-1" in folders
    assert sorted(str(path.parent) for path in Path("both").glob("*/*/run.db")) == sorted(folders)


def test_the_error_of_a_run_names_its_arm_and_seed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Broken:\n    def fit(self, interactions, rng):\n        return self\n"
        "    def rank(self, users, k, context):\n        raise ValueError('no idea')\n"
    )
    text = TWO.replace('recommender = "ease"', f'recommender = "{tmp_path}/mine.py:Broken"')
    for size in (1, 2):
        with pool_of(size) as pool, pytest.raises(Exception, match=r"ease, seed \d: .*no idea"):
            conduct(parse(text), tmp_path / str(size), pool=pool)


def test_how_many_processes_take_the_runs() -> None:
    large = TWO.replace("agents = 30", "agents = 30_000")
    assert processes_for(parse(large), 4) == 4
    assert processes_for(parse(large), 60) == 6, "as many as there are runs"
    assert processes_for(parse(large), 1) == 1
    assert processes_for(parse("agents = 10_000"), 4) == 1, "a single run is not shared out here"
    assert processes_for(parse(TWO)) == 1, "too small for it"
    huge = parse(TWO.replace("agents = 30", "agents = 300_000"))
    assert processes_for(huge) == 1, "each would take the memory of all"
    assert processes_for(huge, 2) == 2
    asking = parse(large + '[mind]\nkind = "llm"\n[llm]\nurl = "http://127.0.0.1:9"\n')
    assert processes_for(asking) == 1, "they share a model"
    assert processes_for(asking, 2) == 2


class Mine:
    """A recommender that only this process has."""

    def fit(self, interactions: Any, rng: Any) -> Mine:
        return self

    def rank(self, users: Any, k: int, context: Any) -> Any:
        raise Halt("never")


def test_an_object_does_not_leave_its_process(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--workers 2: a Python object lives in this process alone"):
        run(recommenders=["popular", Mine()], agents=20, rounds=1, out=tmp_path / "r", workers=2)


def test_the_run_of_a_worker_is_a_run_like_any_other(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"agents": 20, "rounds": 1, "seeds": 1, "report": False}
    for workers in (1, 2):
        run(
            recommenders=["popular", "ease"],
            out=tmp_path / str(workers),
            workers=workers,
            **changes,
        )
    logs = [Log.open(tmp_path / workers / "ease" / "seed-1") for workers in ("1", "2")]
    assert logs[0].scenario == logs[1].scenario
    assert logs[0].digest() == logs[1].digest()
    for log in logs:
        log.close()
