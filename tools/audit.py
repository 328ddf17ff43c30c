"""Looks up the pinned dependencies among known vulnerabilities, where a source can be reached."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
NOTICE = 8.0
"""Seconds in which a source must have told about one package."""
LONGEST = 300.0


def audited(lines: list[str], seconds: float) -> list[dict[str, Any]]:
    """Return what a source tells about pinned packages, without those it does not know."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines))
        file.flush()
        command = ["pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", *command, "--timeout", "3", "-f", "json", "-r", file.name],
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
            packages = json.loads(done.stdout)["dependencies"]
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            return []
    return [package for package in packages if "vulns" in package]


def main() -> int:
    """Print what is known, or that nobody could be asked; return 1 if something is vulnerable."""
    pinned = CONSTRAINTS.read_text("utf-8").split()
    told = audited(pinned, LONGEST) if audited(pinned[:1], NOTICE) else []
    if not told:
        print("no source of vulnerabilities can be reached here: dependencies are not audited")
        return 0
    wrong = [package for package in told if package["vulns"]]
    for package in wrong:
        names = ", ".join(vulnerability["id"] for vulnerability in package["vulns"])
        print(f"{package['name']} {package['version']}: {names}")
    print(f"{len(told)} of {len(pinned)} dependencies audited, {len(wrong)} vulnerable")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
