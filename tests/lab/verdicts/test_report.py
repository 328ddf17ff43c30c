from __future__ import annotations

import math

from audience.lab.verdicts import Verdicts
from audience.lab.verdicts.report import drawn
from audience.lab.verdicts.verdicts import VerdictRow
from audience.results import Interval


def test_each_measure_has_a_panel_with_every_recommender_and_its_mark() -> None:
    sure, lone = Interval(0.5, 0.4, 0.6, 9), Interval(0.2, math.nan, math.nan, 1)
    none = Interval(math.nan, math.nan, math.nan, 0)
    rows = tuple(
        VerdictRow(name, mark, {"likes": likes, "exit_page": sure}, {}, {})
        for name, mark, likes in (
            ("random", "", sure),
            ("ease", "circular", lone),
            ("bpr", "", none),
        )
    )
    figure = drawn(Verdicts(rows, (), (), (), {}), ("likes", "exit_page"))
    first, second = figure.axes
    assert (first.get_title("left"), second.get_title("left")) == ("likes", "exit page")
    names = [tick.get_text() for tick in first.get_yticklabels()]
    assert names == ["random", "ease (circular)", "bpr"]
    assert len(first.lines) == 3, "an interval, and a point for each that has a mean"
    assert len(second.lines) == 6
