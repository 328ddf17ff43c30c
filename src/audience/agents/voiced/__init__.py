"""Minds that decide by rule and word their texts with a small language model."""

from audience.agents.voiced.checks import (
    Titles as Titles,
    first_good as first_good,
    line_fault as line_fault,
)
from audience.agents.voiced.lexicon import mood_of as mood_of
from audience.agents.voiced.mind import VoicedMind as VoicedMind
from audience.agents.voiced.speaker import Speaker as Speaker
from audience.agents.voiced.voice import (
    Facts as Facts,
    Kind as Kind,
    facts_about as facts_about,
    say as say,
    speech as speech,
    topic as topic,
)
