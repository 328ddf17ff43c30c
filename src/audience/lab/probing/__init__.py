"""Probes of a language model: what it knows, whether it stays in character, what sways it."""

from audience.lab.probing.consistency_probe import consistency as consistency
from audience.lab.probing.knowledge_probe import knowledge as knowledge
from audience.lab.probing.questions import AT_ONCE as AT_ONCE
from audience.lab.probing.questions import Asker as Asker
from audience.lab.probing.result import Probed as Probed
from audience.lab.probing.result import ProbeTable as ProbeTable
from audience.lab.probing.result import Work as Work
from audience.lab.probing.result import keep as keep
from audience.lab.probing.result import plain as plain
from audience.lab.probing.result import probe as probe
from audience.lab.probing.result import table as table
from audience.lab.probing.sensitivity import prompts as prompts
from audience.lab.probing.town import town_of as town_of
from audience.lab.probing.visits import real_visits as real_visits
