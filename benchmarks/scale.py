"""The decision rate at 100,000 people against that at 10,000, in one process."""

from __future__ import annotations

from benchmarks.measuring import everybody_awake, one_core, peak_gigabytes, place, row, tell, timed


def main() -> None:
    one_core()
    rates: dict[int, list[float]] = {}
    for agents in (10_000, 100_000, 10_000):
        with place() as folder:
            done = timed(everybody_awake(agents, 2), folder)
        rates.setdefault(agents, []).append(done.decisions / done.seconds)
    small, large = sum(rates[10_000]) / 2, rates[100_000][0]
    share = large / small
    tell(
        row(
            f"100,000 people all awake, 2 rounds ({peak_gigabytes():.1f} GB)",
            f"{large:,.0f} decisions/s, {share:.0%} of 10,000's before and after",
            "at least 80 %",
            share >= 0.8,
            kept=("decisions of 100,000 people", large, "decisions/s"),
        )
    )


if __name__ == "__main__":
    main()
