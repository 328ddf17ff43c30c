"""How an agent decides."""

from audience.agents.mind import BatchMind, Decision, Mind
from audience.agents.parameters import RuleParameters
from audience.agents.recsim import RecSimMind
from audience.agents.rule import RuleMind

__all__ = ["BatchMind", "Decision", "Mind", "RecSimMind", "RuleMind", "RuleParameters"]
