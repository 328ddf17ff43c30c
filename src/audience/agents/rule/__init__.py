"""Minds that decide by rule: a documented choice model without a language model."""

from audience.agents.rule.mind import RuleMind as RuleMind, wanted_by as wanted_by
from audience.agents.rule.page import Wishes as Wishes
from audience.agents.rule.parameters import (
    Calibratable as Calibratable,
    RuleParameters as RuleParameters,
)
from audience.agents.rule.social import opening as opening, stance_on as stance_on
