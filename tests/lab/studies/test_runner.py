from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from audience.errors import AudienceError, BadInput, Interrupted
from audience.lab.studies import Recipe, conduct_study, find, read, with_changes
from audience.lab.studies.jobs import MEASURED_FILE
from audience.log import Log

TEXT = """
agents = 30
rounds = 3
seeds = 2
recommender = "popular"
[study]
kind = "cocoon"
question = "Which?"
[arms.k0]
[arms.random]
recommender = "random"
"""


def recipe() -> Recipe:
    return read(TEXT, "mine.toml")


def digests(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.glob("*/seed-*")):
        with Log.open(path) as log:
            found[f"{path.parent.name}/{path.name}"] = log.digest()
    return found


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("straight") / "study"
    conduct_study(recipe(), folder, workers=1)
    return folder


def test_processes_beside_each_other_give_the_same_bytes(straight: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    watch = lambda rounds, runs: seen.append((rounds, runs))  # noqa: E731
    found = conduct_study(recipe(), tmp_path / "study", workers=2, watch=watch)
    assert digests(tmp_path / "study") == digests(straight)
    assert sum(runs for _, runs in seen) == 4
    again = conduct_study(recipe(), straight, workers=1)
    assert again.findings.verdict == found.findings.verdict


def test_a_study_goes_on_where_it_was_stopped(straight: Path, tmp_path: Path) -> None:
    asked = iter([False] * 6)
    with pytest.raises(Interrupted):
        conduct_study(recipe(), tmp_path / "s", workers=1, stopping=lambda: next(asked, True))
    there = len(list((tmp_path / "s").glob(f"*/*/{MEASURED_FILE}")))
    assert there < 4
    conduct_study(recipe(), tmp_path / "s", workers=1)
    assert digests(tmp_path / "s") == digests(straight)


def test_what_is_measured_is_not_lived_again(straight: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in straight.glob("*/*/run.db")}
    seen: list[int] = []
    conduct_study(recipe(), straight, workers=2, watch=lambda rounds, runs: seen.append(runs))
    assert {path: path.stat().st_mtime_ns for path in straight.glob("*/*/run.db")} == before
    assert sum(seen) == 4


def test_a_spoilt_measurement_is_made_again(straight: Path) -> None:
    path = next(straight.glob(f"*/*/{MEASURED_FILE}"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    conduct_study(recipe(), straight, workers=1)
    assert path.read_bytes() == whole


def test_a_killed_study_is_resumed(straight: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TEXT)
    words = ["study", "mine.toml", "--out", "s", "--workers", "2"]
    command = [sys.executable, "-c", "from audience.cli import main; main()", *words]
    child = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    for _ in range(3000):
        if list((tmp_path / "s").glob("*/*/run.db")) or child.poll() is not None:
            break
        time.sleep(0.05)
    child.kill()
    child.wait()
    for _ in range(3000):  # its workers see that nobody is there any more, and stop
        try:
            conduct_study(recipe(), tmp_path / "s", workers=1)
            break
        except AudienceError:
            time.sleep(0.05)
    assert digests(tmp_path / "s") == digests(straight)


def test_a_folder_that_holds_something_else_is_refused(straight: Path, tmp_path: Path) -> None:
    other = with_changes(recipe(), {"agents": 31})
    with pytest.raises(BadInput, match="holds another study"):
        conduct_study(other, straight)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match="is not empty"):
        conduct_study(recipe(), tmp_path)
    with pytest.raises(BadInput, match="is a file"):
        conduct_study(recipe(), tmp_path / "letter.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_what_cannot_be_made_is_told_before_anything_is_written(tmp_path: Path) -> None:
    bad = read(TEXT.replace('"random"', '"rndom"'), "mine.toml")
    with pytest.raises(BadInput, match="recommender 'rndom' is unknown"):
        conduct_study(bad, tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_a_fault_in_a_worker_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Broken:\n    def fit(self, interactions, rng):\n        return self\n"
        "    def rank(self, users, k, context):\n        raise ValueError('no idea')\n"
    )
    text = TEXT.replace('recommender = "random"', f'recommender = "{tmp_path}/mine.py:Broken"')
    with pytest.raises(AudienceError, match="no idea"):
        conduct_study(read(text, "mine.toml"), tmp_path / "s", workers=2)


def test_studies_are_found_by_name() -> None:
    assert find("cocoon").study.name == "cocoon"
