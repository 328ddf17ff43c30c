"""A million people, one in a hundred awake: making them, a round, memory, resuming, branching."""

from __future__ import annotations

from pathlib import Path

from audience.runs import branch, prolong, resume, start
from benchmarks.measuring import (
    alone,
    clock,
    one_core,
    peak_gigabytes,
    place,
    row,
    scenario,
    tell,
)

PEOPLE, ROUNDS = 1_000_000, 3


class Laps:
    """A progress that notes when the run begins and when each round ends."""

    def __init__(self) -> None:
        self.began = clock()
        self.first = 0.0
        """Seconds until the first round begins."""
        self.laps: list[float] = []
        self._round, self._since = 0, 0.0

    def begin(self, name: str, rounds: int, agents: int) -> None:
        self._since = clock()
        self.first = self._since - self.began

    def advance(self, round_: int, done: int, total: int) -> None:
        if round_ != self._round and self._round:
            self.laps.append(clock() - self._since)
            self._since = clock()
        self._round = round_

    def spend(self, meter: object) -> None: ...

    def end(self) -> None:
        self.laps.append(clock() - self._since)


def lived(folder: Path) -> dict[str, float]:
    """Make the people, run the rounds, and return what that took."""
    one_core()
    wanted = scenario(
        agents=PEOPLE,
        rounds=ROUNDS,
        activation={"method": "random", "share": 0.01, "loyalty": 0.0},
    )
    laps = Laps()
    done = start(wanted, 1, folder / "run", progress=laps)
    return {
        "making": laps.first,
        "round": max(laps.laps),
        "gigabytes": peak_gigabytes(),
        "visits": done.measured.totals["visits"] / ROUNDS,
    }


def resumed(folder: Path) -> dict[str, float]:
    """Branch the run, resume it for one round more, and return what that took."""
    one_core()
    began = clock()
    branch(folder / "run", folder / "branch", ROUNDS - 1)
    branched = clock() - began
    prolong(folder / "run", ROUNDS + 1)
    laps = Laps()
    resume(folder / "run", progress=laps)
    return {"branch": branched, "resume": laps.first, "gigabytes": peak_gigabytes()}


def main() -> None:
    with place() as folder:
        first = alone("benchmarks.million", "lived", folder)
        again = alone("benchmarks.million", "resumed", folder)
    memory = max(first["gigabytes"], again["gigabytes"])
    visits = f"{first['visits']:,.0f} visits"
    tell(
        row(
            f"1,000,000 people, 1 % awake: the slowest of {ROUNDS} rounds ({visits})",
            f"{first['round']:.1f} s; making the people {first['making']:.0f} s",
            "within 10 s",
            first["round"] < 10.0,
            kept=("a round of a million people", first["round"], "s"),
        ),
        row(
            "the most memory of that and of resuming",
            f"{memory:.1f} GB",
            "4 GB",
            memory < 4.0,
            kept=("memory of a million people", memory, "GB"),
        ),
        row(
            "resuming it until it goes on",
            f"{again['resume']:.0f} s; branching {again['branch']:.1f} s",
            "within 60 s",
            again["resume"] < 60.0,
            kept=("resuming a million people", again["resume"], "s"),
        ),
    )


if __name__ == "__main__":
    main()
