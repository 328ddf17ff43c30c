"""Minds operated by a person, for whole runs or for some visits."""

from audience.agents.human.assisted import (
    CORRECTED as CORRECTED,
    PLAYED as PLAYED,
    AssistedMind as AssistedMind,
)
from audience.agents.human.mind import HumanMind as HumanMind, MixedMind as MixedMind
from audience.agents.human.words import understood as understood
