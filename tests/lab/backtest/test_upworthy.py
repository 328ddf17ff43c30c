"""The Upworthy backtest, on a small archive made here and on the real one where it is."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.backtest import backtest_upworthy
from audience.lab.backtest.headline_features import FEATURES, features_of, rule_scores, word_vectors
from audience.lab.backtest.upworthy import choices, read_upworthy
from audience.world import rng

REAL = Path(__file__).parents[4] / "shared" / "data" / "backtest" / "upworthy_dev.csv.gz"
HEAD = ("test_id", "story", "week", "eyecatcher_id", "headline", "impressions", "clicks")
STARTS = ("She Saw", "Is This", "7 Ways", "Look At", "He Said", "The Town", "Nobody Knew")
ENDS = ("a Bridge", "the River and All Its Old Boats", "a Song?", "snow", "the Last Train Home!")


def made(path: Path, stories: int = 150) -> Path:
    """Write tests in which headlines about a person are clicked more, and questions less."""
    draw = rng(2, "headlines")
    rows = []
    for story in range(stories):
        for arm in range(4):
            headline = f"{STARTS[draw.integers(7)]} {ENDS[draw.integers(5)]}"
            rate = 0.02 * (1.0 + 0.5 * headline.startswith(("She", "He")) - 0.4 * ("?" in headline))
            clicks = int(draw.binomial(5000, rate))
            rows.append((f"t{story}", f"s{story}", 201402, "e", headline, 5000, clicks))
            del arm
    rows.append(("t0", "s0", 201330, "e", "Not Randomised", 5000, 4000))
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEAD, *rows])
    return path


def test_features_tell_what_is_seen_at_a_glance() -> None:
    row = dict(zip(FEATURES, features_of(["Why Did She Give 3 Cats Away?"])[0], strict=True))
    told = {name for name, value in row.items() if value == 1.0}
    assert told == {"question", "number", "person", "question word", "sentences"}
    assert row["words"] == 6
    rules = rule_scores(features_of(["a", "abc"]))
    assert rules["longest"].argmax() == 1
    assert rules["shortest"].argmax() == 0
    vectors = word_vectors(["one two", "one three"] * 5)
    assert np.allclose((vectors**2).sum(axis=1), 1.0)


def test_equal_headlines_share_a_choice() -> None:
    chosen = choices(np.array([1.0, 1.0, 0.0, 2.0, 3.0]), np.array([0, 0, 0, 1, 1]))
    assert chosen.tolist() == [0.5, 0.5, 0.0, 0.0, 1.0]


def test_weeks_that_were_not_randomised_are_left_out_and_stories_stay_whole(tmp_path: Path) -> None:
    tests, _, left_out = read_upworthy(made(tmp_path / "upworthy.csv"))
    assert left_out == 1
    assert "Not Randomised" not in tests.headlines
    parts = tests.parts(1)
    assert np.stack(parts).sum(axis=0).tolist() == [1] * len(tests.headlines)
    owners = [
        {story for story, there in zip(tests.stories, part, strict=True) if there} for part in parts
    ]
    assert not owners[0] & owners[1]
    assert not (owners[0] | owners[1]) & owners[2]


def test_readers_order_the_policies(tmp_path: Path) -> None:
    found = backtest_upworthy(made(tmp_path / "upworthy.csv"))
    rows = {row.name: row for row in found.policies}
    assert rows["person"].real.low > 0.0 > rows["question"].real.high
    assert rows["person"].predicted > 0.0 > rows["question"].predicted
    assert found.predictors[0].tau.mean > 0.5
    assert any("Over 8 other splits" in line for line in found.remarks)


def test_a_file_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "upworthy.csv").write_text("story,week\n1,2\n", "utf-8")
    with pytest.raises(BadInput, match="column 'eyecatcher_id' is missing"):
        read_upworthy(tmp_path / "upworthy.csv")


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_file(), reason="the Upworthy archive is not there")
def test_the_real_archive_is_ordered_better_than_by_ridge_regression() -> None:
    found = backtest_upworthy(REAL)
    by_name = {each.predictor: each for each in found.predictors}
    rules = by_name["audience, rules only"]
    assert rules.tau.mean > 0.45
    assert rules.right >= 0.9 * rules.pairs
    assert 0.5 < rules.slope < 1.5
