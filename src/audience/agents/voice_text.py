"""What words say by themselves: which there are, what mood they carry, whether anything happens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from audience.agents.voice_words import (
    AUXILIARIES,
    BLAME,
    BLAMING,
    COLLECTIVES,
    DENIAL,
    DETERMINERS,
    LINKS,
    PRAISE,
    PRAISING,
    RELATIVES,
)

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*'?|,")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold().removesuffix("'s") for word in WORD.findall(text.replace("’", "'"))]


def mood_of(text: str, story: Iterable[str] = ()) -> int:
    """Return how far a text praises (above 0) or blames; the story's own words do not count."""
    told, score = set(story), 0
    parts = re.split(r"[,;:.!?]|\bbut\b|\bthough\b", text.casefold().replace("’", "'"))
    for part in parts:
        denied = False
        for word in words(part):
            denied = denied or word in DENIAL
            weight = 0 if word in told else weight_of(word)
            score += -weight if denied else weight
    whole = text.casefold()
    return score + sum(turn in whole for turn in PRAISING) - sum(turn in whole for turn in BLAMING)


def weight_of(word: str) -> int:
    """Return 1 for a word of praise, -1 for one of blame."""
    return (word in PRAISE) - (word in BLAME)


def verbs(said: Sequence[str]) -> int:
    """Return how many of the words tell of something that happens, as far as their order shows."""
    padded = ["", *said, ""]
    return sum(_is_verb(*padded[place - 1 : place + 2]) for place in range(2, len(said) + 1))


def _is_verb(before: str, word: str, after: str) -> bool:
    """Return whether a word reads as a verb between two others."""
    if word in AUXILIARIES:
        return True
    if word in LINKS or word in DETERMINERS or word.endswith(("'s", "s'", "ing")):
        return False
    if before in DETERMINERS or (before in LINKS and before not in RELATIVES):
        return False
    if after in DETERMINERS:
        return True
    loose = after in ("", ",", "and", "or", "of")
    third_person = word.endswith("s") and not word.endswith("ss")
    return (_is_plural(before) or third_person) and not loose


def _is_plural(word: str) -> bool:
    if word in COLLECTIVES or "-" in word:
        return word in COLLECTIVES
    return word.endswith(("s", "men", "people")) and not word.endswith(("ss", "'s", "s'"))


def akin(word: str, known: set[str]) -> bool:
    """Return whether a word is one of the known ones, or another form of one."""
    if word in known:
        return True
    parts = word.split("-")
    if len(parts) > 1 and all(part in known for part in parts):
        return True
    return any(
        _common(word, other) >= max(4, 2 * min(len(word), len(other)) // 3) for other in known
    )


def _common(one: str, other: str) -> int:
    size = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        size += 1
    return size


def runs_of(said: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Return every run of `size` words."""
    return [tuple(said[place : place + size]) for place in range(len(said) - size + 1)]
