from __future__ import annotations

import numpy as np
import pytest

from audience.datasets import Films
from audience.datasets.people import activity
from audience.errors import BadInput
from audience.world import Clock


def test_a_name_and_its_table_are_the_same_law() -> None:
    table = {"law": "pareto", "alpha": 1.5, "minimum": 1}
    assert (activity(500, "pareto", 3) == activity(500, table, 3)).all()


@pytest.mark.parametrize(("alpha", "minimum"), [(3.0, 1.0), (3.0, 0.0), (10.0, 0.0), (2.5, 4.0)])
def test_levels_have_their_own_shape_and_minimum(alpha: float, minimum: float) -> None:
    levels = activity(200_000, {"law": "pareto", "alpha": alpha, "minimum": minimum}, 1)
    assert levels.mean() == pytest.approx(1.0, abs=0.03)
    mean = minimum - 1.0 + alpha / (alpha - 1.0)
    assert levels.min() == pytest.approx(max(minimum / mean, 0.0001), abs=2e-3)
    median = (minimum - 1.0 + 2.0 ** (1.0 / alpha)) / mean
    assert np.median(levels) == pytest.approx(median, rel=0.02)


def test_a_law_without_a_mean_is_left_as_it_is() -> None:
    levels = activity(1000, {"law": "pareto", "alpha": 0.5}, 1)
    assert levels.min() >= 1.0


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ({"law": "parreto"}, "did you mean 'pareto'"),
        ({"law": "pareto", "alpha": 0}, "an alpha above 0"),
        ({"law": "pareto", "shape": 2}, "give law, alpha and minimum"),
        ("parreto", "did you mean 'pareto'"),
    ],
)
def test_a_law_that_is_none_is_refused(law: object, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Films(activity=law).genesis(5, 1, Clock())  # type: ignore[arg-type]
