"""Shared parts of the adapters: required packages, and normalised scores."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from audience.errors import BadInput
from audience.recommenders.scored import Scores
from audience.world import Floats


def needed(package: str, kind: str) -> Any:  # noqa: ANN401
    """Return a package; raise BadInput with how to install it."""
    if find_spec(package) is None:
        raise BadInput(
            f"recommender {kind!r} needs the package {package}; install it with "
            f"pip install 'audience[{kind}]'"
        )
    return import_module(package)


def settled(raw: Scores | Floats) -> Scores:
    """Return a row of scores with mean 0 and deviation 1; missing ones come last.

    Scores of other packages are probabilities, distances or logits of any scale, and rounding to a
    millionth must not make them equal. A row without scores is all zeros.
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
