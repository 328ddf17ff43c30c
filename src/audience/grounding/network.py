"""A small network over evidence that tells taken items from others, and its fit."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.recommenders import one_thread
from audience.world import Floats, rng

Values = NDArray[np.float32]
CLIP = np.float32(5.0)
_LISTS = 128
_RATE, _DECAY = 3e-3, 1e-3
_POINTWISE = np.float32(0.3)
"""Weight of the binary loss per item, beside the choice within its list."""


class Net(msgspec.Struct, frozen=True, eq=False):
    """The weights of the network; inputs are centred and scaled first."""

    middle: Values
    scale: Values
    inner: Values
    inner_bias: Values
    outer: Values
    direct: Values
    bias: float

    def score(self, values: Values) -> Floats:
        """Return a score for each row of evidence, independent of the other rows."""
        scaled = standard(values, self.middle, self.scale)
        # Sums in a fixed order: a matrix product's last bits depend on the number of rows.
        hidden = np.repeat(self.inner_bias[None, :], len(scaled), axis=0)
        found = np.full(len(scaled), self.bias)
        for column in range(scaled.shape[1]):
            hidden += scaled[:, column, None] * self.inner[column]
            found += scaled[:, column] * self.direct[column]
        np.maximum(hidden, 0.0, out=hidden)
        for unit in range(hidden.shape[1]):
            found += hidden[:, unit] * self.outer[unit]
        return found


def standard(values: Values, middle: Values, scale: Values) -> Values:
    """Return evidence centred, scaled and clipped."""
    return np.asarray(np.clip((values - middle) * scale, -CLIP, CLIP), np.float32)


def fit_net(
    lists: Values, *, seed: int, hidden: int = 48, epochs: int = 6, inputs: float = 1.0
) -> Net:
    """Return the network that tells the first of each list [lists, items, names] from the rest."""
    flat = lists.reshape(-1, lists.shape[2])
    middle, spread = flat.mean(axis=0, dtype=np.float64), flat.std(axis=0, dtype=np.float64)
    scale = np.where(spread > 1e-6, 1.0 / np.maximum(spread, 1e-6), 0.0).astype(np.float32)
    scaled = standard(lists, middle.astype(np.float32), scale)
    draws = rng(seed, "grounding", "net")
    names = lists.shape[2]
    parts = [
        draws.normal(0.0, inputs / np.sqrt(names), (names, hidden)).astype(np.float32),
        np.zeros(hidden, np.float32),
        draws.normal(0.0, 0.3 / np.sqrt(hidden), hidden).astype(np.float32),
        np.zeros(names, np.float32),
        np.zeros(1, np.float32),
    ]
    descent = _Descent(parts, epochs * -(-len(lists) // _LISTS))
    with one_thread():
        for _ in range(epochs):
            order = draws.permutation(len(lists))
            for start in range(0, len(lists), _LISTS):
                descent.step(_slopes(parts, scaled[order[start : start + _LISTS]]))
    inner, inner_bias, outer, direct, bias = parts
    centre = middle.astype(np.float32)
    return Net(centre, scale, inner, inner_bias, outer, direct, float(bias[0]))


def _slopes(parts: list[Values], lists: Values) -> list[Values]:
    """Return the gradient of the loss for a batch of lists."""
    inner, inner_bias, outer, direct, bias = parts
    rows = lists.reshape(-1, lists.shape[2])
    before = rows @ inner + inner_bias
    hidden = np.maximum(before, 0.0)
    scores = (hidden @ outer + rows @ direct + bias).reshape(lists.shape[:2])
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[:, 0] -= 1.0
    sure = 1.0 / (1.0 + np.exp(-scores))
    sure[:, 0] -= 1.0
    # A positive weighs as much as all negatives of its list.
    sure[:, 1:] /= lists.shape[1] - 1
    wrong = (chances + _POINTWISE * sure) / len(lists)
    back = wrong.reshape(-1)
    through = back[:, None] * outer * (before > 0.0)
    return [rows.T @ through, through.sum(axis=0), hidden.T @ back, rows.T @ back, back.sum()[None]]


class _Descent:
    """Adam with step sizes that decay to zero."""

    def __init__(self, parts: list[Values], steps: int) -> None:
        self.parts = parts
        self.steps = steps
        self.done = 0
        self.means = [np.zeros_like(part) for part in parts]
        self.squares = [np.zeros_like(part) for part in parts]

    def step(self, slopes: list[Values]) -> None:
        """Take a gradient step."""
        rate = np.float32(_RATE * (1.0 - self.done / self.steps))
        self.done += 1
        first, second = 1.0 - 0.9**self.done, 1.0 - 0.999**self.done
        for part, slope, mean, square in zip(
            self.parts, slopes, self.means, self.squares, strict=True
        ):
            whole = slope + np.float32(_DECAY) * part
            mean += np.float32(0.1) * (whole - mean)
            square += np.float32(0.001) * (whole * whole - square)
            part -= (
                rate
                * (mean / np.float32(first))
                / (np.sqrt(square / np.float32(second)) + np.float32(1e-8))
            )
