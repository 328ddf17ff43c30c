"""Scores of any scale and with gaps, as one row that can be rounded and ranked."""

from __future__ import annotations

import numpy as np

from audience.recommenders.scored import Scores
from audience.world.rng import Floats


def settled(raw: Scores | Floats) -> Scores:
    """Return a row of scores with mean 0 and deviation 1; what has none comes after all others.

    The scores of other packages are probabilities, distances or logits of any size, and rounding
    to a millionth must not make them equal. A row without scores is all zeros.
    """
    there = np.isfinite(raw)
    values = raw[there].astype(np.float64)
    row = np.zeros(len(raw), np.float32)
    if not len(values):
        return row
    values -= values.mean()
    spread = float(np.sqrt((values * values).mean()))
    if spread > 0:
        values /= spread
    row[there] = values
    row[~there] = values.min() - 1.0
    return row
