"""Similarity thresholds of embedders, calibrated on a shipped set of sentence pairs."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.llm import Embedder
from audience.world import Floats

Label = Literal["same", "other", "near"]
"""The same observation twice; different titles or matters; one title or person in two matters."""
REPEATED = 0.90
"""The minimum share of `same` pairs that enhance each other."""
MISTAKEN = 0.02
"""The maximum share of `other` pairs that do."""
_AIMED = 0.92
"""The targeted share of `same` pairs, so that unseen pairs meet the minimum too."""
_MERGED = 0.40
"""The share of `same` pairs that are similar enough to be merged."""


class SentencePair(msgspec.Struct, frozen=True):
    """Two sentences as memories hold them, and how they relate."""

    label: Label
    one: str
    other: str


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cosine thresholds of one embedder."""

    enhance: float
    """From here on a new thought enhances an old one."""
    merge: float
    """From here on two thoughts may be merged."""


class Rates(msgspec.Struct, frozen=True):
    """The share of pairs of each label that would enhance, and of those that would merge."""

    enhanced: dict[Label, float]
    merged: dict[Label, float]

    @property
    def meets_the_bar(self) -> bool:
        return self.enhanced["same"] >= REPEATED and self.enhanced["other"] <= MISTAKEN

    def __str__(self) -> str:
        shares = ", ".join(f"{label} {share:.1%}" for label, share in self.enhanced.items())
        return f"{shares} (merged: same {self.merged['same']:.1%})"


class ThresholdFit(msgspec.Struct, frozen=True):
    """Thresholds chosen on every second pair, with their rates there, on the rest and on all."""

    embedder: str
    thresholds: Thresholds
    chosen: Rates
    held_out: Rates
    overall: Rates


async def thresholds_of(embedder: Embedder) -> Thresholds:
    """Return the thresholds of an embedder: shipped ones, or else calibrated now.

    Calibration embeds the shipped sentences and may raise `NoVectors`.
    """
    return shipped().get(embedder.name) or (await calibrate(embedder)).thresholds


async def calibrate(embedder: Embedder) -> ThresholdFit:
    """Choose thresholds on every second pair of each label and measure them on the others."""
    labels = np.array([pair.label for pair in pairs()])
    cosines = await similarities(embedder)
    first = np.zeros(len(labels), bool)
    for label in get_args(Label):
        first[np.flatnonzero(labels == label)[::2]] = True
    thresholds = choose(cosines[first & (labels == "same")], cosines[first & (labels == "other")])
    return ThresholdFit(
        embedder.name,
        thresholds,
        rates(thresholds, labels[first], cosines[first]),
        rates(thresholds, labels[~first], cosines[~first]),
        rates(thresholds, labels, cosines),
    )


async def similarities(embedder: Embedder) -> Floats:
    """Return the cosine of every shipped pair."""
    known = pairs()
    rows = await embedder.embed([pair.one for pair in known] + [pair.other for pair in known])
    ones, others = rows[: len(known)], rows[len(known) :]
    cosines: Floats = np.einsum("ij,ij->i", ones, others, dtype=np.float64)
    return cosines


def choose(same: Floats, other: Floats) -> Thresholds:
    """Return the highest `enhance` that most `same` pairs but few `other` pairs reach.

    If both are impossible the second counts: a wrong enhancement becomes an insight about nothing.
    Few `same` pairs reach `merge`, and no `other` pair.
    """
    few = np.sort(other)[::-1][int(MISTAKEN * len(other))]
    enhance = max(float(np.quantile(same, 1.0 - _AIMED)), float(few) + 0.001)
    merge = max(float(np.quantile(same, 1.0 - _MERGED)), float(other.max()) + 0.001, enhance)
    return Thresholds(round(enhance, 3), round(merge, 3))


def rates(thresholds: Thresholds, labels: NDArray[np.str_], cosines: Floats) -> Rates:
    """Return the shares of pairs that reach the thresholds."""
    enhanced: dict[Label, float] = {}
    merged: dict[Label, float] = {}
    for label in get_args(Label):
        some = cosines[labels == label]
        enhanced[label] = float(np.mean(some >= thresholds.enhance))
        merged[label] = float(np.mean(some >= thresholds.merge))
    return Rates(enhanced, merged)


@cache
def pairs() -> tuple[SentencePair, ...]:
    """Return the shipped pairs."""
    text = files("audience.memory").joinpath("pairs.tsv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(msgspec.convert(row, SentencePair) for row in rows)


@cache
def shipped() -> dict[str, Thresholds]:
    """Return the shipped thresholds by embedder."""
    text = files("audience.memory").joinpath("thresholds.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, Thresholds])
