"""Metrics: incremental folds over the records of a run, and their labels."""

from audience.metrics.formulas import (
    NAN as NAN,
    entropies as entropies,
    gini as gini,
    mean as mean,
    ratio as ratio,
)
from audience.metrics.labels import (
    LABELS as LABELS,
    OPTIONAL as OPTIONAL,
    averaged_over as averaged_over,
    round_unit as round_unit,
)
from audience.metrics.meanings import MEANINGS as MEANINGS
from audience.metrics.opinion import Satisfaction as Satisfaction, tone as tone
from audience.metrics.registry import (
    Mergeable as Mergeable,
    Metric as Metric,
    Metrics as Metrics,
    PerAgent as PerAgent,
    PerRound as PerRound,
    builtin as builtin,
    measure as measure,
    suite as suite,
)
from audience.metrics.spread import Cascades as Cascades, standing as standing
