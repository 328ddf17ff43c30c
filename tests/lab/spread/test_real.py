from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.spread import real, report as telling
from audience.lab.spread.real import FittedSpread, SpreadModel
from audience.results import Interval
from audience.world import Floats

HIGGS = Path(__file__).parents[4] / "shared" / "data" / "higgs"


def wave(hours: int = 100, onset: int = 40, speed: float = 0.08) -> Floats:
    """Return a slow beginning and, from the onset on, a rise that comes to its end."""
    slow = np.arange(hours) * 10.0
    since = np.maximum(np.arange(hours) - onset, 0)
    return np.round(slow + 50_000 * (1.0 - np.exp(-speed * since)))


def saturating(values: Sequence[float], steps: int, seed: int) -> Floats:
    strength, speed, known = values
    shape: Floats = strength * (1.0 - np.exp(-speed * np.arange(steps + 1)))
    return shape + 1e-6 * seed * known


TOY = SpreadModel(
    "toy",
    saturating,
    {"strength": (0.2, 0.5, 0.9), "speed": (0.02, 0.04, 0.08, 0.16), "at once": (0.1, 0.2)},
)


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / real.FILE).write_text(text, "utf-8")
    return tmp_path


def test_a_curve_is_read_from_a_folder_or_a_file(tmp_path: Path) -> None:
    rows = "\n".join(f"{hour},{hour * 7}" for hour in range(30))
    folder = written(tmp_path, f"hour,active_users\n{rows}\n\n")
    assert real.curve_in(folder).tolist() == [hour * 7.0 for hour in range(30)]
    assert len(real.curve_in(folder / real.FILE)) == 30


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hour,n\n0,1\n1,x\n", "line 3: 'x' is not a number"),
        ("hour,n\n0,1\n1,nan\n", "line 3: 'nan' is not a finite number"),
        ("hour,n\n0,1\n1,2\n", "has 2 hours"),
        ("\n".join(f"{hour},{30 - hour}" for hour in range(30)), "never fall"),
        ("\n".join(f"{hour},5" for hour in range(30)), "never fall"),
    ],
)
def test_a_file_that_is_no_curve_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        real.curve_in(written(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        real.curve_in(tmp_path)


def test_the_onset_is_found_in_the_fitted_hours() -> None:
    truth = real.truth_of(wave())
    assert (truth.hours, truth.onset, truth.fitted) == (100, 40, 20)
    assert truth.counts[0] == 0.0
    assert truth.most == wave()[-1]
    other = wave()
    other[70:] += 10_000_000  # what is predicted tells nothing of where it began
    assert real.truth_of(other).onset == 40
    with pytest.raises(BadInput, match="too close"):
        real.truth_of(wave(onset=58))


def test_a_model_is_fitted_on_the_first_hours_alone() -> None:
    truth = real.truth_of(wave())
    best, error = real.fitted(TOY, truth, (1, 2))
    assert best[1] == 0.08
    assert error < 1e-4
    spoilt = wave()
    spoilt[60:] *= 3
    again, _ = real.fitted(TOY, real.truth_of(spoilt), (1, 2))
    assert again == best


def test_a_model_that_has_the_truth_predicts_it() -> None:
    truth = real.truth_of(wave())
    found = real.scored(TOY, truth, fitting=(1,), testing=(5, 6, 7))
    assert found.msed.mean < 1e-3
    assert found.correlation.mean > 0.99
    assert len(found.curves) == 3
    assert len(found.curves[0]) == len(truth.counts)
    assert real.unmoved(truth).msed.mean > found.msed.mean


def test_intervals_hold_only_what_is_possible() -> None:
    truth = real.truth_of(wave())

    def unsteady(values: Sequence[float], steps: int, seed: int) -> Floats:
        rise = saturating(values, steps, seed)
        return rise if seed % 2 else rise[-1] * (1.0 - np.exp(-np.arange(steps + 1.0)))

    model = SpreadModel(
        "unsteady", unsteady, {"strength": (0.5,), "speed": (0.08,), "at once": (0.1,)}
    )
    score = real.scored(model, truth, fitting=(1,), testing=(101, 102, 103))
    assert score.msed.low >= 0.0
    assert -1.0 <= score.correlation.low <= score.correlation.high <= 1.0


def scored(name: str, mean: float, half: float = 0.001) -> FittedSpread:
    band = Interval(mean, mean - half, mean + half)
    return FittedSpread(name, {"x": 1.0}, 0.1, band, band, ((0.0, 1.0),))


@pytest.mark.parametrize(
    ("ours", "words"),
    [(0.001, "better than"), (0.0195, "as well as"), (0.05, "worse than")],
)
def test_the_sentence_follows_from_the_numbers(ours: float, words: str) -> None:
    rows = [scored("a", 0.02), scored("b", 0.03), scored(real.RULE, ours)]
    assert words in telling.verdict(rows)
    assert "of a" in telling.verdict(rows)
    assert telling.verdict(rows[:2]) == ""


def test_everything_is_written(tmp_path: Path) -> None:
    truth = real.truth_of(wave())
    rows = [real.unmoved(truth), real.scored(TOY, truth, fitting=(1,), testing=(5, 6))]
    paths = telling.write(truth, rows, 100, "random", (5, 6), tmp_path / "out")
    names = {"result.json", "table.md", "curves.csv", "figure.png", "figure.svg"}
    assert {path.name for path in paths} == names
    found = json.loads((tmp_path / "out" / "result.json").read_text())
    assert found["onset"] == 40
    assert found["models"][0]["correlation"]["mean"] is None
    lines = (tmp_path / "out" / "curves.csv").read_text().splitlines()
    assert lines[0] == "hour,real,nobody more,toy"
    assert len(lines) == 1 + len(truth.counts)


def test_every_model_begins_at_nobody_and_rises() -> None:
    for model in real.models(200):
        strength, speed, *_ = model.grids.values()
        waning = (0.0,) if "news_wane" in model.grids else ()
        shape = model.shape((strength[-2], speed[-2], 0.05, *waning), 12, 1)
        assert len(shape) == 13
        assert shape[0] == 0.0
        assert (np.diff(shape) >= 0.0).all()
        assert 0.05 < shape[-1] <= 1.0
        assert not math.isnan(shape.sum())


@pytest.mark.skipif(not HIGGS.is_dir(), reason="the Higgs curve is not at hand")
def test_the_real_curve_takes_off_where_the_news_broke() -> None:
    truth = real.truth_of(real.curve_in(HIGGS))
    assert (truth.hours, truth.onset, truth.fitted) == (168, 76, 24)
