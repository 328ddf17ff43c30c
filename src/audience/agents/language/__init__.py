"""Minds that ask a language model: prompts, schemas, and reading the replies."""

from audience.agents.language.interviews import (
    LONGEST_LINE as LONGEST_LINE,
    Answer as Answer,
    ChatLine as ChatLine,
    chat as chat,
    interview as interview,
    small_interview as small_interview,
)
from audience.agents.language.mind import LLMMind as LLMMind
from audience.agents.language.news import as_said as as_said, news_in as news_in
from audience.agents.language.population import WrittenPeople as WrittenPeople, complete as complete
from audience.agents.language.prompts import (
    LETTERS as LETTERS,
    PROMPTS as PROMPTS,
    TITLE as TITLE,
    because as because,
    brief_line as brief_line,
    holes_of as holes_of,
    item_line as item_line,
    mind_prompts as mind_prompts,
    optional_places as optional_places,
)
from audience.agents.language.reply_actions import items_in as items_in
from audience.agents.language.reply_reader import read as read
from audience.agents.language.reply_schema import PageReply as PageReply, schema_of as schema_of
from audience.agents.language.scored import ScoredChoices as ScoredChoices
from audience.agents.language.taste import write_tastes as write_tastes
