from __future__ import annotations

import io
import math
import signal

import pytest

from audience.cli.screen import Bar, reading, stoppable, summary_table
from audience.results import Arm, Findings, Measured, differences, to_rich
from audience.terminal import Console


def findings(first: list[float], second: list[float]) -> Findings:
    arms = tuple(
        Arm(name, tuple(Measured("", n, "", {"picks": v}, (), {}) for n, v in enumerate(values)))
        for name, values in (("old", first), ("new", second))
    )
    return Findings("t", arms, differences(arms, ["picks"]), "v", "", {})


def drawn(found: Findings) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(to_rich(summary_table(found, ["picks", "not measured"])))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()[-1]


@pytest.mark.parametrize(
    ("first", "second", "difference"),
    [
        ([100.0, 110.0, 120.0], [201.0, 209.0, 220.0], "+100.0 ± 2.5*"),
        ([0.31, 0.35], [0.30, 0.30], "−0.03 ± 0.25"),
        ([1.0, 1.0], [1.0, 1.0], "0 ± 0"),
        ([1.0, 2.0], [1.2, 2.2], "+0.200 ± 0.000"),
        ([1.0, 2.0, 3.0], [1.2, 2.2, 3.2], "+0.200 ± 0.000*"),
        ([10_000.0, 20_000.0], [15_000.0, 21_000.0], "+3,000 ± 25,412"),
        ([5.0], [8.0], "+3"),
        ([math.nan], [8.0], "–"),
    ],
)
def test_a_difference_has_the_digits_its_interval_supports(
    first: list[float], second: list[float], difference: str
) -> None:
    assert drawn(findings(first, second)).rstrip().endswith(f" {difference}")


def test_progress_counts_the_rounds_of_all_runs_also_when_taken_up_in_the_middle() -> None:
    console = Console(file=io.StringIO(), width=120)
    with Bar(console, total_runs=2, rounds=4) as bar:
        bar.begin("one", 4, 10)
        bar.advance(3, 5, 5)
        bar.advance(4, 0, 5)
        bar.end()
        bar.begin("two", 4, 10)
        bar.advance(1, 0, 5)
        bar.advance(2, 5, 5)
    assert isinstance(console.file, io.StringIO)
    assert "5/8" in console.file.getvalue()


def test_the_first_signal_asks_and_the_second_stops_at_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable() as stopping:
        assert not stopping()
        signal.raise_signal(signal.SIGINT)
        assert stopping()
        assert "Stopping at the next commit point" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before


def test_reading_is_silent_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    with reading([]) as seen:
        seen(1)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
