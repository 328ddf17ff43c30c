"""Measuring: incremental folds over records."""

from audience.metrics.kinds import Metric, PerAgent, PerRound
from audience.metrics.labels import LABELS
from audience.metrics.suite import Metrics, builtin, measure, suite

__all__ = [
    "LABELS",
    "Metric",
    "Metrics",
    "PerAgent",
    "PerRound",
    "builtin",
    "measure",
    "suite",
]
