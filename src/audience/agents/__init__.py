"""How an agent decides."""

from audience.agents.grounded import GroundedMind as GroundedMind
from audience.agents.human import AssistedMind as AssistedMind
from audience.agents.human import HumanMind as HumanMind
from audience.agents.human import MixedMind as MixedMind
from audience.agents.language import LLMMind as LLMMind
from audience.agents.mind import BatchMind as BatchMind
from audience.agents.mind import Decision as Decision
from audience.agents.mind import JointMind as JointMind
from audience.agents.mind import Mark as Mark
from audience.agents.mind import Mind as Mind
from audience.agents.mind import Scene as Scene
from audience.agents.mind import Scoring as Scoring
from audience.agents.mind import Script as Script
from audience.agents.recsim import RecSimMind as RecSimMind
from audience.agents.rule import Calibratable as Calibratable
from audience.agents.rule import RuleMind as RuleMind
from audience.agents.rule import RuleParameters as RuleParameters
from audience.agents.voiced import VoicedMind as VoicedMind
