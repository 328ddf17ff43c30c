"""Named randomness: every draw is a function of (seed, names…) alone.

A key is a 64-bit integer mix of a seed and names. `Dice` holds one key per agent, so that the draws
of ten thousand agents are one numpy call, equal to ten thousand single ones.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Generator = np.random.Generator

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_M1 = 0xBF58476D1CE4E5B9
_M2 = 0x94D049BB133111EB
_TO_UNIT = 2.0**-53


@lru_cache(maxsize=4096)
def _word(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")


def _mix(x: int) -> int:
    x = (x + _STEP) & _MASK
    x = ((x ^ (x >> 30)) * _M1) & _MASK
    x = ((x ^ (x >> 27)) * _M2) & _MASK
    return x ^ (x >> 31)


_STEPS, _FIRST, _SECOND = np.uint64(_STEP), np.uint64(_M1), np.uint64(_M2)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


def _mix_many(x: Keys) -> Keys:
    x = x + _STEPS
    x ^= x >> _30
    x *= _FIRST
    x ^= x >> _27
    x *= _SECOND
    x ^= x >> _31
    return x


def _unit(x: Keys) -> Floats:
    return (x >> np.uint64(11)).astype(np.float64) * _TO_UNIT


def key(seed: int, *names: str | int) -> int:
    """Return the 64-bit key of (seed, names…)."""
    mixed = _mix(seed & _MASK)
    for name in names:
        word = _word(name) if isinstance(name, str) else name & _MASK
        mixed = _mix(mixed ^ word)
    return mixed


def keys(seed: int, *names: str | int | Ints) -> Keys:
    """Return one key per element of the integer arrays among `names`; each equals `key(...)`."""
    first = next((at for at, name in enumerate(names) if isinstance(name, np.ndarray)), len(names))
    common = key(seed, *names[:first])  # type: ignore[arg-type]
    mixed = np.array([common], np.uint64)
    for name in names[first:]:
        if isinstance(name, np.ndarray):
            mixed = _mix_many(mixed ^ name.astype(np.uint64))
        else:
            word = _word(name) if isinstance(name, str) else name & _MASK
            mixed = _mix_many(mixed ^ np.uint64(word))
    return mixed


def rank(seed: int, *names: str | int) -> int:
    """Return a key that fits a signed 64-bit column."""
    return key(seed, *names) >> 1


class Dice:
    """Random draws for many agents: element i depends on key i and the draw's name alone."""

    __slots__ = ("keys",)

    def __init__(self, keys: Keys) -> None:
        self.keys = keys

    def __len__(self) -> int:
        return len(self.keys)

    def uniform(self, name: str) -> Floats:
        """Return one number in [0, 1) per key."""
        return _unit(_mix_many(self.keys ^ np.uint64(_word(name))))

    def uniforms(self, name: str, count: int) -> Floats:
        """Return `count` numbers in [0, 1) per key, as an array [keys, count]."""
        return _unit(self.integers(name, count))

    def several(self, counts: tuple[tuple[str, int], ...]) -> list[Floats]:
        """Return what `uniforms` does for several names and counts, all drawn at once."""
        words, names, numbers, ends = _layout(counts)
        named = _mix_many(self.keys[:, None] ^ words)
        drawn = _unit(_mix_many(named.take(names, axis=1) ^ numbers))
        return [drawn[:, begin:end] for begin, end in ends]

    def integers(self, name: str, count: int) -> Keys:
        """Return `count` 64-bit integers per key, as an array [keys, count]."""
        named = _mix_many(self.keys ^ np.uint64(_word(name)))
        return _mix_many(named[:, None] ^ np.arange(1, count + 1, dtype=np.uint64)[None, :])

    def bell(self, name: str, count: int = 1) -> Floats:
        """Return `count` roughly normal numbers (mean 0, variance 1) per key: sums of uniforms."""
        return bells(self.uniforms(name, 4 * count))

    def pick(self, rows: Ints) -> Dice:
        """Return the dice of the chosen rows."""
        return Dice(self.keys[rows])


@lru_cache(maxsize=64)
def _layout(
    counts: tuple[tuple[str, int], ...],
) -> tuple[Keys, Ints, Keys, list[tuple[int, int]]]:
    """Return the names as words, and of each column its name and number; where each name's are."""
    words = np.array([_word(name) for name, _ in counts], np.uint64)
    sizes = [count for _, count in counts]
    numbers = np.concatenate([np.arange(1, count + 1, dtype=np.uint64) for count in sizes])
    last = np.cumsum(sizes).tolist()
    ends = [(end - count, end) for end, count in zip(last, sizes, strict=True)]
    return words, np.repeat(np.arange(len(sizes)), sizes), numbers, ends


def bells(draws: Floats) -> Floats:
    """Return [keys, count] roughly normal numbers from four times as many uniform ones."""
    total = draws[:, ::4] + draws[:, 1::4] + draws[:, 2::4] + draws[:, 3::4]
    return (total - 2.0) * 1.7320508075688772


def dice(seed: int, *names: str | int | Ints) -> Dice:
    """Return the dice of (seed, names…), one per element of the arrays among `names`."""
    return Dice(keys(seed, *names))


def rng(seed: int, *names: str | int) -> Generator:
    """Return the generator of (seed, names…), for bulk draws such as a genesis or a fit."""
    return Generator(np.random.PCG64(key(seed, *names)))
