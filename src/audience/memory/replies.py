"""Reading a model's replies about memories: what is valid is kept, the rest is counted.

Whatever is missing, contradictory or out of range becomes a problem, in words that name nobody.
Nothing takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from audience.llm import (
    Broken,
    Reply,
    T,
    Table,
    Unreadable,
    agreed,
    answer_in,
    number_of,
    plain_value,
    sort_out,
    squash,
    told as f_told,
    words,
)
from audience.memory.consolidation import Insight
from audience.memory.prompts import HIGHEST, ReplyContents
from audience.memory.sentences import begun, fitting

_ENDLESS = 10**9
_HOLES = frozenset(("", "i", "itext", "isentence"))
"""What is left of a sentence that only begins."""
_TEXT = ("sentence", "text", "memory", "content", "summary")
_DRAWN = ("insight", "sentence", "text", "conclusion")
_MEMORIES = ("memories", "memory", "lines", "entries")
_TOP: Table = {
    "memories": _MEMORIES,
    "insights": ("insights", "insight"),
    "reflection": ("reflection", "reflections"),
}
_MEMORY: Table = {
    "n": ("n", "number", "no", "line", "id"),
    "sentence": _TEXT,
    "importance": ("importance", "score", "rating"),
}
_INSIGHT: Table = {"n": ("n", "letter", "id"), "insight": _DRAWN}
_REFLECTION: Table = {
    "topic": ("topic", "theme"),
    "insight": _DRAWN,
    "sources": ("sources", "source", "memories", "numbers"),
}


class MemoryReply(msgspec.Struct, frozen=True):
    """The usable content of a reply."""

    memories: Mapping[int, tuple[str, int]] = {}
    """By the number of the line: a sentence and its importance."""
    insights: Mapping[str, str] = {}
    reflection: Insight | None = None
    problems: tuple[str, ...] = ()
    why: str = ""
    """What was wrong, in words for the model."""

    @property
    def usable(self) -> bool:
        return bool(self.memories or self.insights or self.reflection)


def read(reply: Reply, wanted: ReplyContents) -> MemoryReply:
    """Return the content of a reply to the fused prompt of a round."""
    value = value_of(reply)
    if isinstance(value, Unreadable):
        return MemoryReply(problems=(problem_of(value.why),), why=value.why)
    problems: list[str] = []
    try:
        given = _given(value)
        told = MemoryReply(
            _memories(given.get("memories"), wanted.memories, problems),
            _insights(given.get("insights"), wanted.insights, problems),
            conclusion_in(given.get("reflection"), wanted.sources, problems),
        )
    except Broken as broken:
        return MemoryReply(problems=(problem_of(broken.why),), why=broken.why)
    return msgspec.structs.replace(told, problems=tuple(problems), why="; ".join(problems))


def value_of(reply: Reply) -> Any | Unreadable:  # noqa: ANN401
    """Return the JSON value of a reply, or why there is none."""
    if reply.outcome != "reply":
        return Unreadable(f"no reply ({reply.outcome})")
    return answer_in(reply.text)


def problem_of(why: str) -> str:
    """Return the kind of a problem, without its details."""
    return why.partition(":")[0]


def sentence_in(value: Any, name: str, problems: list[str]) -> str:  # noqa: ANN401
    """Return the one sentence of a reply, empty if there is none."""
    table = {"sentence": _MEMORY, "insight": _REFLECTION, "topic": _REFLECTION}[name]
    return _tried(lambda: _text(_fields(value, table), name), "", problems)


def importance_in(value: Any, problems: list[str]) -> int:  # noqa: ANN401
    """Return the one importance of a reply, 0 if there is none."""
    return _tried(lambda: _importance(_fields(value, _MEMORY)), 0, problems)


def _tried(work: Callable[[], T], otherwise: T, problems: list[str]) -> T:
    try:
        return work()
    except Broken as broken:
        problems.append(problem_of(broken.why))
        return otherwise


def _given(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the parts of a reply; a bare list or entry means memories."""
    if isinstance(value, dict):
        found = sort_out(value, _TOP)
        if not found and squash("sentence") in {squash(key) for key in value}:
            return {"memories": [value]}
        if any(len(values) > 1 for values in found.values()):
            raise Broken("contradiction: a part is given twice")
        return {name: values[0] for name, values in found.items()}
    if isinstance(value, list):
        return {"memories": value}
    raise Broken("no JSON: a JSON object is wanted, nothing else")


def _entries(given: Any, what: str, wanted: int, problems: list[str]) -> list[Any]:  # noqa: ANN401
    entries = given if isinstance(given, list) else [given] if given else []
    if not wanted:
        problems += [f"{what} not asked for"] * bool(entries)
        return []
    if len(entries) > wanted:
        problems.append(f"too many {what}")
    return entries


def _memories(given: Any, count: int, problems: list[str]) -> dict[int, tuple[str, int]]:  # noqa: ANN401
    found: dict[int, list[tuple[str, int]]] = {}
    named: set[int] = set()

    def add(place: int, entry: Any) -> None:  # noqa: ANN401
        fields = _fields(entry, _MEMORY)
        number = agreed(fields, "n", _number, 0) if f_told(fields, "n") else place
        if not 1 <= number <= count:
            raise Broken("unknown number")
        named.add(number)
        said = (_text(fields, "sentence"), _importance(fields))
        found.setdefault(number, []).append(said)

    for place, entry in enumerate(_entries(given, "memories", count, problems), 1):
        _tried(partial(add, place, entry), None, problems)
    if len(named) < count:
        problems.append("too few memories" if named else "no memories")
    return _single(found, lambda said: said[1], "memories", problems)


def _insights(given: Any, letters: Sequence[str], problems: list[str]) -> dict[str, str]:  # noqa: ANN401
    found: dict[str, list[str]] = {}

    def add(place: int, entry: Any) -> None:  # noqa: ANN401
        fields = _fields({"insight": entry} if isinstance(entry, str) else entry, _INSIGHT)
        named = "".join(map(str, f_told(fields, "n"))).strip("[]().: ").upper()
        place = int(named) - 1 if named.isdecimal() else place
        letter = named if named.isalpha() else "".join(letters[place : place + 1])
        if not letter or letter not in letters:
            raise Broken("unknown letter")
        said = _text(fields, "insight")
        found.setdefault(letter, []).append(said)

    for place, entry in enumerate(_entries(given, "insights", len(letters), problems)):
        _tried(partial(add, place, entry), None, problems)
    if len(found) < len(letters):
        problems.append("too few insights")
    return _single(found, lambda said: said, "insights", problems)


def _single(
    found: Mapping[Any, list[T]], matter: Callable[[T], object], what: str, problems: list[str]
) -> dict[Any, T]:
    """Return the single statement about each, dropping contradictions."""
    kept: dict[Any, T] = {}
    for number, said in found.items():
        if any(matter(statement) != matter(said[0]) for statement in said):
            problems.append(f"contradictory {what}")
        else:
            kept[number] = said[0]
    return kept


def conclusion_in(given: Any, sources: Sequence[int], problems: list[str]) -> Insight | None:  # noqa: ANN401
    """Return the insight of a reply with the sources it cites by their places, if there is one."""
    if not sources:
        problems += ["reflection not asked for"] * bool(given)
        return None
    if not given:
        problems.append("no reflection")
        return None
    return _tried(lambda: _concluded(given, sources, problems), None, problems)


def _concluded(given: Any, sources: Sequence[int], problems: list[str]) -> Insight:  # noqa: ANN401
    fields = _fields(given, _REFLECTION)
    insight = _text(fields, "insight")
    named = [source for value in fields.get("sources", ()) for source in _listed(value)]
    places = [place for value in named if 1 <= (place := _source(value)) <= len(sources)]
    valid = [sources[place - 1] for place in places]
    problems += ["unknown source"] * (len(valid) < len(named))
    if not valid:
        raise Broken("insight without sources")
    return Insight(insight, tuple(dict.fromkeys(valid)))


def _listed(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else [value]


def _source(value: Any) -> int:  # noqa: ANN401
    text = value.strip("[]()# ") if isinstance(value, str) else value
    try:
        return _number(text)
    except Broken:
        return -1


def _fields(entry: Any, table: Table) -> dict[str, list[Any]]:  # noqa: ANN401
    entry = plain_value(entry)
    if not isinstance(entry, dict):
        raise Broken("entry is no object")
    known = {name for names in table.values() for name in names}
    flat = {
        key: value
        for key, value in entry.items()
        if not isinstance(value, list | dict) or squash(key) in known
    }
    return sort_out(flat, table)


def _text(fields: Mapping[str, list[Any]], name: str) -> str:
    """Return a field's text, cut after a sentence, a clause or a word if it is too long."""
    said = words(fields, name, _ENDLESS)
    if not said:
        raise Broken(f"empty {name}")
    if squash(said) in _HOLES:
        raise Broken(f"echo: {name} is {said!r}, a hole to be filled")
    return fitting((said, begun("", said), said))


def _importance(fields: Mapping[str, list[Any]]) -> int:
    if not f_told(fields, "importance"):
        raise Broken("importance missing")
    return agreed(fields, "importance", _degree, 0)


def _degree(value: Any) -> int:  # noqa: ANN401
    try:
        found = number_of(value, "importance")
    except Broken:
        raise Broken("importance not a number") from None
    if found.of not in (None, HIGHEST) or found.unit or found.value not in range(1, HIGHEST + 1):
        raise Broken("importance out of range")
    return int(found.value)


def _number(value: Any) -> int:  # noqa: ANN401
    found = number_of(value, "n")
    if found.of is not None or found.unit or found.value != int(found.value):
        raise Broken("unknown number")
    return int(found.value)
