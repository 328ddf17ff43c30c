from __future__ import annotations

import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from audience.errors import BadInput, Unusable
from audience.log import Log
from audience.log.schema import VERSION

Run = Callable[[int], Path]
Start = Callable[[str, Path], subprocess.Popen[str]]


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def text(file: Path) -> None:
    file.write_text("title,year\nMetropolis,1927\n" * 50)


def short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:60])


def halved(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])


def overwritten(file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[100:4096] = bytes(b % 251 for b in range(3996))
    file.write_bytes(whole)


def foreign(file: Path) -> None:
    file.unlink()
    change(file, "CREATE TABLE chapters(round)")


def newer(file: Path) -> None:
    change(file, f"PRAGMA user_version = {VERSION + 1}")


def without_version(file: Path) -> None:
    change(file, "PRAGMA user_version = 0")


def without_chapters(file: Path) -> None:
    change(file, "DROP VIEW records", "DROP TABLE chapters")


def without_column(file: Path) -> None:
    change(file, "ALTER TABLE genesis RENAME COLUMN body TO soul")


def without_seed(file: Path) -> None:
    change(file, "DELETE FROM meta WHERE key = 'seed'")


def change(file: Path, *statements: str) -> None:
    connection = sqlite3.connect(file)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


DAMAGES = [
    (emptied, "is empty"),
    (text, "not the file of a run"),
    (short, "cut off after 60 bytes"),
    (halved, "is cut off: .* bytes are there"),
    (overwritten, "is damaged"),
    (foreign, "another program"),
    (newer, f"newer Audience .schema {VERSION + 1}; .*pip install --upgrade"),
    (without_version, "is damaged .schema version 0"),
    (without_chapters, "no table 'chapters'"),
    (without_column, "table 'genesis' lacks body"),
    (without_seed, "nothing says its seed"),
]


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("damage", "said"), DAMAGES)
def test_a_damaged_or_foreign_file_is_named_and_left_as_it_is(
    run: Run, damage: Callable[[Path], None], said: str, write: bool
) -> None:
    folder = run(3)
    damage(folder / "run.db")
    before = (folder / "run.db").read_bytes()
    with pytest.raises(Unusable, match=said) as caught:
        Log.open(folder, write=write)
    assert str(folder / "run.db") in str(caught.value)
    assert (folder / "run.db").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["run.db"]


def test_a_folder_without_a_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"run\.db is missing"):
        Log.open(tmp_path, write=True)
    assert list(tmp_path.iterdir()) == []


def test_verify_finds_random_bytes_in_the_middle_of_a_page(run: Run) -> None:
    folder = run(30)
    whole = (folder / "run.db").read_bytes()
    scribble = b"\xa7\x01\xff\x00\x93" * 200
    used = found = 0
    for begin in range(4096 + 1500, len(whole), 4096):
        end = begin + len(scribble)
        # Where a page holds nothing yet, scribbling does no harm.
        if any(whole[begin:end]):
            (folder / "run.db").write_bytes(whole[:begin] + scribble + whole[end:])
            with Log.open(folder) as log:
                used, found = used + 1, found + bool(log.verify())
    assert used > 10
    assert found == used


READ_ONLY = """
import os
from pathlib import Path
from audience.errors import AudienceError
from audience.log import Log, fork
from audience.log.folder import manifest
manifest()  # nobody may be unable to read what Python imports late
os.chmod("run", 0o555); os.chmod("run/run.db", 0o444); os.chmod(".", 0o755)
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
with Log.open(Path("run")) as log:
    print(log.complete_rounds(), log.verify())
    genesis = log.genesis()
for act in (
    lambda: Log.open(Path("run"), write=True),
    lambda: Log.create(Path("run/inside"), genesis, "", 1),
    lambda: fork(Path("run"), Path("run/branch")),
):
    try:
        act()
    except AudienceError as error:
        print(type(error).__name__, error)
"""


def test_a_read_only_folder_can_be_read_and_says_that_it_cannot_be_written(
    run: Run, start: Start
) -> None:
    # Root may write anywhere, so the script becomes nobody, who cannot enter pytest's own folder.
    with tempfile.TemporaryDirectory() as place:
        folder = Path(shutil.copytree(run(2), Path(place) / "run"))
        before = (folder / "run.db").read_bytes()
        try:
            out, err = start(READ_ONLY, folder.parent).communicate(timeout=150)
        finally:
            folder.chmod(0o755)
        assert (folder / "run.db").read_bytes() == before
        assert [path.name for path in folder.iterdir()] == ["run.db"]
    assert out, err
    read, *refused = out.splitlines()
    assert read == "2 []"
    assert len(refused) == 3, err
    for line in refused:
        assert line.startswith("NotWritten run")
        assert "writing there is not allowed" in line
        assert "make it writable or choose another folder" in line


def test_what_a_killed_writer_left_beside_the_file_is_read_too(run: Run, tmp_path: Path) -> None:
    folder = run(2)
    crashed = tmp_path / "crashed"
    with Log.open(folder, write=True) as log:
        for chapter in log.chapters(begin_round=2):
            log.append(
                type(chapter)(3, *(getattr(chapter, f) for f in chapter.__struct_fields__[1:]))
            )
        log.commit()
        shutil.copytree(folder, crashed)
        wanted = log.digest()
    (crashed / "run.db-shm").unlink()
    assert (crashed / "run.db-wal").stat().st_size > 0
    with Log.open(crashed) as log:
        assert log.digest() == wanted
        assert log.complete_rounds() == 3
