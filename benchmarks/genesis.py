"""Making 100,000 people with ties."""

from __future__ import annotations

from audience.datasets import Films
from audience.world import Clock
from benchmarks.measuring import clock, one_core, row, tell


def main() -> None:
    one_core()
    Films().genesis(100, 1, Clock())
    began = clock()
    genesis = Films().genesis(100_000, 1, Clock())
    seconds = clock() - began
    what = f"100,000 people, {len(genesis.ties.others):,} ties, {len(genesis.past):,} past items"
    kept = ("genesis", seconds, "s")
    tell(row(what, f"{seconds:.2f} s", "under 5 s", seconds < 5.0, kept=kept))


if __name__ == "__main__":
    main()
