"""Branching a run of 10,000 people; an empty branch has its parent's digest."""

from __future__ import annotations

from audience.runs import branch, resume
from benchmarks.measuring import clock, everybody_awake, place, row, tell, timed


def main() -> None:
    with place() as folder:
        parent = timed(everybody_awake(10_000, 6), folder)
        began = clock()
        branch(folder / "run", folder / "branch", 3)
        seconds = clock() - began
        child = resume(folder / "branch")
    same = child.measured.digest == parent.measured.digest
    tell(
        row(
            "branch a 10,000-people run at round 3",
            f"{seconds:.2f} s",
            "under 1 s",
            seconds < 1.0,
            kept=("branch", seconds, "s"),
        ),
        row(
            "an empty branch, run to the end",
            "equal" if same else "differs",
            "parent's digest",
            same,
        ),
    )


if __name__ == "__main__":
    main()
