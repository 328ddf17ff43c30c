"""Rule minds, memory off, 10,000 people all awake, everything logged and measured, one core."""

from __future__ import annotations

from benchmarks.measuring import everybody_awake, one_core, place, row, tell, timed


def main() -> None:
    one_core()
    with place() as folder:
        timed(everybody_awake(500, 1), folder / "warm")
        done = timed(everybody_awake(10_000, 5), folder)
    rate = done.decisions / done.seconds
    tell(
        row(
            f"10,000 people all awake, 5 rounds, {done.decisions:,} decisions",
            f"{rate:,.0f} decisions/s",
            "20,000/s on one core",
            rate >= 20_000,
        )
    )


if __name__ == "__main__":
    main()
