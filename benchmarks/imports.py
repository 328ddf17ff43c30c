"""How long `import audience` takes, and how large the core install is."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.measuring import row, tell

ROOT = Path(__file__).parent.parent
TIMING = "import time; b = time.perf_counter(); import audience; print(time.perf_counter() - b)"


def seconds() -> float:
    """Return the median of nine fresh imports."""
    runs = [
        float(
            subprocess.run([sys.executable, "-c", TIMING], capture_output=True, check=True).stdout
        )
        for _ in range(9)
    ]
    return sorted(runs)[4]


def megabytes() -> float:
    """Return the size of a fresh virtual environment with the core install alone."""
    with tempfile.TemporaryDirectory(prefix="audience-bench-") as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "install", "-q", "-c", "constraints.txt", "."]
        subprocess.run(pip, cwd=ROOT, check=True, capture_output=True)
        files = [one for one in Path(folder).rglob("*") if one.is_file() and not one.is_symlink()]
        return sum(one.stat().st_size for one in files) / 1e6


def main() -> None:
    took, size = seconds(), megabytes()
    tell(
        row(
            "import audience",
            f"{took:.3f} s",
            "under 0.3 s",
            took < 0.3,
            kept=("import", took, "s"),
        ),
        row(
            "core install, with its environment",
            f"{size:.0f} MB",
            "under 500 MB",
            size < 500,
            kept=("install", size, "MB"),
        ),
    )


if __name__ == "__main__":
    main()
