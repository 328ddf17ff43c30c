"""How an agent remembers: stateless behaviour over thoughts kept in the world."""

from audience.memory.consolidation import is_telling as is_telling
from audience.memory.forgetting_curve import DAY as DAY
from audience.memory.forgetting_curve import HOUR as HOUR
from audience.memory.forgetting_curve import Forgetting as Forgetting
from audience.memory.forgetting_curve import chance as chance
from audience.memory.forgetting_curve import forgetting as forgetting
from audience.memory.forgetting_curve import recency as recency
from audience.memory.memory import Fading as Fading
from audience.memory.memory import Idle as Idle
from audience.memory.memory import Life as Life
from audience.memory.memory import Memory as Memory
from audience.memory.memory import NoMemory as NoMemory
from audience.memory.memory import Recollection as Recollection
from audience.memory.memory import is_idle as is_idle
from audience.memory.recagent import RecAgentMemory as RecAgentMemory
from audience.memory.sentences import observations as observations
from audience.memory.sentences import tokens as tokens
