from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import forgetting_curves, forgetting_of
from audience.lab.evaluation.forgetting_figures import IMPORTANCES
from audience.log import Log
from audience.memory import forgetting
from audience.results import format_of, write_figure
from audience.runs import Remembrance, remembrance
from audience.testing.worlds import WHO, remembered


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return remembered(tmp_path_factory.mktemp("memory") / "run")


def at(run: Path, round_: int) -> Remembrance:
    with Log.open(run) as log:
        return remembrance(log, WHO, round_)


def test_curves_are_the_function_of_the_paper() -> None:
    figure = forgetting_curves((1.0, 2.0), (0.01, 0.1))
    assert len(figure.axes) == len(IMPORTANCES) * 2
    for place, axes in enumerate(figure.axes):
        weight, delta = IMPORTANCES[place // 2], (0.01, 0.1)[place % 2]
        for line, beta in zip(axes.lines, (1.0, 2.0), strict=True):
            recent = np.array(line.get_xdata(), float)
            wanted = forgetting(weight, recent, beta, delta)
            assert np.array(line.get_ydata(), float) == pytest.approx(wanted)


def test_every_long_term_thought_is_a_line_to_its_end(run: Path) -> None:
    found = at(run, 5)
    ready, alive = forgetting_of(found).axes[:2]
    long = [one for one in found.courses if one.settled]
    ends = sum(one.why in ("faded", "merged") for one in long)
    assert len(ready.lines) == len(alive.lines) == len(long) + ends
    for line in alive.lines:
        heights = np.array(line.get_ydata(), float)
        assert (np.diff(heights) <= 0).all()


def test_an_access_makes_a_thought_harder_to_forget(run: Path) -> None:
    found = at(run, 3)
    (settled,) = (one for one in found.courses if one.id == 0)
    laws = found.constants.laws
    access = settled.accesses[0]
    assert settled.readiness(access - 1, laws) > settled.readiness(access, laws)
    heights = [np.array(line.get_ydata(), float) for line in forgetting_of(found).axes[0].lines]
    assert any((np.diff(line) < -0.2).any() for line in heights)


def test_who_has_no_long_term_memory_cannot_be_drawn(run: Path) -> None:
    with pytest.raises(BadInput, match="nothing in long-term memory up to round 1"):
        forgetting_of(at(run, 1))


def test_files_are_whole_the_same_every_time_and_of_a_known_format(
    run: Path, tmp_path: Path
) -> None:
    figure = forgetting_of(at(run, 5))
    one, two = (write_figure(figure, tmp_path / f"{name}.svg").read_bytes() for name in "ab")
    assert one == two
    assert write_figure(figure, tmp_path / "c.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(BadInput, match=r"'jpg' is unknown .*known: 'pdf', 'png', 'svg'"):
        format_of(tmp_path / "c.jpg")
