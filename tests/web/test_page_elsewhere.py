"""The page over a network: a server on another address than the loopback's, and a browser there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.browsers import browser
from tests.web.elsewhere import SETTINGS

APART = ["unshare", "--map-root-user", "--net"]


def test_a_page_of_another_machine_needs_the_token_for_everything(tmp_path: Path) -> None:
    if not shutil.which("unshare") or not shutil.which("ip"):
        pytest.skip("no unshare or no ip here; a network of its own cannot be made")
    # All that `elsewhere` does to its network, tried first: some machines allow only a part of it.
    tried = " && ".join(f"ip {words}" for words in SETTINGS)
    made = subprocess.run([*APART, "sh", "-c", tried], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"a network of its own is not permitted here: {made.stderr.strip()}")
    with browser():
        pass  # or skip, where there is none
    done = subprocess.run(
        [*APART, sys.executable, "-m", "tests.web.elsewhere", str(tmp_path / "runs")],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
