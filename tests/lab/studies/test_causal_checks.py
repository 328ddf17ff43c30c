"""What the checks of causal discovery say where the truth is planted."""

from __future__ import annotations

import numpy as np
from tests.lab.studies.planted import planted as findings_of

from audience.lab.studies import find
from audience.lab.studies.causal import (
    PICKED,
    QUALITY,
    RATING,
    SHOWN,
    blame,
    counted,
    planted,
    resampled,
    right,
)
from audience.world import Floats, rng


def table(seed: int, items: int = 500) -> Floats:
    """Return a table in which all five depend on each other as they should."""
    draw = rng(seed, "table")
    quality, past, shown, picked, rating = draw.laplace(size=(5, items))
    past += 0.7 * quality
    shown += 0.8 * past
    picked += 0.6 * quality + 0.8 * shown
    rating += 0.9 * quality
    return np.stack([quality, past, shown, picked, rating], axis=1)


def test_an_arrow_that_is_there_is_found_in_nearly_all_resamples() -> None:
    shares = resampled(table(1), 1)
    assert shares.shape == (5, 5)
    for cause, effect in ((QUALITY, PICKED), (QUALITY, RATING), (SHOWN, PICKED)):
        assert shares[effect, cause] >= 0.8
        assert shares[cause, effect] <= 0.2
    assert not np.diagonal(shares).any()


def test_planted_tables_are_found_again_with_laplace_noise_and_by_chance_with_gaussian() -> None:
    found = {
        noise: np.mean([right(planted(table(1), rng(n, noise), noise)) for n in range(20)])
        for noise in ("laplace", "normal")
    }
    assert found["laplace"] > 0.9
    assert 0.15 < found["normal"] < 0.85


def test_planted_tables_have_the_strengths_of_the_log() -> None:
    rows = table(2)
    made = planted(rows, rng(1, "made"), "laplace")
    assert made.shape == rows.shape
    for one, two in ((QUALITY, RATING), (SHOWN, PICKED)):
        there = np.corrcoef(rows[:, one], rows[:, two])[0, 1]
        assert abs(np.corrcoef(made[:, one], made[:, two])[0, 1] - there) < 0.15


def test_counts_are_of_what_was_shown_and_only_of_what_was_picked() -> None:
    draw = rng(3, "items")
    shown = draw.integers(1, 12, 400)
    items = np.stack([draw.random(400), draw.poisson(3.0, 400), shown, shown // 4], axis=1)
    few, many = (counted(items.astype(np.float64), rng(1, "counted"), times) for times in (1, 25))
    assert few.shape[1] == many.shape[1] == 5
    assert len(few) < len(many) <= 400
    assert (np.expm1(few[:, PICKED]) >= 0.999).all()
    assert (few[:, PICKED] <= few[:, SHOWN] + 1e-9).all()
    assert np.expm1(many[:, SHOWN]).mean() > 20 * np.expm1(few[:, SHOWN]).mean()
    assert ((few[:, RATING] >= 1) & (few[:, RATING] <= 5)).all()


def test_what_is_to_blame_follows_from_the_numbers() -> None:
    recipe = find("causal")

    def told(log: float, made: float, few: float, often: float) -> str:
        names = ("known_right", "planted_right", "counted_right", "often_right")
        levels = dict(zip(names, (log, made, few, often), strict=True))
        return blame(findings_of(recipe, {"popular": levels}), "popular")

    assert "could not be shown to do worse" in told(0.9, 0.9, 0.9, 0.9)
    assert "do not explain it" in told(0.3, 0.9, 0.9, 0.9)
    assert "if counts are this small" in told(0.3, 0.9, 0.3, 0.9)
    assert "larger counts would not help" in told(0.3, 0.9, 0.3, 0.3)
