"""Reference curves, folders of curves, and cascades with a graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents.rule import RuleMind
from audience.errors import BadInput
from audience.lab.spread import (
    CascadeFits,
    Society,
    cascades_in,
    models_on,
    reference_fits,
    scored,
    truth_of,
    unmoved,
    wins,
    write_cascades,
)
from audience.lab.spread.real import DISCOVERY, SpreadModel, anybody, society, tried
from audience.lab.spread.reference_curves import BASS, LOGISTIC, bass, logistic
from audience.world import Floats, rng


def logistic_wave(hours: int = 80) -> Floats:
    return np.round(9_000.0 * logistic(np.arange(hours, dtype=np.float64), 0.25, 25.0))


def test_each_reference_finds_its_own_curve() -> None:
    hours = np.arange(80, dtype=np.float64)
    for name, curve in (
        (LOGISTIC, logistic_wave()),
        (BASS, np.round(9_000.0 * bass(hours, 0.01, 0.2))),
    ):
        truth = truth_of(curve)
        rows = {row.name: row for row in reference_fits(truth)}
        assert rows[name].msed.mean < 1e-3
        assert rows[name].msed.mean < unmoved(truth).msed.mean
        assert rows[name].correlation.mean > 0.99


def test_curves_begin_at_nobody() -> None:
    hours = np.arange(5, dtype=np.float64)
    assert logistic(hours, 0.5, 10.0)[0] == bass(hours, 0.01, 0.3)[0] == 0.0


def test_news_that_wanes_reaches_fewer() -> None:
    people = society(200, 1)
    seeds = anybody(200, 10, 1)
    rules = {"news_tell": 0.5}
    lasting = tried(people, DISCOVERY, seeds, 12, 1, attention=0.3, rules=rules)
    waning = tried(
        people, DISCOVERY, seeds, 12, 1, attention=0.3, rules={**rules, "news_wane": 0.8}
    )
    assert waning.active[-1] < lasting.active[-1]
    assert waning.active[0] == lasting.active[0]
    assert RuleMind().parameters.news_wane == 0.0


def curves(folder: Path) -> Path:
    for name, rate in (("slow", 0.15), ("fast", 0.5)):
        counts = 900.0 * logistic(np.arange(50, dtype=np.float64), rate, 14.0)
        rows = "\n".join(f"{hour},{count:.0f}" for hour, count in enumerate(counts))
        (folder / f"{name}.csv").write_text(f"hour,active\n{rows}\n", "utf-8")
    (folder / "short.csv").write_text("hour,active\n0,1\n1,2\n", "utf-8")
    return folder


def test_a_folder_of_curves_is_read_and_what_is_too_short_is_named(tmp_path: Path) -> None:
    found, notes = cascades_in(curves(tmp_path))
    assert [cascade.name for cascade in found] == ["fast", "slow"]
    assert len(notes) == 1
    assert notes[0].startswith("short.csv is left out")


def published(folder: Path, *, apart: str) -> Path:
    """Write cascades and a graph as diffusion repositories do."""
    draw = rng(6, "cascades")
    lines = []
    for size in (90, 70, 10):
        users = draw.permutation(150)[:size]
        times = np.sort(1_000_000.0 + 3_000.0 / (1.0 + np.exp(-draw.normal(0.0, 1.5, size))))
        steps = zip(users.tolist(), times.tolist(), strict=True)
        if apart == ",":
            lines.append(" ".join(f"{who},{at:.0f}" for who, at in steps))
        else:
            lines.append(f"{users[0]} " + " ".join(f"{who} {at:.0f}" for who, at in steps))
    (folder / "cascade.txt").write_text("\n".join(lines) + "\n", "utf-8")
    ties = {(int(a), int(b)) for a, b in draw.integers(0, 150, (900, 2)) if a != b}
    (folder / "edges.txt").write_text("\n".join(f"{a},{b}" for a, b in sorted(ties)), "utf-8")
    return folder


@pytest.mark.parametrize("apart", [",", " "])
def test_cascades_with_their_graph_are_read(tmp_path: Path, apart: str) -> None:
    found, notes = cascades_in(published(tmp_path, apart=apart), 120)
    assert [int(cascade.curve[-1]) for cascade in found] == [90, 70]
    assert notes == ["1 cascades of fewer than 50 people left out"]
    where = found[0].where
    assert where is not None
    assert where.people == 120
    assert where.ties is not None
    assert len(where.ties.others) > 100
    assert where.seeds(0.05, 1) == (0, 1, 2, 3, 4, 5)
    assert len(where.genesis(1).profiles) == 120


def coarse(model: SpreadModel) -> SpreadModel:
    """Return a model that is fitted among two values of each parameter."""
    return replace(model, grids={name: grid[1:3] for name, grid in model.grids.items()})


def test_models_run_on_the_published_graph_and_wins_are_counted(tmp_path: Path) -> None:
    found, notes = cascades_in(published(tmp_path, apart=","), 100)
    fits = []
    for cascade in found:
        truth = truth_of(cascade.curve)
        assert cascade.where is not None
        rows = [unmoved(truth), *reference_fits(truth)]
        rows += [
            scored(coarse(model), truth, fitting=(1,), testing=(101,))
            for model in models_on(cascade.where)
        ]
        fits.append(CascadeFits(cascade.name, truth, tuple(rows)))
    table = wins(fits)
    names = [row[0] for row in table.rows]
    assert names[:3] == ["nobody more", LOGISTIC, BASS]
    assert names[-1] == "rule minds"
    assert sum(int(str(row[3]).split()[0]) for row in table.rows) == 2
    written = write_cascades(fits, notes, (101,), tmp_path / "out")
    assert {path.name for path in written} >= {"result.json", "table.md", "errors.csv"}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"notes.md": "nothing"}, "no curve found"),
        ({"cascade.txt": "a,1 b,soon\n"}, r"cascade.txt: line 1: .*write user,time"),
        ({"cascade.txt": "a,1 b,2\n"}, "no cascade has 50 people or more"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, files: dict[str, str], told: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(BadInput, match=told):
        cascades_in(tmp_path)


def two_waves() -> Floats:
    hours = np.arange(60, dtype=np.float64)
    first = 600.0 * logistic(hours, 0.9, 6.0)
    return np.round(first + 500.0 * logistic(np.maximum(hours - 20.0, 0.0), 0.9, 5.0))


def test_a_second_wave_within_the_known_hours_is_found_and_told_anew() -> None:
    truth = truth_of(two_waves())
    assert 18 <= truth.onset + truth.second <= 26
    assert truth_of(logistic_wave()).second == 0
    plain, waved = (models_on(Society(80), second)[-1] for second in (0, truth.second))
    assert "tell it anew" not in plain.grids
    assert "tell it anew" in waved.grids
    once = waved.shape((0.0, 0.3, 0.05, 0.2, 0.0), 30, 1)
    twice = waved.shape((0.0, 0.3, 0.05, 0.2, 0.1), 30, 1)
    assert np.array_equal(once[: truth.second], twice[: truth.second])
    assert twice[-1] > once[-1]


def test_a_topic_raised_again_is_one_topic() -> None:
    told = tried(society(60, 1), DISCOVERY, (1, 2), 8, 1, again=(5, (7, 8, 9)))
    assert told.topic == DISCOVERY.name
    assert told.active[4] >= told.active[3] + 1 / 60
