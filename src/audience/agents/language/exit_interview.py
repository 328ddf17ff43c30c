"""The interview on leaving: how satisfied an agent is with its visit, and why, in one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from audience.agents.language.prompts import holes_of, lived_line
from audience.agents.mind import Decision
from audience.llm import (
    TEXT,
    ChatMessage,
    Reply,
    Unreadable,
    as_ai,
    bounded,
    loose_json,
    object_of,
    one_of,
    plain,
    unanswered,
)
from audience.world import Dice, Lived, Observation, Thought, actions as a

if TYPE_CHECKING:
    from audience.agents.language.mind import LLMMind

PURPOSE = "exit"
SCHEMA = object_of(satisfaction=one_of(range(1, 11)), reason=TEXT)
VISIT = 160
"""The token budget of what was picked in the visit."""
REASON = 300
"""The most characters of a reason."""
ExitAnswer = tuple[int, str]
"""Satisfaction from 1 to 10, and the reason."""


def leaves(seen: Observation, decision: Decision) -> bool:
    """Return True if a decision ends a visit in which the agent saw a page."""
    last = decision.actions[-1] if decision.actions else None
    return isinstance(last, a.Leave) and seen.me.situation.pages > 0 and not seen.lines


async def exit_interview(
    mind: LLMMind, seen: Observation, recalled: Sequence[Thought], decision: Decision, dice: Dice
) -> Decision:
    """Return a decision to leave with the satisfaction and the reason that the agent gives.

    If the answer cannot be read, the decision stands as it is and says so.
    """
    answer = await mind.questions.ask_for(
        PURPOSE, _messages(mind, seen, recalled, decision), int(dice.keys[0]), answer_in, SCHEMA
    )
    calls = (*decision.calls, *answer.calls)
    if isinstance(answer.value, Unreadable):
        unread = (*decision.unread, f"{PURPOSE}: {answer.value.why}")
        return replace(decision, calls=calls, unread=unread)
    satisfaction, reason = answer.value
    leave = a.Leave(round((satisfaction - 1.0) / 9.0, 4), reason)
    return replace(decision, calls=calls, actions=(*decision.actions[:-1], leave))


def _messages(
    mind: LLMMind, seen: Observation, recalled: Sequence[Thought], decision: Decision
) -> tuple[ChatMessage, ...]:
    behaviour = "interview"
    holes = holes_of(seen, recalled, behaviour, contexts=mind.context)
    pages = seen.me.situation.pages
    picked = [lived_line(each, seen.catalogue[each.item].title) for each in _lived(seen, decision)]
    past = seen.domain.past
    holes |= {
        "pages": f"{pages} page{'s' if pages > 1 else ''} of {seen.domain.plural}",
        "visit": bounded(f"In this visit you {past}:", picked, VISIT) or f"You {past} none.",
    }
    return (
        ChatMessage("system", mind.pack.fill("rules", holes)),
        ChatMessage("user", mind.pack.fill(PURPOSE, holes)),
    )


def _lived(seen: Observation, decision: Decision) -> list[Lived]:
    """Return what was picked in the visit, the last decision included."""
    stars = {act.item: act.stars for act in decision.actions if isinstance(act, a.Rate)}
    picks = [act for act in decision.actions if isinstance(act, a.Pick)]
    now = [Lived(act.item, seen.now, act.fraction, stars.get(act.item, 0)) for act in picks]
    return [*seen.me.lived_now(), *now]


def answer_in(reply: Reply) -> ExitAnswer | Unreadable:
    """Return satisfaction and reason of a reply, or why there are none."""
    fields = unanswered(reply) or loose_json(reply.text)
    if isinstance(fields, Unreadable):
        return fields
    if not isinstance(fields, dict):
        return Unreadable("no JSON object")
    number, reason = fields.get("satisfaction"), fields.get("reason")
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 1 <= number <= 10:
        return Unreadable("satisfaction is not a number from 1 to 10")
    words = plain(reason, REASON) if isinstance(reason, str) else ""
    if not words or as_ai(words):
        return Unreadable("reason is not a sentence of the person")
    return round(number), words
