from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from audience.errors import Unusable
from audience.log import Log, is_held
from audience.log.folder import Lock

Run = Callable[[int], Path]
Start = Callable[[str, Path], subprocess.Popen[str]]

HOLD = """
from pathlib import Path
from audience.log import Log, is_held
log = Log.open(Path("run"), write=True)
print("held", flush=True)
input()
"""


def test_a_second_writer_is_refused_and_told_who_writes(run: Run) -> None:
    folder = run(1)
    with Log.open(folder, write=True), pytest.raises(Unusable, match=f"id {os.getpid()};"):
        Log.open(folder, write=True)
    Log.open(folder, write=True).close()
    assert not (folder / "lock").exists()


def test_the_lock_holds_between_programs_and_dies_with_its_holder(run: Run, start: Start) -> None:
    folder = run(1)
    other = start(HOLD, folder.parent)
    assert other.stdout
    assert other.stdout.readline() == "held\n"
    with pytest.raises(Unusable, match=f"process with id {other.pid}; wait until it ends"):
        Log.open(folder, write=True)
    with Log.open(folder) as reader:
        assert reader.complete_rounds() == 1
    other.kill()
    other.communicate(timeout=150)
    assert (folder / "lock").exists()
    Log.open(folder, write=True).close()


def test_releasing_twice_does_not_take_the_lock_of_the_next(tmp_path: Path) -> None:
    first = Lock(tmp_path)
    first.release()
    second = Lock(tmp_path)
    first.release()
    with pytest.raises(Unusable, match="is being written"):
        Lock(tmp_path)
    second.release()


def test_whether_somebody_writes_can_be_asked_without_writing(run: Run, tmp_path: Path) -> None:
    folder = run(1)
    assert not is_held(folder)
    assert not is_held(tmp_path / "nowhere")
    with Log.open(folder, write=True):
        assert is_held(folder)
    assert not is_held(folder)
    (folder / "lock").write_text("a writer that died")
    assert not is_held(folder)


def test_the_log_needs_no_fcntl(start: Start, tmp_path: Path) -> None:
    code = 'import sys\nsys.modules["fcntl"] = None\nimport audience.log\nprint("imported")'
    out, err = start(code, tmp_path).communicate(timeout=150)
    assert out == "imported\n", err
