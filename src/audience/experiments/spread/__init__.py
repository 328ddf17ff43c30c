"""Spread: topics in scenarios, the classical models, and how near a curve comes to a real one."""

from audience.experiments.spread.classical import (
    degroot,
    friedkin_johnsen,
    independent_cascade,
    linear_threshold,
    voter,
)
from audience.experiments.spread.curves import correlation, msed, nrmse, resampled
from audience.experiments.spread.measuring import Curves, curves_of

__all__ = [
    "Curves",
    "correlation",
    "curves_of",
    "degroot",
    "friedkin_johnsen",
    "independent_cascade",
    "linear_threshold",
    "msed",
    "nrmse",
    "resampled",
    "voter",
]
