"""Adam: steps against slopes, each as long as its weight is sure of the direction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from audience.recommenders.scored import Scores


class Adam:
    """Moves named weights in place (Kingma and Ba 2015)."""

    def __init__(self, weights: Mapping[str, Scores], rate: float) -> None:
        self.weights = weights
        self.rate = rate
        self.taken = 0
        self._mean = {name: np.zeros_like(one) for name, one in weights.items()}
        self._square = {name: np.zeros_like(one) for name, one in weights.items()}

    def step(self, slopes: Mapping[str, Scores]) -> None:
        """Take one step against the slopes."""
        self.taken += 1
        size = np.float32(self.rate * np.sqrt(1 - 0.999**self.taken) / (1 - 0.9**self.taken))
        for name, slope in slopes.items():
            mean, square = self._mean[name], self._square[name]
            mean *= np.float32(0.9)
            mean += np.float32(0.1) * slope
            square *= np.float32(0.999)
            square += np.float32(0.001) * (slope * slope)
            move = np.sqrt(square)
            move += np.float32(1e-8)
            np.divide(mean, move, out=move)
            move *= size
            self.weights[name][...] -= move
