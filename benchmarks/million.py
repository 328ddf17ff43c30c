"""A million people, one in a hundred awake."""

from __future__ import annotations

from benchmarks.measuring import clock, one_core, peak_gigabytes, place, row, scenario, tell, timed


def main() -> None:
    one_core()
    wanted = scenario(
        agents=1_000_000,
        rounds=1,
        activation={"method": "random", "share": 0.01, "loyalty": 0.0},
    )
    began = clock()
    with place() as folder:
        done = timed(wanted, folder)
    memory = peak_gigabytes()
    tell(
        row(
            f"1,000,000 people, 1 % awake, a round ({done.measured.totals['visits']:,.0f} visits)",
            f"{memory:.1f} GB; round {done.seconds:.1f} s, all {clock() - began:.0f} s",
            "within 12 GB",
            memory < 12.0,
            kept=("round of a million people", done.seconds, "s"),
        )
    )


if __name__ == "__main__":
    main()
