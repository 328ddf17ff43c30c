"""Interviews: an agent answers from profile, history and memory, and nothing changes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from audience.agents.language.prompts import holes_of, item_line, mind_prompts
from audience.agents.rule import opening, stance_on
from audience.agents.voiced import Titles, facts_about, first_good, speech, topic
from audience.llm import (
    TEXT,
    ChatMessage,
    Gateway,
    Prompts,
    Reply,
    Request,
    Unreadable,
    ask_for,
    loose_json,
    object_of,
    quoted,
)
from audience.memory import Memory
from audience.world import Item, Observation

SCHEMA = object_of(answer=TEXT)
RECALLED = 8


class Answer(msgspec.Struct, frozen=True):
    """An agent's answer, or why there is none."""

    agent: int
    name: str
    text: str
    calls: tuple[str, ...] = ()
    failure: str = ""


async def interview(
    gateway: Gateway,
    memory: Memory,
    seen: Observation,
    question: str,
    slate: Sequence[Item] = (),
    *,
    pack: Prompts | None = None,
    model: str = "",
    salt: str = "",
) -> Answer:
    """Return an agent's answer to a question, perhaps about the items it was shown last."""
    pack = pack or mind_prompts(model=model)
    recalled = await memory.recall(seen.me, question, seen.now, RECALLED)
    holes = holes_of(seen, recalled.thoughts, "interview")
    shown = "\n".join(item_line(item, place) for place, item in enumerate(slate, 1))
    holes |= {
        "question": quoted(question, 600)[1:-1],
        "page": f"Shown last:\n{shown}" if shown else "",
    }
    messages = (
        ChatMessage("system", pack.fill("rules", holes)),
        ChatMessage("user", pack.fill("interview", holes)),
    )
    request = Request(
        "interview", messages, model, schema=SCHEMA, max_tokens=300, temperature=0.7, salt=salt
    )
    answer = await ask_for(gateway, request, _words)
    who = seen.me.profile
    if isinstance(answer.value, Unreadable):
        return Answer(who.id, who.name, "", answer.calls, answer.value.why)
    return Answer(who.id, who.name, answer.value, answer.calls)


async def small_interview(
    gateway: Gateway, seen: Observation, question: str, *, model: str = "", salt: str = ""
) -> Answer:
    """Return an answer from a very small model.

    Asked freely it would drift; so a rule finds what the question is about among what was watched,
    and the model only completes a sentence about it, checked like all its sentences.
    """
    who = seen.me.profile
    about = topic(question, seen.me.history, seen.catalogue)
    if about is None:
        return Answer(who.id, who.name, f"I have not {seen.domain.past} anything yet.")
    item = seen.catalogue[about.item]
    known = {"stars": about.stars, "stance": stance_on(about), "past": seen.domain.past}
    facts = facts_about("interview", item, who, draw=0.5, **known)
    plain = Answer(who.id, who.name, opening(stance_on(about), 0.0, item.title, seen.domain))
    request = speech(facts, salt)
    if request is None:
        return plain
    reply = await gateway.ask(replace(request, model=model))
    titles = Titles(item.title for item in seen.catalogue.items)
    good = first_good(reply.texts if reply.outcome == "reply" else (), facts, titles)
    return Answer(who.id, who.name, good.text if good else plain.text, (reply.key,))


def _words(reply: Reply) -> str | Unreadable:
    """Return the answer of a reply, which may also be plain text."""
    if reply.outcome != "reply" or not reply.text.strip():
        return Unreadable(f"{reply.outcome}: {reply.why or 'empty reply'}")
    found = loose_json(reply.text)
    if not isinstance(found, Unreadable) and isinstance(found, dict):
        answer = found.get("answer")
        if isinstance(answer, str) and answer.strip():
            return " ".join(answer.split())
    return " ".join(reply.text.split())
