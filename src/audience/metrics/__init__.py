"""Measuring: incremental folds over records."""

from audience.metrics.formulas import NAN as NAN
from audience.metrics.formulas import entropies as entropies
from audience.metrics.formulas import gini as gini
from audience.metrics.formulas import mean as mean
from audience.metrics.formulas import ratio as ratio
from audience.metrics.labels import LABELS as LABELS
from audience.metrics.labels import OPTIONAL as OPTIONAL
from audience.metrics.opinion import tone as tone
from audience.metrics.registry import Metric as Metric
from audience.metrics.registry import Metrics as Metrics
from audience.metrics.registry import PerAgent as PerAgent
from audience.metrics.registry import PerRound as PerRound
from audience.metrics.registry import builtin as builtin
from audience.metrics.registry import measure as measure
from audience.metrics.registry import suite as suite
from audience.metrics.spread import Cascades as Cascades
from audience.metrics.spread import standing as standing
