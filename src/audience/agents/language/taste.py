"""Tastes written by a model: what a person likes, in words, from what they rated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from audience.agents.language.population import Row, WrittenPeople
from audience.agents.language.prompts import NAME, TITLE, mind_prompts
from audience.llm import (
    TEXT,
    ChatMessage,
    Gateway,
    Reply,
    Request,
    Unreadable,
    ask_for,
    bounded,
    list_of,
    loose_json,
    object_of,
    plain,
    together,
    unanswered,
)
from audience.world import Genesis, Past

PHRASES = 3
SHORTEST = 3
"""Characters of a phrase that says something."""
HISTORY = 700
"""The token budget of a history."""
TRIES = 2
SCHEMA = object_of(likes=list_of(TEXT, 1, PHRASES))
_OPENING = re.compile(r"^(i|you)\s+(really\s+)?(like|love|enjoy|prefer)\s+", re.IGNORECASE)


async def write_tastes(
    genesis: Genesis,
    gateway: Gateway,
    *,
    model: str = "",
    seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> WrittenPeople:
    """Return what each person with a past likes: a row with up to three phrases as `taste`.

    Equal histories ask equal questions, so that with a call store none is paid for twice.
    """
    pasts: list[list[Past]] = [[] for _ in genesis.profiles]
    for lived in genesis.past:
        pasts[lived.agent].append(lived)
    writer = _TasteWriter(genesis, gateway, model, seed)
    rows: list[Row] = [{} for _ in pasts]
    for attempt in range(TRIES):
        left = [place for place, past in enumerate(pasts) if past and not rows[place]]
        answers = await together(writer.write(place, pasts[place], attempt) for place in left)
        for place, phrases in zip(left, answers, strict=True):
            rows[place] = {"taste": "|".join(phrases)} if phrases else {}
        progress(len(pasts) - sum(not rows[place] for place in left))
    unfilled = [
        f"row {place + 1}: taste could not be filled"
        for place, past in enumerate(pasts)
        if past and not rows[place]
    ]
    return WrittenPeople(rows, unfilled, writer.asked, writer.malformed, writer.unfit)


class _TasteWriter:
    def __init__(self, genesis: Genesis, gateway: Gateway, model: str, seed: int) -> None:
        self.genesis, self.gateway = genesis, gateway
        self.model, self.seed = model, seed
        self.pack = mind_prompts(model=model)
        self.asked = self.malformed = self.unfit = 0

    async def write(self, who: int, past: Sequence[Past], attempt: int) -> list[str]:
        """Return the phrases of one person; none if the reply cannot be used."""
        domain = self.genesis.domain
        lines = [self._line(lived) for lived in past]
        holes = {
            "plural": domain.plural,
            "past": domain.past,
            "history": bounded("", lines, HISTORY),
        }
        request = Request(
            "taste",
            (ChatMessage("user", self.pack.fill("taste", holes)),),
            self.model,
            schema=SCHEMA,
            max_tokens=150,
            temperature=0.8,
            salt=f"taste.{self.seed}.{who}.{attempt}",
        )
        answer = await ask_for(self.gateway, request, phrases_in)
        self.asked += 1
        if isinstance(answer.value, Unreadable):
            self.malformed += 1
            return []
        titles = {self.genesis.catalogue[lived.item].title.casefold() for lived in past}
        # Small models list what was consumed; that is in the history already.
        phrases = [text for text in answer.value if text.casefold() not in titles]
        self.unfit += not phrases
        return phrases

    def _line(self, lived: Past) -> str:
        item = self.genesis.catalogue[lived.item]
        kinds = f" ({plain(', '.join(item.tags), NAME)})" if item.tags else ""
        stars = f", {lived.stars} star{'s' * (lived.stars > 1)}" if lived.stars else ""
        return f"<{plain(item.title, TITLE)}>{kinds}{stars}"


def phrases_in(reply: Reply) -> list[str] | Unreadable:
    """Return the distinct phrases of a reply, without "I like", or why there are none."""
    fields = unanswered(reply) or loose_json(reply.text)
    if isinstance(fields, Unreadable):
        return fields
    likes = fields.get("likes") if isinstance(fields, dict) else fields
    if isinstance(likes, str):
        likes = [likes]
    if not isinstance(likes, list):
        return Unreadable("no list of what the person likes")
    texts = (plain(text, NAME).replace("|", "/") for text in likes if isinstance(text, str))
    bare = (_OPENING.sub("", text).strip(" .\"'") for text in texts)
    return list(dict.fromkeys(text for text in bare if len(text) >= SHORTEST))[:PHRASES]
