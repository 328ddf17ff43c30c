"""Prompts of memories, and the JSON schemas of the replies they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from audience.llm import ChatMessage, Prompts, list_of, object_of, one_of
from audience.memory.consolidation import Due, Observed
from audience.memory.memory import Life
from audience.memory.sentences import SENTENCE, shortened, tokens
from audience.world import Thought

HIGHEST = 10
"""The highest degree of importance."""


class ReplyContents(msgspec.Struct, frozen=True):
    """What a reply has to contain."""

    memories: int = 0
    insights: tuple[str, ...] = ()
    """The letters of the groups of thoughts to draw them from."""
    sources: tuple[int, ...] = ()
    """The thoughts that a reflection may cite by their places, from 1; empty: no reflection."""

    @property
    def size(self) -> int:
        """Tokens that the reply may take: a model may repeat a long line before it is cut."""
        return 100 + 150 * (self.memories + len(self.insights) + bool(self.sources))


def schema_of(wanted: ReplyContents) -> dict[str, Any]:
    """Return the JSON schema of a reply, which depends on the numbers of its entries alone.

    Servers compile each new schema and slow down with every bound on a text, so there are none: the
    prompt states them, and what is too long is cut when it is read.
    """
    parts: dict[str, Any] = {}
    if wanted.memories:
        numbers = one_of(range(1, wanted.memories + 1))
        memory = object_of(n=numbers, importance=degree(), sentence=text())
        parts["memories"] = list_of(memory, wanted.memories, wanted.memories)
    if wanted.insights:
        parts["insights"] = list_of(text(), len(wanted.insights), len(wanted.insights))
    if wanted.sources:
        sources = cited(len(wanted.sources))
        parts["reflection"] = object_of(sources=sources, topic=text(), insight=text())
    return object_of(**parts)


def text() -> dict[str, Any]:
    """Return the schema of a sentence."""
    return {"type": "string"}


def degree() -> dict[str, Any]:
    """Return the schema of an importance."""
    return one_of(range(1, HIGHEST + 1))


def cited(count: int) -> dict[str, Any]:
    """Return the schema of the thoughts that something is drawn from, by their places."""
    return list_of(one_of(range(1, count + 1)), 1)


TEMPERATURE = 0.3
PROMPT = 900
"""Approximate tokens of a whole prompt."""
OBSERVED, LEAST = 120, 12
"""The most tokens of one observation, and the least when there are many."""
LINES = 200
"""Tokens reserved for observations."""
INSIGHTS, REFLECTION = 150, 250
"""Tokens of the thoughts to draw insights from, and of those to reflect on."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME, _WORDS = 12, 40
"""Tokens of a name, and of traits or interests."""
_MARK = 3
"""Tokens of a number and a line's end."""


def memory_prompts(folder: str = "", model: str = "") -> Prompts:
    """Return the prompt files of memories, overridden by those of a folder."""
    return Prompts(Path(__file__).parent / "prompts", folder=folder, model=model)


class Prompt(msgspec.Struct, frozen=True):
    """A prompt, and what its numbers and letters refer to."""

    messages: tuple[ChatMessage, ...]
    wanted: ReplyContents
    seen: tuple[Observed, ...] = ()
    groups: tuple[tuple[Thought, ...], ...] = ()
    problems: tuple[str, ...] = ()
    """What was cut to keep it small."""


def fused_prompt(pack: Prompts, life: Life, seen: Sequence[Observed], due: Due) -> Prompt:
    """Return the one prompt of a round, beginning with what is the same for everybody."""
    holes = holes_of(life)
    problems: list[str] = []
    groups = _groups(due.insights)
    thoughts = newest(due.reflection, problems)
    parts = {
        "insights": _insights(pack, holes, groups),
        "reflection": _reflection(pack, holes, thoughts),
    }
    rules, examples = pack.fill("memory_rules", holes), pack.examples("memory")
    system = f"{rules}\n\n{examples}" if examples else rules
    frame = pack.fill("memory", {**holes, **parts, "observed": ""})
    room = max(PROMPT - tokens(system) - tokens(frame), LINES)
    lines, kept = _fitting([observation.text for observation in seen], room, problems)
    numbered = "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 1))
    user = pack.fill("memory", {**holes, **parts, "observed": numbered or "(nothing)"})
    wanted = ReplyContents(
        len(lines), tuple(_LETTERS[: len(groups)]), tuple(thought.id for thought in thoughts)
    )
    messages = (ChatMessage("system", system), ChatMessage("user", user))
    return Prompt(messages, wanted, tuple(seen[kept:]), groups, tuple(problems))


def holes_of(life: Life) -> dict[str, str]:
    """Return the values of all holes that a memory's prompt may have."""
    who, words = life.me.profile, life.domain
    name = shortened(who.name, _NAME) or "somebody"
    parts = [f"You are {name}"]
    if who.traits:
        parts.append(shortened(", ".join(who.traits), _WORDS))
    if who.interests:
        parts.append("you like " + shortened(", ".join(who.interests), _WORDS))
    return {
        "noun": words.noun,
        "plural": words.plural,
        "past": words.past,
        "name": name,
        "person": "; ".join(parts) + ".",
    }


def observed(text: str, problems: list[str]) -> str:
    """Return an observation on one line, shortened if long, which is noted as a problem."""
    line = shortened(text, OBSERVED)
    problems += ["observation cut"] * (line != _flat(text))
    return line


def listed(thoughts: Sequence[Thought]) -> str:
    """Return thoughts one per line, each with its place in brackets."""
    return "\n".join(_bracketed(place, thought) for place, thought in enumerate(thoughts, 1))


def grouped(thoughts: Sequence[Thought]) -> str:
    """Return similar thoughts on one line."""
    return shortened(
        " / ".join(shortened(thought.text) for thought in thoughts[:5]), INSIGHTS - _MARK
    )


def newest(thoughts: Sequence[Thought], problems: list[str]) -> tuple[Thought, ...]:
    """Return the last thoughts that fit the budget."""
    room, first = REFLECTION, len(thoughts)
    for thought in reversed(thoughts):
        room -= tokens(_bracketed(len(thoughts), thought)) + 1
        if room < 0:
            break
        first -= 1
    problems += ["thoughts to reflect on cut"] * (first > 0)
    return tuple(thoughts[first:])


def _insights(pack: Prompts, holes: dict[str, str], groups: Sequence[Sequence[Thought]]) -> str:
    if not groups:
        return ""
    lines = [f"{letter}. {grouped(some)}" for letter, some in zip(_LETTERS, groups, strict=False)]
    return pack.fill("memory_insights", {**holes, "thoughts": "\n".join(lines)})


def _reflection(pack: Prompts, holes: dict[str, str], thoughts: Sequence[Thought]) -> str:
    if not thoughts:
        return ""
    return pack.fill("memory_reflect", {**holes, "thoughts": listed(thoughts)})


def _bracketed(place: int, thought: Thought) -> str:
    return f"[{place}] {shortened(thought.text, SENTENCE)}"


def _groups(groups: Sequence[tuple[Thought, ...]]) -> tuple[tuple[Thought, ...], ...]:
    """Return the groups that fit the budget; the others wait for the next round."""
    room, kept = INSIGHTS, 0
    for some in groups[: len(_LETTERS)]:
        room -= tokens(grouped(some)) + _MARK
        if room < 0:
            break
        kept += 1
    return tuple(groups[:kept])


def _fitting(texts: Sequence[str], room: int, problems: list[str]) -> tuple[list[str], int]:
    """Return the observations as lines that fit, and how many of the oldest are left out.

    The longest are shortened first, to the same length.
    """
    left = max(0, len(texts) - room // (LEAST + _MARK))
    most, kept = OBSERVED, texts[left:]
    lines = [shortened(text, most) for text in kept]
    while most > LEAST and sum(tokens(line) + _MARK for line in lines) > room:
        most -= _MARK
        lines = [shortened(line, most) for line in lines]
    cut = sum(line != _flat(text) for line, text in zip(lines, kept, strict=True))
    problems += ["observation cut"] * cut + ["observation left out"] * left
    return lines, left


def _flat(text: str) -> str:
    return " ".join(text.split())
