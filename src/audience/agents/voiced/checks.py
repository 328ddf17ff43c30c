"""Checks of generated lines: a line must keep to the facts, the mood and the form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from audience.agents.voiced.lexicon import (
    COMMON,
    ENGLISH,
    LINKS,
    NO_THING,
    PRONOUNS,
    RELATIVES,
    SELF,
    TOKEN,
    WORD,
    akin,
    mood_of,
    runs_of,
    verbs,
    weight_of,
    words,
)
from audience.agents.voiced.voice import Facts, Mood, beginning, examples, prompt_of, wants_clause

SHORTEST, LONGEST = 4, 40
_READ = 2_000
"""Characters of a candidate that are looked at."""
_MARKUP = re.compile(
    r"[{}\[\]|*_`#~^\\]|https?:|www\.|@\w|"
    r"\b(?:user|assistant|system|human|story|sentence|question|answer|note|response)\s*:|"
    r"\bas an ai\b|language model|i'm sorry, but|i am sorry, but|\bsure[,!]|here (?:is|are) ",
    re.I,
)
_PICTURE = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u200d\ufe0f]")
_ARTICLED = re.compile(r"\bthe ([A-Z]\w*[^\Ws])(?=[.,]| and\b)")
_UNNAMED = "xx"
"""Stands for the title in a whole line; no check takes it for an English word."""
_LEAKED = re.compile(
    r"^(?:you|opinion|post|reply|me)\s*:|\bopinion:|\ba person who talks\b|\bsay how it was\b|"
    r"\b(?:is not sure about|has not seen) it\b",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]+)[\"“”«»]|<([^<>]*)>")


class Titles:
    """All titles, to detect one that a line should not name."""

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._all = frozenset(titles)
        self._long: dict[str, list[str]] = {}
        for title in self._all:
            words = title.split()
            if len(words) > 1:
                self._long.setdefault(words[0], []).append(title)

    def named(self, text: str) -> str:
        """Return a title that `text` names, or empty; one-word titles count only in quotes."""
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
    """A line that passed all checks, and how it was chosen."""

    text: str
    reason: str


def first_good(
    candidates: Sequence[str], facts: Facts, titles: Titles | None = None
) -> Good | None:
    """Return the first candidate that passes all checks, or None to use a template."""
    begun = beginning(facts)
    lines = [joined(begun, candidate) for candidate in candidates]
    return _first(lines, [fault(line, facts, titles, begun) for line in lines])


def first_whole(
    candidates: Sequence[str], facts: Facts, titles: Titles | None = None
) -> Good | None:
    """Return the first candidate that passes the checks of whole lines, or None."""
    lines = [candidate[:_READ].strip().strip('"“”').strip() for candidate in candidates]
    return _first(lines, [line_fault(line, facts, titles) for line in lines])


def _first(lines: Sequence[str], faults: Sequence[str]) -> Good | None:
    """Return the first line without a fault; its reason names the faults before it."""
    for place, (line, wrong) in enumerate(zip(lines, faults, strict=True)):
        if not wrong:
            before = f" ({', '.join(faults[:place])})" if place else ""
            return Good(line, f"line {place + 1} of {len(lines)}{before}")
    return None


def joined(begun: str, candidate: str) -> str:
    """Return the whole line: the beginning and the model's first sentence."""
    rest = (
        candidate[:_READ].strip().strip('"“”').strip().removeprefix("...").removeprefix("…").strip()
    )
    if rest.casefold().startswith(begun.casefold()):
        rest = rest[len(begun) :].strip(" ,:")
    first = re.split(r"(?<=[.!?])\s+(?=[A-Z<\"])", rest, maxsplit=1)[0]
    if re.match(r"(?:The|A|An|His|Her|Their|Its) ", first):
        first = first[0].lower() + first[1:]
    return f"{begun} {first}".strip()


def fault(text: str, facts: Facts, titles: Titles | None = None, begun: str = "") -> str:
    """Return what is wrong with a line in a word or two, or empty.

    The line starts with `begun`, by default the beginning that its facts ask for.
    """
    line = _Line(text, facts, titles or Titles(), begun or beginning(facts))
    return next((name for name, wrong in _CHECKS if wrong(line)), "")


def line_fault(text: str, facts: Facts, titles: Titles | None = None) -> str:
    """Return what is wrong with a line that a model wrote as a whole, or empty.

    Its wording is free, so neither its grammar nor how much of it comes from the story is checked.
    """
    line = _Line(text, facts, titles or Titles(), "")
    return next((name for name, wrong in _WHOLE_CHECKS if wrong(line)), "")


class _Line:
    """A line, split into the parts that the checks need; without `begun` all of it is checked."""

    def __init__(self, text: str, facts: Facts, titles: Titles, begun: str) -> None:
        self.text, self.facts, self.titles = text, facts, titles
        self.named = f"<{facts.title}>"
        self.bare = text.replace(self.named, " ")
        self.begun = begun
        rest = text.removeprefix(begun) if begun else text.replace(self.named, _UNNAMED)
        self.rest = rest.strip()
        self.words = words(self.rest)
        # A title of one word is a name: "the carrie" is no thing of the story.
        told = f"{facts.about} {facts.title}" if " " in facts.title else facts.about
        self.known = words(told) + words(told.replace("-", " "))


def _misshapen(line: _Line) -> bool:
    return "\n" in line.text or bool(_MARKUP.search(line.rest) or _PICTURE.search(line.text))


def _misnamed(line: _Line) -> bool:
    own = line.facts.title
    again = len(own.split()) > 1 and own.casefold() in line.bare.casefold()
    return line.text.count(line.named) != 1 or again or "<" in line.bare or ">" in line.bare


def _names_another(line: _Line) -> bool:
    return bool(line.titles.named(line.bare.replace(line.facts.about, " ")))


def _unfinished(line: _Line) -> bool:
    return not re.search(r"[^\W\d_]{2}\W{0,2}[.!?]$", line.rest) or line.rest.endswith("..")


def _wrong_length(line: _Line) -> bool:
    return not SHORTEST <= len(line.text.split()) <= LONGEST or not line.words


def _foreign(line: _Line) -> bool:
    told = f"{line.facts.about} {line.facts.title} {line.begun}"
    if _scripts(line.rest) - _scripts(told):
        return True
    return not any(word in ENGLISH for word in line.words)


def _foreign_whole(line: _Line) -> bool:
    if _scripts(line.rest) - _scripts(f"{line.facts.about} {line.facts.title}"):
        return True
    english = [word for word in line.words if word in ENGLISH | COMMON or weight_of(word)]
    return len(set(english)) < 2 or len(english) < len(line.words) / 4


def _scripts(text: str) -> set[str]:
    """Return the scripts of the letters, as LATIN or CYRILLIC."""
    return {unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha()}


@lru_cache(maxsize=2)
def _told(name: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Return the content words and the four-word runs of a prompt's fixed texts."""
    texts = examples(name)
    content = {word for text in texts for word in words(text) if word not in COMMON}
    return frozenset(content), frozenset(run for text in texts for run in runs_of(words(text), 4))


def _echoes(line: _Line) -> bool:
    """Return True if the rest repeats an example of the prompt, or the beginning."""
    content, runs = _told(prompt_of(line.begun))
    own = set(line.known)
    said = {word for word in line.words if not akin(word, own)}
    begun = {word for word in words(line.begun) if word not in COMMON}
    if said & begun or any(word in content and not weight_of(word) for word in said):
        return True
    return any(run in runs and set(run) & said - COMMON for run in runs_of(line.words, 4))


def _leaks(line: _Line) -> bool:
    return bool(_LEAKED.search(line.rest))


def _repeats_whole(line: _Line) -> bool:
    """Return True if a phrase comes twice, or a word of content twice in a sentence."""
    said = line.words
    runs = runs_of(said, 3)
    if len(runs) != len(set(runs)) or any(word == other for word, other in pairwise(said)):
        return True
    sentences = [
        [word for word in words(text) if word not in COMMON]
        for text in _SENTENCE_END.split(line.rest)
    ]
    return any(len(content) != len(set(content)) for content in sentences)


def _repeats(line: _Line) -> bool:
    said = line.words
    if any(word == other for word, other in pairwise(said)):
        return True
    content = [word for word in said if word not in COMMON]
    runs = runs_of(said, 3)
    return len(runs) != len(set(runs)) or any(content.count(word) > 1 for word in content)


def _invents(line: _Line) -> bool:
    """Return True if a line names a person, a number or a gender that the facts lack."""
    facts = line.facts
    known = set(line.known) | set(words(f"{facts.friend} {line.begun}")) | {"i", "i'm", "i'll"}
    names = re.findall(r"(?<=[\w,;:] )[A-Z][\w'-]+", line.rest)
    if any(not set(words(name)) <= known and not akin(name.casefold(), known) for name in names):
        return True
    told = f"{facts.about} {facts.title} {line.begun}"
    if any(number not in told for number in re.findall(r"\d+", line.rest)):
        return True
    return any(family & set(line.words) and not family & set(line.known) for family in PRONOUNS)


def _invents_whole(line: _Line) -> bool:
    """Return True if a whole line has a name, a number or a gender that the facts lack."""
    facts = line.facts
    own = f"{facts.friend} {facts.career} {' '.join(facts.traits)} {facts.question}"
    known = set(line.known) | set(words(f"{own} {facts.title}")) | _SELF_NAMES
    names = re.findall(r"(?<=[\w,;:] )[A-Z][\w'’-]+", line.rest)
    if any(not set(words(name)) <= known and not akin(name.casefold(), known) for name in names):
        return True
    told = f"{facts.about} {facts.title} {facts.question} {facts.age} {facts.stars}"
    numbers = set(re.findall(r"\d+", told))
    if any(number not in numbers for number in re.findall(r"\d+", line.rest)):
        return True
    said = set(words(_IDIOMS.sub(" ", line.rest.casefold()))) - _ANYBODY
    return any(family & said and not family & known for family in PRONOUNS)


_SELF_NAMES = frozenset("i i'm i'll i've i'd".split())
_ANYBODY = frozenset("they them their theirs themselves friends family children parents".split())
"""Words of the plural that people say of themselves and of anybody."""
_IDIOMS = re.compile(
    r"\b(?:two|three|four|five) (?:minds|hours|stars|times|thumbs|nights|evenings)"
)


def _miswrites(line: _Line) -> bool:
    """Return True if a name of the story is in lower case, or written as `the Italy`."""
    told = WORD.findall(line.facts.about)
    story = set(told[1:])
    if any(
        word.islower() and word not in story | COMMON and word.capitalize() in story
        for word in WORD.findall(line.rest)
    ):
        return True
    places = {name for before, name in pairwise(told) if before in LINKS}
    return any(name in places for name in _ARTICLED.findall(line.rest))


def _wrong_mood(line: _Line) -> bool:
    begun = mood_of(line.begun.replace(line.named, " "))
    return _off(begun + mood_of(line.rest, line.known), line.facts.mood)


def _wrong_mood_whole(line: _Line) -> bool:
    """Return True if a whole line is of another mood; a verdict counts even in a story's word."""
    said = _VERDICT.sub(r"\1\2d", _NO_SENTIMENT.sub(" ", line.rest.casefold().replace("’", "'")))
    return _off(mood_of(said, words(line.facts.about)), line.facts.mood)


def _off(score: int, mood: Mood) -> bool:
    if mood == "mixed":
        return abs(score) > 2
    return score <= 0 if mood == "good" else score >= 0


_VERDICT = re.compile(r"\b((?:i|you|i'll|you'll|will|would|not|n't)(?: \w+ly)? )(love|like|hate)\b")
_NO_SENTIMENT = re.compile(
    r"\b(?:fe(?:lt|els?)|looks?|seem(?:s|ed)?|something|more) like\b|"
    r"\b(?:not|cannot|\w+n't) (?:only|just|stop(?! thinking)|wait|help|get enough|expect)\b"
)
"""Comparisons, and denials that deny nothing."""


def _no_phrase(line: _Line) -> bool:
    """Return True if the rest does not continue the beginning with a thing or an event."""
    said = TOKEN.findall(line.rest.casefold())
    if SELF & set(said) or said[0] in NO_THING or said[0].endswith("ing"):
        return True
    related = next((place for place, word in enumerate(said) if word in RELATIVES), len(said))
    if wants_clause(line.begun):
        # A relative clause has a verb of its own, which is not what happens.
        return len(line.words) < 4 or not (verbs(said[:related]) or verbs(said) > 1)
    alone = related < len(said) < related + 3
    return bool(verbs(said[:related])) or alone or said.count(",") > 1


def _drifts(line: _Line) -> bool:
    own = set(line.known)
    content = {word for word in line.words if word not in COMMON and not weight_of(word)}
    strange = {word for word in content if not akin(word, own)}
    return len(content) == len(strange) or len(strange) > len(content) // 3


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
_WHOLE_CHECKS: tuple[tuple[str, Callable[[_Line], bool]], ...] = (
    ("form", _misshapen),
    ("title", _misnamed),
    ("other title", _names_another),
    ("length", _wrong_length),
    ("unfinished", _unfinished),
    ("language", _foreign_whole),
    ("echo", _leaks),
    ("repeats", _repeats_whole),
    ("invents", _invents_whole),
    ("spelling", _miswrites),
    ("mood", _wrong_mood_whole),
)
