from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from audience.errors import BadInput, Interrupted
from audience.log import Log
from audience.runs import Finished, Quiet, branch, measured, measured_upto, prolong, resume, start
from audience.scenario import changed, parse

SMALL = parse("agents = 50\nrounds = 4\nseed = 9\nrecommender = 'popular'\n[run]\nwave = 5")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return start(SMALL, 1, tmp_path_factory.mktemp("whole") / "run")


def copy(whole: Finished, target: Path) -> Path:
    return Path(shutil.copytree(whole.measured.folder, target))


class Stops:
    """Asks for a stop after so many questions."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


class Watching(Quiet):
    def __init__(self) -> None:
        self.told: list[object] = []

    def begin(self, name: str, rounds: int, agents: int) -> None:
        self.told.append((name, rounds, agents))

    def advance(self, round_: int, done: int, total: int) -> None:
        assert 0 <= done <= total
        self.told.append(round_)

    def end(self) -> None:
        self.told.append("end")


def test_numbers_are_the_same_live_and_over_the_finished_log(whole: Finished) -> None:
    again = measured(Path(whole.measured.folder))
    assert again.digest == whole.measured.digest
    assert again.totals == pytest.approx(whole.measured.totals, nan_ok=True)
    assert len(again.rounds) == 4
    assert sum(one["picks"] for one in again.rounds) == again.totals["picks"]
    assert again.agents["picks"].sum() == again.totals["picks"]


def test_the_summary_adds_up(whole: Finished) -> None:
    found = whole.summary
    assert (found["agents"], found["rounds"], found["seed"]) == (50, 4, 1)
    assert found["picks"] == whole.measured.totals["picks"]
    assert whole.decisions > whole.measured.totals["visits"]


def test_a_run_keeps_a_scenario_of_its_own_from_which_it_can_be_made_again(whole: Finished) -> None:
    with Log.open(Path(whole.measured.folder)) as log:
        own = parse(log.scenario)
        assert log.state == "finished"
    assert (own.seed, own.seeds, own.arms) == (1, 1, {})
    assert own.run == SMALL.run


@pytest.mark.parametrize("after", [0, 1, 5, 12])
def test_a_run_stopped_anywhere_is_resumed_to_the_same_bytes(
    tmp_path: Path, whole: Finished, after: int
) -> None:
    with pytest.raises(Interrupted, match="continue with: audience resume"):
        start(SMALL, 1, tmp_path / "run", stopping=Stops(after))
    with Log.open(tmp_path / "run") as log:
        assert log.state == "stopped"
    done = resume(tmp_path / "run")
    assert done.measured.digest == whole.measured.digest
    assert done.measured.totals == pytest.approx(whole.measured.totals, nan_ok=True)


def test_a_run_may_be_stopped_again_and_again(tmp_path: Path, whole: Finished) -> None:
    with pytest.raises(Interrupted):
        start(SMALL, 1, tmp_path / "run", stopping=Stops(2))
    for after in (1, 3, 5, 7):
        with pytest.raises(Interrupted):
            resume(tmp_path / "run", stopping=Stops(after))
    assert resume(tmp_path / "run").measured.digest == whole.measured.digest


def test_progress_is_told_and_ends_only_with_the_run(tmp_path: Path) -> None:
    watching = Watching()
    start(SMALL, 1, tmp_path / "run", progress=watching)
    assert watching.told[0] == ("run", 4, 50)
    assert watching.told[-1] == "end"
    assert set(watching.told[1:-1]) == {1, 2, 3, 4}
    stopped = Watching()
    with pytest.raises(Interrupted):
        start(SMALL, 1, tmp_path / "other", progress=stopped, stopping=Stops(2))
    assert "end" not in stopped.told


def test_a_longer_run_begins_with_the_same_bytes(tmp_path: Path, whole: Finished) -> None:
    folder = copy(whole, tmp_path / "run")
    prolong(folder, 6)
    assert resume(folder).rounds == 6
    with Log.open(folder) as log:
        assert log.digest(upto_round=4) == whole.measured.digest
    with pytest.raises(BadInput, match="has 6 rounds; branch it with --at 2"):
        prolong(folder, 2)


def test_a_branch_with_an_intervention_leaves_its_parent_alone(
    tmp_path: Path, whole: Finished
) -> None:
    change: dict[str, object] = {"round": 3, "do": "silence", "agent": 0}
    source = copy(whole, tmp_path / "run")
    target = branch(source, tmp_path / "b", 1, (change,))
    done = resume(target)
    with Log.open(source) as parent, Log.open(target) as child:
        assert parent.digest() == whole.measured.digest
        assert child.digest(upto_round=2) == parent.digest(upto_round=2)
        assert child.digest(upto_round=3) != parent.digest(upto_round=3)
        assert done.measured.digest == child.digest()
        assert parse(child.scenario).interventions == (change,)


def test_a_branch_of_a_branch_keeps_both_changes(tmp_path: Path, whole: Finished) -> None:
    first: dict[str, object] = {"round": 2, "do": "silence", "agent": 0}
    second: dict[str, object] = {"round": 4, "do": "silence", "agent": 1}
    one = branch(Path(whole.measured.folder), tmp_path / "one", 1, (first,))
    resume(one)
    two = branch(one, tmp_path / "two", 3, (second,))
    lived = resume(two).measured.digest
    wanted = changed(SMALL, interventions=[first, second], seed=1)
    assert start(wanted, 1, tmp_path / "straight").measured.digest == lived


def test_an_intervention_in_the_past_makes_no_branch(tmp_path: Path, whole: Finished) -> None:
    late: dict[str, object] = {"round": 2, "do": "silence", "agent": 0}
    with pytest.raises(BadInput, match="round 2 is not after round 2, where the branch begins"):
        branch(Path(whole.measured.folder), tmp_path / "b", 2, (late,))
    assert not (tmp_path / "b").exists()


def test_measuring_tells_each_round_it_reads(whole: Finished) -> None:
    seen: list[int] = []
    measured(Path(whole.measured.folder), seen.append)
    assert seen == [], "what was kept is not read again"
    (Path(whole.measured.folder) / "metrics.msgpack").unlink()
    measured(Path(whole.measured.folder), seen.append)
    assert seen == [1, 2, 3, 4]
    with Log.open(Path(whole.measured.folder)) as log:
        early = measured_upto(log, 2).value()
    assert 0 < early["picks"] < whole.measured.totals["picks"]


def test_the_place_of_a_run_does_not_change_its_bytes(tmp_path: Path) -> None:
    digests = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "mine.py"
        file.write_text("from audience.recommenders import Random\nclass Mine(Random): pass\n")
        wanted = changed(SMALL, rounds=1, recommender=f"{file}:Mine")
        digests.append(start(wanted, 1, tmp_path / name / "run").measured.digest)
    assert digests[0] == digests[1]
