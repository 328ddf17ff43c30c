from __future__ import annotations

import numpy as np

from audience.lab.evaluation import evaluate, recall_by_age


def test_every_kind_has_a_panel_with_its_shares() -> None:
    found = evaluate(("last", "none"), people=2, rounds=16, seeds=1)
    figure = recall_by_age(found)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["last", "none"]
    cells = [one for one in found.scores[0].cells if one.important and one.often]
    line = np.array(figure.axes[0].lines[0].get_ydata(), float)
    assert line.tolist() == [one.recalled.mean for one in cells]
    assert all(np.array(one.get_ydata(), float).sum() == 0 for one in figure.axes[1].lines)
