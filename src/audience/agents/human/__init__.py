"""Minds behind which a person sits, for whole runs or for some visits."""

from audience.agents.human.assisted import CORRECTED as CORRECTED
from audience.agents.human.assisted import PLAYED as PLAYED
from audience.agents.human.assisted import AssistedMind as AssistedMind
from audience.agents.human.mind import HumanMind as HumanMind
from audience.agents.human.mind import MixedMind as MixedMind
