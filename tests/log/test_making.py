from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from audience.errors import BadInput, Unusable
from audience.log import Log
from audience.log.folder import fill_new, made, meta_of
from audience.world import Genesis

Run = Callable[[int], Path]
Start = Callable[[str, Path], subprocess.Popen[str]]


def test_a_folder_with_a_run_is_refused_with_the_way_to_go_on(run: Run, genesis: Genesis) -> None:
    folder = run(1)
    before = (folder / "run.db").read_bytes()
    with pytest.raises(BadInput, match=r"--out .*run already holds a run; .*audience resume"):
        Log.create(folder, genesis, "", 1)
    assert [path.name for path in folder.iterdir()] == ["run.db"]
    assert (folder / "run.db").read_bytes() == before


def test_a_folder_with_anything_is_refused(tmp_path: Path, genesis: Genesis) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(BadInput, match=r"not empty \(thesis.tex\); .*--out"):
        Log.create(tmp_path, genesis, "", 1)
    with pytest.raises(BadInput, match=r"is a file; .*--out"):
        Log.create(tmp_path / "thesis.tex", genesis, "", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_empty_folder_and_the_leavings_of_a_killed_creation_are_fine(
    tmp_path: Path, genesis: Genesis
) -> None:
    Log.create(tmp_path, genesis, "", 1).close()
    (tmp_path / "run.db").rename(tmp_path / "run.db.partial")
    (tmp_path / "lock").write_text("1")
    Log.create(tmp_path, genesis, "", 2).close()
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]
    with Log.open(tmp_path) as log:
        assert log.seed == 2


def test_a_failure_leaves_nothing(tmp_path: Path, genesis: Genesis) -> None:
    def fill(path: Path) -> None:
        fill_new(path, genesis, meta_of("", 1, None))
        raise RuntimeError

    folder = tmp_path / "a" / "b"
    with pytest.raises(RuntimeError), made(folder, fill):
        pass
    assert list(tmp_path.iterdir()) == []

    def whole(path: Path) -> None:
        fill_new(path, genesis, meta_of("", 1, None))

    def fail_inside() -> None:
        with made(folder, whole):
            assert (folder / "run.db").exists()
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_making_is_busy(tmp_path: Path, genesis: Genesis) -> None:
    def fill(path: Path) -> None:
        with pytest.raises(Unusable, match="is being written"):
            Log.create(path.parent, genesis, "", 1)
        fill_new(path, genesis, meta_of("", 1, None))

    with made(tmp_path / "run", fill) as lock:
        lock.release()
    with Log.open(tmp_path / "run") as log:
        assert log.verify() == []


FULL = """
import resource
from pathlib import Path
from audience.log import Log, NotWritten
from audience.world.genesis import Genesis
genesis = Genesis.unpack(Path("genesis").read_bytes())
resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    Log.create(Path("a/b"), genesis, "x" * 20_000, 1)
except NotWritten as error:
    print("said", error)
"""


@pytest.mark.parametrize("limit", [1, 8192, 40_000])
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, genesis: Genesis, start: Start, limit: int
) -> None:
    (tmp_path / "genesis").write_bytes(genesis.packed)
    out, err = start(FULL.replace("BYTES", str(limit)), tmp_path).communicate(timeout=150)
    assert out.startswith("said a/b could not be written: the disk"), err
    assert [path.name for path in tmp_path.iterdir()] == ["genesis"]
