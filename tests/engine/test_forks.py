from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from audience.engine import forks
from audience.engine.forks import ForkFault, cores
from audience.engine.platform import RecommenderFault


class Simple:
    """Work whose results are bytes already."""

    def __init__(self, do: Callable[[int], bytes]) -> None:
        self.do = do

    def pack(self, block: int, result: bytes) -> bytes:
        return result

    def unpack(self, sent: bytes) -> bytes:
        return sent


def shared_out(do: Callable[[int], bytes], blocks: int, workers: int) -> Iterator[bytes]:
    return forks.shared_out(Simple(do), blocks, workers)


def squared(block: int) -> bytes:
    return str(block * block).encode()


def nobody_is_left() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_order(workers: int) -> None:
    assert [int(found) for found in shared_out(squared, 40, workers)] == [n * n for n in range(40)]
    assert nobody_is_left()


def test_nothing_to_do_needs_nobody() -> None:
    assert list(shared_out(squared, 0, 2)) == []


def test_the_work_is_shared_with_forks() -> None:
    def work(block: int) -> bytes:
        time.sleep(0.02)
        return str(os.getpid()).encode()

    pids = {int(found) for found in shared_out(work, 30, 3)}
    assert os.getpid() in pids
    assert len(pids) == 3


def test_one_worker_is_this_process() -> None:
    pids = {int(found) for found in shared_out(lambda block: str(os.getpid()).encode(), 5, 1)}
    assert pids == {os.getpid()}


def test_results_may_be_large() -> None:
    found = list(shared_out(lambda block: bytes([block]) * 3_000_000, 4, 2))
    assert [set(result) for result in found] == [{0}, {1}, {2}, {3}]


def dying(marker: Path, times: int) -> Callable[[int], bytes]:
    """Return work in which forks kill themselves so many times; this process is slow."""
    home = os.getpid()

    def work(block: int) -> bytes:
        if os.getpid() == home:
            time.sleep(0.1)
            return squared(block)
        with marker.open("a") as file:
            file.write("x")
        if len(marker.read_text()) <= times:
            os.kill(os.getpid(), signal.SIGKILL)
        return squared(block)

    return work


@pytest.mark.parametrize("workers", [2, 3])
def test_one_that_dies_is_replaced(workers: int, tmp_path: Path) -> None:
    found = shared_out(dying(tmp_path / "deaths", 2), 9, workers)
    assert [int(result) for result in found] == [n * n for n in range(9)]
    assert (tmp_path / "deaths").read_text().startswith("xxx"), "two died, and a third did not"
    assert nobody_is_left()


def test_those_that_die_again_and_again_are_given_up(tmp_path: Path) -> None:
    with pytest.raises(ForkFault, match="--workers 1"):
        list(shared_out(dying(tmp_path / "deaths", 1_000), 40, 2))
    assert nobody_is_left()


def elsewhere(work: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Return work that this process does slowly, so that forks do most of it."""
    home = os.getpid()

    def done(block: int) -> bytes:
        if os.getpid() != home:
            return work(block)
        time.sleep(0.2)
        return b""

    return done


def test_what_a_fork_raises_is_raised_here() -> None:
    def work(block: int) -> bytes:
        if block == 2:
            raise RecommenderFault("Mine.rank gave nothing")
        return b""

    with pytest.raises(RecommenderFault, match=r"Mine\.rank gave nothing") as caught:
        list(shared_out(elsewhere(work), 5, 2))
    assert "in work" in caught.value.__notes__[0]
    assert nobody_is_left()


class Unsendable(Exception):
    """An exception that cannot be made again from its arguments."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def test_what_cannot_be_sent_is_told_by_its_words() -> None:
    def work(block: int) -> bytes:
        raise Unsendable(1, 2)

    with pytest.raises(RuntimeError, match="Unsendable: 1 and 2"):
        list(shared_out(elsewhere(work), 9, 2))


def test_what_this_process_raises_leaves_nobody_behind() -> None:
    def work(block: int) -> bytes:
        raise Unsendable(1, 2)

    with pytest.raises(Unsendable):
        list(shared_out(work, 9, 1))
    with pytest.raises((Unsendable, RuntimeError)):
        list(shared_out(work, 9, 3))
    assert nobody_is_left()


def test_who_stops_listening_leaves_nobody_behind() -> None:
    results = shared_out(squared, 1_000, 2)
    assert next(results) == b"0"
    results.close()  # type: ignore[attr-defined]
    assert nobody_is_left()


def test_there_is_a_core() -> None:
    assert cores() >= 1
