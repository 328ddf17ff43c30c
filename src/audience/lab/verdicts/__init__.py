"""What one audience makes of several recommenders, and how sure that is."""

from audience.lab.verdicts.report import as_plain as as_plain
from audience.lab.verdicts.report import remarks as remarks
from audience.lab.verdicts.report import tables as tables
from audience.lab.verdicts.report import write as write
from audience.lab.verdicts.verdicts import SkippedRecommender as SkippedRecommender
from audience.lab.verdicts.verdicts import Verdicts as Verdicts
from audience.lab.verdicts.verdicts import arms_for as arms_for
from audience.lab.verdicts.verdicts import can_be_apart as can_be_apart
from audience.lab.verdicts.verdicts import judged as judged
from audience.lab.verdicts.verdicts import scenario_for as scenario_for
