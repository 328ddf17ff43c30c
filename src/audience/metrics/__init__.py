"""Measuring: incremental folds over records."""

from audience.metrics.kinds import Metric, PerAgent, PerRound
from audience.metrics.labels import LABELS, OPTIONAL
from audience.metrics.suite import Metrics, builtin, measure, suite

__all__ = [
    "LABELS",
    "OPTIONAL",
    "Metric",
    "Metrics",
    "PerAgent",
    "PerRound",
    "builtin",
    "measure",
    "suite",
]
