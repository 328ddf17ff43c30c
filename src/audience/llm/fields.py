"""The fields of a reply: the names they may go by, and how their plain values are read.

A field may have any of the names that its table lists, regardless of case, spaces, hyphens and
underscores. Other fields are ignored, unless their name is nearly a known one or they hold a list
or an object: then something meant would be lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import Any, TypeVar

import msgspec

from audience.llm.lenient_json import Bare, Broken, cleaned

T = TypeVar("T")
Table = Mapping[str, tuple[str, ...]]

NOTHING = frozenset(("", "none", "null", "nil", "n/a", "na", "-", "empty", "(empty)", "(none)"))
_HOLES = frozenset(
    ("...", "…", "string", "text", "<text>", "<string>", "(text)", "sentence", "words")
)
_MARKS = "\"'`“”‘’ "
_MOST_FIELDS = 40
_NEARLY = 0.8
_AS_AI = re.compile(
    r"\bas an? (?:ai|artificial intelligence|large language model|language model)\b"
    r"(?=,| language| model| assistant|\W+i\b)"
    r"|\bi(?:'m| am|’m) (?:just |only )?an? (?:ai|large language model|language model)\b"
    r"(?=[.,;:!]|\s*$| language| model| assistant| and| so| but| created| designed)"
    r"|作为(?:一个|一名)?(?:ai|人工智能)|como (?:una )?(?:ia|inteligencia artificial),"
    r"|als (?:eine? )?(?:ki|künstliche intelligenz)\b",
    re.I,
)


def squash(word: str) -> str:
    """Return a name normalised for comparison: letters and digits only, in one case."""
    word = unicodedata.normalize("NFKC", word).casefold()
    return "".join(mark for mark in word if mark.isalnum())


def sort_out(value: Mapping[str, Any], table: Table) -> dict[str, list[Any]]:
    """Return the values of each field of a table, under any of its names."""
    if len(value) > _MOST_FIELDS:
        raise Broken(f"unknown field: {len(value)} fields are too many; known: {', '.join(table)}")
    known = {name: field for field, names in table.items() for name in names}
    fields: dict[str, list[Any]] = {}
    for key, content in value.items():
        name = squash(key)
        if name in known:
            fields.setdefault(known[name], []).append(content)
        elif (content and isinstance(content, list | dict)) or _nearly(name, known):
            raise Broken(f"unknown field: {key[:40]!r}; known: {', '.join(table)}")
    return fields


def _nearly(name: str, known: Mapping[str, str]) -> bool:
    """Return True if a name is a misspelling of a known one."""
    return any(
        SequenceMatcher(None, name, other).ratio() >= _NEARLY
        for other, field in known.items()
        if field != "why" and abs(len(name) - len(other)) <= 2
    )


def told(fields: Mapping[str, list[Any]], name: str) -> list[Any]:
    """Return the non-empty values of a field."""
    return [value for value in map(plain_value, fields.get(name, ())) if value not in (None, "")]


def agreed(fields: Mapping[str, list[Any]], name: str, read: Callable[[Any], T], otherwise: T) -> T:
    """Return the one meaning of a field, however often it is given; two are unreadable."""
    meanings = [read(value) for value in told(fields, name)]
    if any(meaning != meanings[0] for meaning in meanings):
        raise Broken(f"contradiction: {name} is given as {meanings[0]} and {meanings[-1]}")
    return meanings[0] if meanings else otherwise


def plain_value(value: Any) -> Any:  # noqa: ANN401
    """Return a value unwrapped from lists of one element."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and ("enum" in value or "type" in value):
        raise Broken("echo: this is the schema; answer with values")
    return value


def words(fields: Mapping[str, list[Any]], name: str, longest: int) -> str:
    """Return a field's text on one line, empty if it says that there is none."""
    return next((text for value in told(fields, name) if (text := _text(value, name, longest))), "")


def _text(value: Any, name: str, longest: int) -> str:  # noqa: ANN401
    if value is False:
        return ""
    if not isinstance(value, str) or isinstance(value, Bare):
        raise Broken(f"not a text: {name} is {shown(value)}; write it as a text in quotes")
    line = " ".join(cleaned(value).split())
    if line.casefold() in NOTHING or not line.strip(_MARKS):
        return ""
    if line.casefold() in _HOLES:
        raise Broken(f"echo: {name} is {line!r}, a hole to be filled")
    if as_ai(line):
        raise Broken(f"refused: {line[:100]}")
    if len(line) > longest:
        raise Broken(f"too long: {name} has {len(line)} characters; at most {longest}")
    return line


def as_ai(line: str) -> bool:
    """Return True if the model speaks as an AI instead of playing its role."""
    return bool(_AS_AI.search(line))


def aside(fields: Mapping[str, list[Any]], longest: int = 500) -> str:
    """Return the reason given, in any form, since nothing depends on it."""
    texts = [value for value in fields.get("why", ()) if isinstance(value, str)]
    return " ".join(cleaned(texts[0]).split())[:longest] if texts else ""


def shown(value: Any) -> str:  # noqa: ANN401
    """Return a value short enough for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_SMALL = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred"
_WORDS = {word: str(number) for number, word in enumerate(_SMALL.split())}
_WORDS |= {word: str(10 * number) for number, word in enumerate(_TENS.split(), 2)}
_WORD = re.compile(r"[a-z]+")
_COMPOUND = re.compile(r"\b([2-9])0[ -]([1-9])\b")
_WRITTEN = re.compile(
    r"([+-]?\d{1,6})(?:[.,](\d{1,12}))?\s*(?:(?:/|out of)\s*(\d{1,6}))?\s*(%|percent|stars?|)"
)
_STARS = re.compile(r"[★⭐🌟]{1,9}☆{0,9}")


class Number(msgspec.Struct, frozen=True):
    """A number and how it was written."""

    value: float
    pointed: bool
    """Has a decimal point: 1.0, not 1."""
    of: int | None = None
    """4/5 is 4 of 5."""
    unit: str = ""


def number_of(value: Any, name: str) -> Number:  # noqa: ANN401
    """Return the number that a value is or spells out."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Number(float(value), isinstance(value, float))
    if isinstance(value, str) and len(value) <= 40:
        text = value.strip().casefold().replace("\ufe0f", "")
        if _STARS.fullmatch(text):
            return Number(float(len(text.rstrip("☆"))), False, unit="stars")
        text = _WORD.sub(lambda word: _WORDS.get(word.group(), word.group()), text)
        text = _COMPOUND.sub(r"\1\2", text)
        if written := _WRITTEN.fullmatch(text):
            whole, part, of, unit = written.groups()
            number = float(f"{whole}.{part or 0}")
            return Number(number, bool(part), int(of) if of else None, unit.rstrip("s"))
    raise Broken(f"not a number: {name} is {shown(value)}")
