"""The quickstart of the README, run as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
IN_A_LOOP = """
import asyncio, sys
async def cell():
    exec(compile(sys.argv[1], "quickstart", "exec"), {})
asyncio.run(cell())
"""


def quickstart() -> str:
    """Return the first block of Python in the README."""
    found = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert found, f"{README} has no block of Python"
    return found[1]


def run(folder: Path, *words: str) -> str:
    told = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def has_a_verdict(told: str) -> bool:
    return bool(re.search(r"(serves this audience better than|No clear difference)", told))


def test_the_quickstart_is_ten_lines() -> None:
    assert len(quickstart().splitlines()) <= 10


def test_the_quickstart_gives_a_verdict_and_a_report(tmp_path: Path) -> None:
    assert has_a_verdict(run(tmp_path, "-c", quickstart()))
    (report,) = tmp_path.glob("runs/*/report.html")
    assert "</html>" in report.read_text("utf-8")


def test_the_quickstart_gives_the_same_inside_a_running_event_loop(tmp_path: Path) -> None:
    small = quickstart().replace("agents=200", "agents=20, report=False")
    assert small != quickstart()
    assert has_a_verdict(run(tmp_path, "-c", IN_A_LOOP, small))
