"""How an agent decides."""

from audience.agents.grounded import GroundedMind
from audience.agents.human import HumanMind, MixedMind
from audience.agents.llm import LLMMind
from audience.agents.mind import (
    BatchMind,
    Calibratable,
    Decision,
    JointMind,
    Mark,
    Mind,
    Scene,
    Scoring,
    Script,
)
from audience.agents.parameters import RuleParameters
from audience.agents.recsim import RecSimMind
from audience.agents.rule import RuleMind
from audience.agents.touched import TouchedMind
from audience.agents.voiced import VoicedMind

__all__ = [
    "BatchMind",
    "Calibratable",
    "Decision",
    "GroundedMind",
    "HumanMind",
    "JointMind",
    "LLMMind",
    "Mark",
    "Mind",
    "MixedMind",
    "RecSimMind",
    "RuleMind",
    "RuleParameters",
    "Scene",
    "Scoring",
    "Script",
    "TouchedMind",
    "VoicedMind",
]
