"""How an agent decides: rule, language, tuned, human and voiced minds, and their protocols."""

from audience.agents.grounded import GroundedMind as GroundedMind
from audience.agents.human import (
    AssistedMind as AssistedMind,
    HumanMind as HumanMind,
    MixedMind as MixedMind,
)
from audience.agents.language import LLMMind as LLMMind
from audience.agents.mind import (
    BatchMind as BatchMind,
    Decision as Decision,
    JointMind as JointMind,
    Mark as Mark,
    Mind as Mind,
    Scene as Scene,
    Scoring as Scoring,
    Script as Script,
)
from audience.agents.recsim import RecSimMind as RecSimMind
from audience.agents.rule import (
    Calibratable as Calibratable,
    RuleMind as RuleMind,
    RuleParameters as RuleParameters,
)
from audience.agents.tuned import TunedMind as TunedMind
from audience.agents.voiced import VoicedMind as VoicedMind

# Deprecated names, gone with 0.3.
TouchedMind = AssistedMind
