"""Whether a line may be said: it keeps to the facts, the mood and the form, or it is not said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from audience.agents.voice import Facts, beginning, examples, prompt_of, wants_clause
from audience.agents.voice_words import (
    AUXILIARIES,
    BLAME,
    COMMON,
    DENIAL,
    DETERMINERS,
    ENGLISH,
    FOLLOWERS,
    LINKS,
    NO_THING,
    PRAISE,
    PRONOUNS,
    RELATIVES,
)

SHORTEST, LONGEST = 4, 40
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MARKUP = re.compile(
    r"[{}\[\]|*_`#~^\\]|https?:|www\.|@\w|"
    r"\b(?:user|assistant|system|human|story|sentence|question|answer|note|response)\s*:|"
    r"\bas an ai\b|language model|i'm sorry, but|i am sorry, but|\bsure[,!]|here (?:is|are) ",
    re.I,
)
_PICTURE = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u200d\ufe0f]")
_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]+)[\"“”«»]|<([^<>]*)>")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*'?|,")


class Titles:
    """Every title there is, to notice one that a line should not name."""

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._all = frozenset(titles)
        self._long: dict[str, list[str]] = {}
        for title in self._all:
            words = title.split()
            if len(words) > 1:
                self._long.setdefault(words[0], []).append(title)

    def named(self, text: str) -> str:
        """Return a title that `text` names, or nothing. One-word titles count only as quoted."""
        for found in _QUOTED.finditer(text):
            inside = (found[1] or found[2] or "").strip(" ,.")
            if inside in self._all:
                return inside
        for place, word in enumerate(words := text.split()):
            for title in self._long.get(word, ()):
                size = len(title.split())
                if " ".join(words[place : place + size]).rstrip(".,;:!?'") == title.rstrip(".!?'"):
                    return title
        return ""


class Good(NamedTuple):
    """A line that may be said, and how it was chosen."""

    text: str
    reason: str


def first_good(
    candidates: Sequence[str], facts: Facts, titles: Titles | None = None
) -> Good | None:
    """Return the first candidate that passes all checks, or None: then a template speaks."""
    begun, wrong = beginning(facts), []
    for place, candidate in enumerate(candidates, 1):
        text = joined(begun, candidate)
        found = fault(text, facts, titles)
        if not found:
            told = f" ({', '.join(wrong)})" if wrong else ""
            return Good(text, f"line {place} of {len(candidates)}{told}")
        wrong.append(found)
    return None


def joined(begun: str, candidate: str) -> str:
    """Return the whole line: the beginning and what a model added, cut after its first sentence."""
    rest = candidate.strip().strip('"“”').strip().removeprefix("...").removeprefix("…").strip()
    if rest.casefold().startswith(begun.casefold()):
        rest = rest[len(begun) :].strip(" ,:")
    first = re.split(r"(?<=[.!?])\s+(?=[A-Z<\"])", rest, maxsplit=1)[0]
    if re.match(r"(?:The|A|An|His|Her|Their|Its) ", first):
        first = first[0].lower() + first[1:]
    return f"{begun} {first}".strip()


def fault(text: str, facts: Facts, titles: Titles | None = None) -> str:
    """Return what is wrong with a line, in a word or two, or nothing."""
    line = _Line(text, facts, titles or Titles())
    return next((name for name, wrong in _CHECKS if wrong(line)), "")


class _Line:
    """A line with the parts that the checks look at."""

    def __init__(self, text: str, facts: Facts, titles: Titles) -> None:
        self.text, self.facts, self.titles = text, facts, titles
        self.named = f"<{facts.title}>"
        self.bare = text.replace(self.named, " ")
        self.begun = beginning(facts)
        self.rest = text[len(self.begun) :].strip() if text.startswith(self.begun) else self.bare
        self.words = words(self.rest)
        self.known = words(f"{facts.about} {facts.title}".replace("-", " - "))
        self.known += words(f"{facts.about} {facts.title}")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold().removesuffix("'s") for word in _WORD.findall(text.replace("’", "'"))]


def _misshapen(line: _Line) -> bool:
    return "\n" in line.text or bool(_MARKUP.search(line.bare) or _PICTURE.search(line.text))


def _misnamed(line: _Line) -> bool:
    own = line.facts.title
    again = len(own.split()) > 1 and own.casefold() in line.bare.casefold()
    return line.text.count(line.named) != 1 or again or "<" in line.bare or ">" in line.bare


def _names_another(line: _Line) -> bool:
    return bool(line.titles.named(line.bare.replace(line.facts.about, " ")))


def _unfinished(line: _Line) -> bool:
    return not re.search(r"[^\W\d_]{2}\W{0,2}[.!?]$", line.text) or line.text.endswith("..")


def _wrong_length(line: _Line) -> bool:
    return not SHORTEST <= len(line.text.split()) <= LONGEST or not line.words


def _foreign(line: _Line) -> bool:
    strange = {letter for letter in line.rest if letter.isalpha() and not letter.isascii()}
    if strange - set(line.facts.about + line.facts.title):
        return True
    return not any(word in ENGLISH for word in line.words)


@lru_cache(maxsize=2)
def _told(name: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Return the content words and the four-word runs of a prompt's fixed texts."""
    texts = examples(name)
    content = {word for text in texts for word in words(text) if word not in COMMON}
    return frozenset(content), frozenset(run for text in texts for run in _runs(words(text), 4))


def _echoes(line: _Line) -> bool:
    """Return whether the rest repeats an example of the prompt, or the beginning."""
    content, runs = _told(prompt_of(line.begun))
    own = set(line.known)
    said = {word for word in line.words if not _akin(word, own)}
    begun = {word for word in words(line.begun) if word not in COMMON}
    if said & begun or any(word in content and not _weight(word) for word in said):
        return True
    return any(run in runs and set(run) & said - COMMON for run in _runs(line.words, 4))


def _repeats(line: _Line) -> bool:
    said = line.words
    if any(one == other for one, other in zip(said, said[1:], strict=False)):
        return True
    content = [word for word in said if word not in COMMON]
    runs = _runs(said, 3)
    return len(runs) != len(set(runs)) or any(content.count(word) > 1 for word in content)


def _invents(line: _Line) -> bool:
    """Return whether a line names somebody, a number or a sex that the facts do not know."""
    facts = line.facts
    known = set(line.known) | set(words(f"{facts.friend} {line.begun}")) | {"i", "i'm", "i'll"}
    names = re.findall(r"(?<=[\w,;:] )[A-Z][\w'-]+", line.rest)
    if any(not set(words(name)) <= known and not _akin(name.casefold(), known) for name in names):
        return True
    told = f"{facts.about} {facts.title} {line.begun}"
    if any(number not in told for number in re.findall(r"\d+", line.rest)):
        return True
    return any(family & set(line.words) and not family & set(line.known) for family in PRONOUNS)


def _miswrites(line: _Line) -> bool:
    """Return whether a name of the story is written like a common word."""
    story = set(_WORD.findall(line.facts.about)[1:])
    return any(
        word.islower() and word not in story and word.capitalize() in story
        for word in _WORD.findall(line.rest)
    )


def _wrong_mood(line: _Line) -> bool:
    begun = line.begun.replace(line.named, " ") if line.rest is not line.bare else ""
    score = mood_of(begun) + mood_of(line.rest, line.known)
    wanted = line.facts.mood
    if wanted == "mixed":
        return abs(score) > 2
    return score <= 0 if wanted == "good" else score >= 0


def mood_of(text: str, story: Iterable[str] = ()) -> int:
    """Return how far a text praises (above 0) or blames; the story's own words do not count."""
    told, score = set(story), 0
    parts = re.split(r"[,;:.!?]|\bbut\b|\bthough\b", text.casefold().replace("’", "'"))
    for part in parts:
        denied = False
        for word in words(part):
            denied = denied or word in DENIAL
            weight = 0 if word in told else _weight(word)
            score += -weight if denied else weight
    return score + _turns(text.casefold())


def _turns(text: str) -> int:
    """Return the weight of turns of speech that no single word of theirs carries."""
    praise = ("made my day", "will not forget", "your time, not even")
    blame = ("gave up", "did not finish", "stay away", "let me down", "nobody needs", "no patience",
             "wanted to like", "never believed", "not care", "not for me", "could not stand", "expected more")  # fmt: skip
    return sum(turn in text for turn in praise[:2]) - sum(turn in text for turn in blame)


def _weight(word: str) -> int:
    return (word in PRAISE) - (word in BLAME)


def _no_phrase(line: _Line) -> bool:
    """Return whether the rest does not go on as the beginning asks: a thing, or what happens."""
    if not line.text.startswith(line.begun):
        return False
    said = _TOKEN.findall(line.rest.casefold())
    if wants_clause(line.begun):
        return len(line.words) < 4 or not _acts(said)
    related = next((place for place, word in enumerate(said) if word in RELATIVES), len(said))
    loose = _acts(said[:related]) or said[0] in NO_THING or said.count(",") > 1
    return loose or (related < len(said) and not _acts(said[related - 1 :]))


def _acts(said: Sequence[str]) -> bool:
    """Return whether words tell of something that happens, as far as their order shows it."""
    padded = ["", *said, "", ""]
    return any(_is_verb(padded[place - 1 : place + 3]) for place in range(2, len(said) + 1))


def _is_verb(around: Sequence[str]) -> bool:
    """Return whether the second of four words reads as a verb between the others."""
    before, word, after, _ = around
    if word in AUXILIARIES:
        return True
    if word in LINKS or word in DETERMINERS or word.endswith(("'s", "s'", "ing")):
        return False
    if before in LINKS or before in DETERMINERS:
        return False
    plural = before.endswith(("s", "men", "people")) and not before.endswith(("ss", "'s", "s'"))
    if after in DETERMINERS:
        return True
    third_person = word.endswith("s") and not word.endswith("ss")
    return (plural or third_person) and after in FOLLOWERS


def _drifts(line: _Line) -> bool:
    own = set(line.known)
    content = {word for word in line.words if word not in COMMON and not _weight(word)}
    strange = {word for word in content if not _akin(word, own)}
    return len(content) == len(strange) or len(strange) > len(content) // 4


def _akin(word: str, known: set[str]) -> bool:
    """Return whether a word is one of the known ones, or another form of one."""
    if word in known:
        return True
    parts = word.split("-")
    if len(parts) > 1 and all(part in known for part in parts):
        return True
    return any(_common(word, other) >= max(4, min(len(word), len(other)) - 2) for other in known)


def _common(one: str, other: str) -> int:
    size = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        size += 1
    return size


def _runs(said: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(said[place : place + size]) for place in range(len(said) - size + 1)]


_CHECKS: tuple[tuple[str, Callable[[_Line], bool]], ...] = (
    ("form", _misshapen),
    ("title", _misnamed),
    ("other title", _names_another),
    ("length", _wrong_length),
    ("unfinished", _unfinished),
    ("language", _foreign),
    ("echo", _echoes),
    ("repeats", _repeats),
    ("invents", _invents),
    ("spelling", _miswrites),
    ("mood", _wrong_mood),
    ("phrase", _no_phrase),
    ("drifts", _drifts),
)
