"""What one audience makes of several recommenders, and how certain that is."""

from audience.lab.verdicts.report import (
    as_plain as as_plain,
    remarks as remarks,
    tables as tables,
    write as write,
)
from audience.lab.verdicts.statistics import kendall as kendall
from audience.lab.verdicts.verdicts import (
    SkippedRecommender as SkippedRecommender,
    Verdicts as Verdicts,
    arms_for as arms_for,
    judged as judged,
    scenario_for as scenario_for,
)
