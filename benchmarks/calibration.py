"""A fixed piece of work, timed between benchmarks: how fast this machine is at that moment."""

from __future__ import annotations

import statistics
from hashlib import blake2b

import numpy as np

from benchmarks.measuring import clock

_TURNS, _OBJECTS, _SIZE = 3, 60_000, 96


def calibrate() -> float:
    """Return the seconds of the work, as the median of three turns."""
    return statistics.median(_timed() for _ in range(_TURNS))


def _timed() -> float:
    began = clock()
    _work()
    return clock() - began


def _work() -> float:
    """Make, sort, group and hash small objects, and multiply matrices, as a run does."""
    pairs = [(number * 7919 % 10_007, {"place": number}) for number in range(_OBJECTS)]
    pairs.sort(key=lambda pair: pair[0])
    groups: dict[int, list[int]] = {}
    for key, fields in pairs:
        groups.setdefault(key % 997, []).append(fields["place"])
    digest = blake2b(digest_size=16)
    for key, places in groups.items():
        digest.update(f"{key}:{sum(places)}".encode())
    matrix = np.arange(_SIZE * _SIZE, dtype=np.float64).reshape(_SIZE, _SIZE) / _SIZE
    for _ in range(40):
        matrix = np.tanh(matrix @ matrix.T / _SIZE)
    return float(matrix.sum()) + digest.digest()[0]
