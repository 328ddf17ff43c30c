"""How an agent remembers: recalling and consolidating thoughts, which live in the world."""

from audience.memory.agent4rec import Agent4RecMemory as Agent4RecMemory
from audience.memory.consolidation import is_telling as is_telling
from audience.memory.forgetting_curve import (
    DAY as DAY,
    HOUR as HOUR,
    Forgetting as Forgetting,
    chance as chance,
    forgetting as forgetting,
    recency as recency,
)
from audience.memory.memory import (
    Fading as Fading,
    Idle as Idle,
    Life as Life,
    Memory as Memory,
    NoMemory as NoMemory,
    Recollection as Recollection,
    is_idle as is_idle,
)
from audience.memory.recagent import RecAgentMemory as RecAgentMemory
from audience.memory.sentences import observations as observations, tokens as tokens
