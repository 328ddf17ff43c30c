"""Minds that decide by asking a language model: prompts, replies and how they are read."""

from audience.agents.language.interviews import Answer as Answer
from audience.agents.language.interviews import interview as interview
from audience.agents.language.interviews import small_interview as small_interview
from audience.agents.language.mind import LLMMind as LLMMind
from audience.agents.language.news import as_said as as_said
from audience.agents.language.news import news_in as news_in
from audience.agents.language.population import WrittenPeople as WrittenPeople
from audience.agents.language.population import complete as complete
from audience.agents.language.prompts import PROMPTS as PROMPTS
from audience.agents.language.prompts import TITLE as TITLE
from audience.agents.language.prompts import because as because
from audience.agents.language.prompts import holes_of as holes_of
from audience.agents.language.prompts import item_line as item_line
from audience.agents.language.prompts import mind_prompts as mind_prompts
from audience.agents.language.reply_actions import items_in as items_in
from audience.agents.language.reply_reader import read as read
from audience.agents.language.reply_schema import PageReply as PageReply
from audience.agents.language.reply_schema import schema_of as schema_of
