"""Asking somebody a question: answered from profile, history and memory, changing nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from audience.agents.prompting import Pack, holes_of, item_line, quoted
from audience.agents.reading import loose_json
from audience.agents.replies import Unreadable
from audience.llm.kinds import Gateway, Message, Request
from audience.memory import Memory
from audience.world.items import Item
from audience.world.observe import Observation

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": 600}},
    "required": ["answer"],
    "additionalProperties": False,
}
RECALLED = 8


class Answer(msgspec.Struct, frozen=True):
    """What somebody answered, or why there is no answer."""

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
    pack: Pack | None = None,
    model: str = "",
    salt: str = "",
) -> Answer:
    """Return what somebody says to a question, perhaps about the items it was shown last."""
    pack = pack or Pack(model=model)
    recalled = await memory.recall(seen.me, question, RECALLED)
    holes = holes_of(seen, recalled, "interview")
    shown = "\n".join(item_line(item) for item in slate)
    holes |= {
        "question": quoted(question, 600)[1:-1],
        "page": f"Shown last:\n{shown}" if shown else "",
    }
    messages = (
        Message("system", pack.fill("rules", holes)),
        Message("user", pack.fill("interview", holes)),
    )
    request = Request(
        "interview", messages, model, schema=SCHEMA, max_tokens=300, temperature=0.7, salt=salt
    )
    reply = await gateway.ask(request)
    who = seen.me.profile
    if reply.outcome != "reply" or not reply.text.strip():
        why = f"{reply.outcome}: {reply.why or 'empty reply'}"
        return Answer(who.id, who.name, "", (reply.key,), why)
    return Answer(who.id, who.name, _words(reply.text), (reply.key,))


def _words(text: str) -> str:
    """Return the answer of a reply; plain words are one too, for nothing is done with them."""
    found = loose_json(text)
    if not isinstance(found, Unreadable) and isinstance(found, dict):
        answer = found.get("answer")
        if isinstance(answer, str) and answer.strip():
            return " ".join(answer.split())
    return " ".join(text.split())
