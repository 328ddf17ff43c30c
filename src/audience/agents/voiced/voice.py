"""Speech: a model completes a sentence about known facts, or says a whole line about them.

A very small model drifts when asked freely. So the beginning of a line, with the title and the
mood, follows from the facts, and the model is only asked for the rest, from the item's story
(`speech`). A model that was trained to speak writes the whole line (`say`). Either result is
checked before it is used.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from typing import Literal

import msgspec

from audience.llm import ChatMessage, Request
from audience.world import Catalogue, Item, Lived, Profile

Kind = Literal["feeling", "post", "opening", "reply", "interview"]
Mood = Literal["good", "mixed", "bad"]

CANDIDATES = 4
TEMPERATURE = 0.5
MAX_TOKENS = 28
"""Enough for the end of a sentence; longer lines are not worth keeping."""
SAID_TEMPERATURE, SAID_TOP_P = 0.5, 0.7
SAID_TOKENS = 72
"""Enough for a whole line of forty words."""
_ASKED = 300
"""Characters of an interviewer's question that the prompt holds."""
_CLAUSE = ("when", "after", "before", "once")
_NO_TRADE = ("", "unemployed", "retired")
_WORST = re.compile(r"\b(worst|least|disappoint\w*|dislike\w*|hate\w*|bor(?:ed|ing)|bad)\b", re.I)
_BEST = re.compile(r"\b(best|most|favou?rites?|like\w*|lov\w+|enjoy\w*|good|recommend\w*)\b", re.I)


class Facts(msgspec.Struct, frozen=True):
    """All that a line may mention. `stars` 0: unknown, then the stance counts."""

    kind: Kind
    title: str
    about: str = ""
    """The item's story in a sentence."""
    stars: int = 0
    stance: float = 0.0
    dropped: bool = False
    """Given up before the end."""
    lived: bool = True
    """A reply may be about an item that the agent has only heard of."""
    age: int | None = None
    traits: tuple[str, ...] = ()
    career: str = ""
    friend: str = ""
    """The name of the person addressed."""
    question: str = ""
    """What the interviewer asked."""
    past: str = "watched"
    plural: str = "films"
    draw: float = 0.0
    """A number in [0, 1) that chooses among the beginnings."""

    @property
    def mood(self) -> Mood:
        """The mood of the rating, or else of the stance."""
        stance = (self.stars - 3) / 2.0 if self.stars else self.stance
        return "good" if stance > 0.2 else "bad" if stance < -0.2 else "mixed"


def facts_about(kind: Kind, item: Item, who: Profile, **known: object) -> Facts:
    """Return the facts for a line by `who` about an item; `known` are further fields."""
    told: dict[str, object] = {
        "kind": kind,
        "title": item.title,
        "about": item.about or _from_tags(item),
        "age": who.age,
        "traits": who.traits,
        "career": who.career,
        **known,
    }
    return msgspec.convert(told, Facts)


def _from_tags(item: Item) -> str:
    if not item.tags:
        return ""
    return f"A story of {' and '.join(tag.lower() for tag in item.tags)}."


def topic(question: str, lived: tuple[Lived, ...], catalogue: Catalogue) -> Lived | None:
    """Return what an interview answer is about: the item named, the best, worst or last."""
    asked = question.casefold()
    for entry in reversed(lived):
        if re.search(rf"(?<!\w){re.escape(catalogue[entry.item].title.casefold())}(?!\w)", asked):
            return entry
    rated = [entry for entry in lived if entry.stars]
    if rated and _WORST.search(question):
        return min(reversed(rated), key=lambda entry: entry.stars)
    if rated and _BEST.search(question):
        return max(reversed(rated), key=lambda entry: entry.stars)
    return lived[-1] if lived else None


def speech(facts: Facts, salt: str = "", *, candidates: int = CANDIDATES) -> Request | None:
    """Return the request for a line, or None if the item has no story."""
    if not facts.about:
        return None
    begun = beginning(facts)
    filled = {"about": facts.about, "beginning": begun}
    return Request(
        purpose=facts.kind,
        messages=_messages(prompt_of(begun), filled),
        candidates=candidates,
        max_tokens=MAX_TOKENS,
        temperature=TEMPERATURE,
        stop=("\n",),
        salt=salt,
    )


def say(facts: Facts, salt: str = "", *, candidates: int = 1) -> Request:
    """Return the request for a whole line to a model that was trained to speak.

    The training data are made with this function, so a change of the prompt asks for a new model.
    """
    filled = {
        "task": _TASKS[facts.kind].format_map(
            {"friend": facts.friend or "a friend", "question": _in_one_line(facts.question)}
        ),
        "title": facts.title,
        "about": facts.about,
        "person": _person(facts),
        "opinion": _opinion(facts),
        "plural": facts.plural,
    }
    return Request(
        purpose=facts.kind,
        messages=_messages("voice-say.md", filled),
        candidates=candidates,
        max_tokens=SAID_TOKENS,
        temperature=SAID_TEMPERATURE,
        top_p=SAID_TOP_P,
        stop=("\n",),
        salt=salt,
    )


_TASKS: dict[Kind, str] = {
    "feeling": "Say how it was for you.",
    "post": "Post about it.",
    "opening": "Write to {friend} about it.",
    "reply": "Answer {friend} about it.",
    "interview": "Answer: {question}",
}
_OPINIONS = ("hated it", "disliked it", "found it all right", "liked it", "loved it")
_STANCES: dict[Mood, str] = {
    "good": "liked it",
    "mixed": "is not sure about it",
    "bad": "disliked it",
}


def _person(facts: Facts) -> str:
    parts = (str(facts.age or ""), facts.career, *facts.traits[:2])
    return ", ".join(part for part in parts if part) or "somebody"


def _opinion(facts: Facts) -> str:
    if not facts.lived:
        return f"has not seen it, heard {facts.mood} things"
    liked = _OPINIONS[facts.stars - 1] if facts.stars else _STANCES[facts.mood]
    return f"{liked}, gave up before the end" if facts.dropped else liked


def _in_one_line(question: str) -> str:
    return " ".join(question.split())[:_ASKED]


def beginning(facts: Facts) -> str:
    """Return the beginning of a line, with the title, in the mood of the facts."""
    trait = facts.traits[int(facts.draw * 7919) % len(facts.traits)] if facts.traits else ""
    holes = {
        "title": facts.title,
        "past": facts.past,
        "friend": facts.friend,
        "trait": trait,
        "career": "" if facts.career in _NO_TRADE else _with_article(facts.career),
        "age": str(facts.age) if facts.age and facts.age >= 40 else "",
    }
    known = beginnings()
    of_mood = known.get((_part(facts), facts.mood)) or known[facts.kind, facts.mood]
    fitting = [
        text for text in of_mood if all(holes[name] for _, name, _, _ in _parse(text) if name)
    ]
    chosen = fitting[int(facts.draw * len(fitting))].format_map(holes)
    return chosen[0].upper() + chosen[1:]


def _part(facts: Facts) -> str:
    if facts.kind == "feeling" and facts.dropped:
        return "dropped"
    if facts.kind == "reply" and not facts.lived:
        return "reply-new"
    return facts.kind


def _parse(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    return list(Formatter().parse(text))


def _with_article(noun: str) -> str:
    return f"an {noun}" if noun[:1].casefold() in set("aeiou") else f"a {noun}"


def wants_clause(begun: str) -> bool:
    """Return True if a beginning continues with an event rather than a thing."""
    return begun.endswith(_CLAUSE)


def prompt_of(begun: str) -> str:
    """Return the name of the prompt file for a beginning."""
    return "voice-when.md" if wants_clause(begun) else "voice-thing.md"


@lru_cache(maxsize=8)
def _read(name: str) -> str:
    return files("audience.agents.voiced").joinpath("prompts", name).read_text(encoding="utf-8")


@lru_cache(maxsize=8)
def _parts(name: str) -> tuple[tuple[str, str], ...]:
    found = re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", _read(name), re.M | re.S)
    return tuple((role, text.strip()) for role, text in found)


def _messages(name: str, filled: dict[str, str]) -> tuple[ChatMessage, ...]:
    parts = [{"role": role, "content": text} for role, text in _parts(name)]
    for part in (parts[0], parts[-1]):
        part["content"] = part["content"].format_map(filled)
    return msgspec.convert(parts, tuple[ChatMessage, ...])


@lru_cache(maxsize=8)
def examples(name: str) -> tuple[str, ...]:
    """Return all texts of a prompt but the last, which a model might echo."""
    return tuple(text for _, text in _parts(name)[:-1])


@lru_cache(maxsize=1)
def beginnings() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the beginnings of lines by kind and mood."""
    found: dict[tuple[str, str], list[str]] = {}
    lines: list[str] = []
    for line in _read("voice-beginnings.md").splitlines():
        if line.startswith("# "):
            part, mood = line[2:].split()
            lines = found.setdefault((part, mood), [])
        elif line.startswith("- "):
            lines.append(line[2:])
    return {key: tuple(texts) for key, texts in found.items()}
