"""The holes of prompts about news: topics, what is remembered, what came. Others' words are quoted.

A message can hold anything, instructions too. It is shown on one line, between quotation marks that
it cannot close, without control characters and without braces that could pass for an answer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from audience.agents.prompting import MEMORY, NAME, THOUGHT, bounded, person, plain
from audience.world.observe import Observation
from audience.world.spread import Standing
from audience.world.thoughts import Thought
from audience.world.topics import LEVELS, MUTUAL, ONE_WAY, OWN, Message, influence

LONGEST = 400
"""Characters of a message that are shown; what is longer is cut with a note."""
ABOUT = 400
MESSAGES, POOL = 900, 500
"""Token budgets."""
_STANCES = {-1: "against it", 0: "no view yet", 1: "for it"}
_BRACES = str.maketrans({"{": "(", "}": ")", '"': "'", "`": "'"})


def as_said(text: str, longest: int = LONGEST) -> str:
    """Return others' words as they stand in a prompt: one line, quoted, cut with a note."""
    flat = "".join(" " if unicodedata.category(mark)[0] in "CZ" else mark for mark in text[:4000])
    flat = " ".join(flat.split()).translate(_BRACES)
    if len(flat) <= longest and len(text) <= 4000:
        return f'"{flat}"'
    return f'"{flat[:longest].rstrip()}…" (cut; the whole has {len(text):,} characters)'


def news_holes(seen: Observation, recalled: Sequence[Thought]) -> dict[str, str]:
    """Return everything a prompt about news may ask for."""
    name = plain(seen.me.profile.name, NAME) or "this person"
    thoughts = [plain(one.text, THOUGHT) for one in recalled]
    return {
        "name": name,
        "person": person(seen.me, "social", seen.domain.plural),
        "memory": bounded("What comes to mind:", thoughts, MEMORY),
        "topics": "\n".join(["There is news of:", *(_topic(one) for one in seen.news)]),
        "pool": bounded(f"What {name} remembers of it:", _pool(seen), POOL),
        "messages": bounded("New messages:", [_told(one) for one in news_in(seen)], MESSAGES),
        "felt": "",
    }


def news_in(seen: Observation) -> tuple[Message, ...]:
    """Return the messages of the inbox that are about a topic, the newest last."""
    return tuple(one for one in seen.me.inbox if one.topic >= 0)


def forwardable(seen: Observation) -> tuple[Message, ...]:
    """Return those messages that were not passed on yet."""
    return tuple(one for one in news_in(seen) if one.root not in seen.me.passed)


def _topic(one: Standing) -> str:
    about = f", {as_said(one.topic.about, ABOUT)}" if one.topic.about.strip() else ""
    if not one.stance:
        return f"- topic {one.number}: {as_said(one.topic.name, 120)}{about}; new to this person"
    so_far = f"so far {LEVELS[one.level]}, {_STANCES[one.stance]}"
    return f"- topic {one.number}: {as_said(one.topic.name, 120)}{about}; {so_far}"


def _told(one: Message) -> str:
    return f"[{one.post}] topic {one.topic}, from {_source(one)}: {as_said(one.text)}"


def _source(one: Message) -> str:
    if one.trust >= OWN:
        return "this person itself"
    if one.trust >= MUTUAL:
        return "somebody it knows well"
    return "somebody it follows" if one.trust >= ONE_WAY else "the platform"


def _pool(seen: Observation) -> list[str]:
    """Return what is remembered of the topics, the most influential last, without what is new."""
    new = {one.root for one in news_in(seen)}
    lives = {one.number: one.topic.half_life for one in seen.news}
    old = [one for one in seen.me.pool if one.topic in lives and one.root not in new]
    old.sort(key=lambda one: influence(one, seen.round, lives[one.topic]))
    return [f"topic {one.topic}, from {_source(one)}: {as_said(one.text, 160)}" for one in old]
