"""People written by a model: a table completed or extended field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from audience.agents.language.prompts import mind_prompts
from audience.llm import (
    ChatMessage,
    Gateway,
    Reply,
    Request,
    Unreadable,
    ask_for,
    list_of,
    loose_json,
    object_of,
    one_of,
    plain,
    together,
)

Row = dict[str, str]
FIELDS = ("name", "gender", "age", "traits", "career", "interests", "features")
_HABITS = ("Watcher", "Explorer", "Critic", "Chatter", "Poster")
_LISTS = {"traits": "|", "interests": "|", "features": ";"}
_TRIES = 4
_EXAMPLES = 6
_LONGEST = 200


class WrittenPeople(msgspec.Struct, frozen=True):
    """A table completed by a model, and how well it answered."""

    people: list[Row]
    unfilled: list[str]
    """One line for each person with missing fields."""
    asked: int = 0
    malformed: int = 0
    """Replies that could not be read, or for a wrong number of people."""
    unfit: int = 0
    """Missing or unusable fields of readable replies."""
    taken: int = 0
    """Names that another person already has."""


async def complete(
    rows: Sequence[Row],
    wanted: int,
    gateway: Gateway,
    *,
    tags: Sequence[str],
    plural: str = "films",
    model: str = "",
    seed: int = 1,
    fields: Sequence[str] = FIELDS,
    batch: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> WrittenPeople:
    """Return `wanted` people with their `fields` filled, as far as the model could.

    Given fields are kept. Names are unique: a duplicate is asked for again. A call covers at most
    `batch` people, a repeated one only one. Equal arguments ask equal questions, so that with a
    call store an interrupted table continues at no cost.
    """
    people = [dict(row) for row in rows[:wanted]]
    people += [{} for _ in range(wanted - len(people))]
    writer = _Writer(gateway, tags, plural, model, seed, _examples(rows))
    for attempt in range(_TRIES):
        groups = _groups(people, fields, batch if attempt == 0 else 1)
        if not groups:
            break
        filled = await together(writer.fill(group, people, fields, attempt) for group in groups)
        _take(people, groups, filled, writer)
        progress(sum(not _missing(row, fields) for row in people))
    unfilled = [
        f"row {place + 1}: {', '.join(left)} could not be filled"
        for place, row in enumerate(people)
        if (left := _missing(row, fields))
    ]
    return WrittenPeople(
        people, unfilled, writer.asked, writer.malformed, writer.unfit, writer.taken
    )


def _groups(people: Sequence[Row], fields: Sequence[str], batch: int) -> list[tuple[int, ...]]:
    """Return the rows of each call: those of one block that lack the same fields.

    Blocks do not move when a table grows, so that earlier answers are found again.
    """
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for place, row in enumerate(people):
        if missing := _missing(row, fields):
            groups.setdefault((place // batch, tuple(missing)), []).append(place)
    return [tuple(group) for group in groups.values()]


def _take(
    people: list[Row],
    groups: Sequence[tuple[int, ...]],
    filled: Sequence[Sequence[Row]],
    writer: _Writer,
) -> None:
    taken = {row["name"] for row in people if row.get("name")}
    for group, answers in zip(groups, filled, strict=True):
        for place, found in zip(group, answers, strict=True):
            if found.get("name") in taken and not people[place].get("name"):
                found.pop("name")
                writer.taken += 1
            people[place] |= found
            taken.add(people[place].get("name", ""))


def _missing(row: Mapping[str, str], fields: Sequence[str] = FIELDS) -> list[str]:
    return [field for field in FIELDS if field in fields and not row.get(field, "").strip()]


def _examples(rows: Sequence[Row]) -> str:
    whole = [row for row in rows if not _missing(row)][:_EXAMPLES]
    lines = (
        "; ".join(f"{field}: {plain(row[field], _LONGEST)}" for field in FIELDS) for row in whole
    )
    return "\n".join(lines) or "(none)"


class _Writer:
    def __init__(
        self,
        gateway: Gateway,
        tags: Sequence[str],
        plural: str,
        model: str,
        seed: int,
        examples: str,
    ) -> None:
        self.gateway, self.tags, self.plural = gateway, tuple(tags), plural
        self.model, self.seed, self.examples = model, seed, examples
        self.pack = mind_prompts(model=model)
        self.asked = self.malformed = self.unfit = self.taken = 0

    async def fill(
        self, group: Sequence[int], people: Sequence[Row], fields: Sequence[str], attempt: int
    ) -> list[Row]:
        """Return the missing fields of some rows, as far as the reply has them."""
        missing = _missing(people[group[0]], fields)
        request = self._request(group, people, missing, attempt)
        answers = await ask_for(self.gateway, request, lambda reply: _answers(reply, len(group)))
        self.asked += 1
        if isinstance(answers.value, Unreadable):
            self.malformed += 1
            return [{} for _ in group]
        rows = [
            {field: self._field(field, answer.get(field)) for field in missing}
            for answer in answers.value
        ]
        self.unfit += sum(not value for row in rows for value in row.values())
        return [{field: value for field, value in row.items() if value} for row in rows]

    def _request(
        self, group: Sequence[int], people: Sequence[Row], missing: Sequence[str], attempt: int
    ) -> Request:
        given = [_told(people[place]) for place in group]
        holes = {
            "plural": self.plural,
            "tags": ", ".join(self.tags),
            "examples": self.examples,
            "missing": ", ".join(missing),
            "given": given[0],
        }
        name, schema = "people", self._schema(missing)
        if len(group) > 1:
            lines = [f"{number}. Given: {told}." for number, told in enumerate(given, 1)]
            holes |= {"given": "\n".join(lines), "count": str(len(group))}
            name, schema = "people_batch", object_of(people=list_of(schema, len(group), len(group)))
        return Request(
            "people",
            (ChatMessage("user", self.pack.fill(name, holes)),),
            self.model,
            schema=schema,
            max_tokens=300 * len(group),
            temperature=1.0,
            salt=f"people.{self.seed}.{'-'.join(map(str, group))}.{attempt}",
        )

    def _schema(self, missing: Sequence[str]) -> dict[str, Any]:
        words = list_of({"type": "string"}, 1, 5)
        kinds: dict[str, dict[str, Any]] = {
            "age": one_of(range(10, 96)),
            "traits": words,
            "interests": list_of(one_of(self.tags), 1, 5),
            "features": list_of(one_of(_HABITS), 1, 5),
        }
        return object_of(**{field: kinds.get(field, {"type": "string"}) for field in missing})

    def _field(self, field: str, value: object) -> str:
        """Return a value in the table's format, or empty if it cannot be used."""
        if field == "age":
            good = isinstance(value, int) and not isinstance(value, bool) and 5 <= value <= 110
            return str(value) if good else ""
        if field in _LISTS:
            known = {"interests": self.tags, "features": _HABITS}.get(field)
            words = value if isinstance(value, list) else []
            kept = [str(word).strip() for word in words if str(word).strip()]
            kept = [word for word in kept if known is None or word in known]
            return _LISTS[field].join(dict.fromkeys(kept))
        return " ".join(value.split())[:80] if isinstance(value, str) else ""


def _told(row: Mapping[str, str]) -> str:
    told = [f"{key}: {plain(value, _LONGEST)}" for key, value in row.items() if value]
    return "; ".join(told) or "nothing"


def _answers(reply: Reply, count: int) -> list[dict[str, Any]] | Unreadable:
    """Return one object for each person asked for, or why there is none."""
    found = loose_json(reply.text) if reply.outcome == "reply" else Unreadable(reply.why)
    if count == 1:
        return [found] if isinstance(found, dict) else Unreadable("no JSON object")
    listed = found.get("people") if isinstance(found, dict) else found
    if not isinstance(listed, list) or len(listed) != count:
        return Unreadable(f"not a list of {count} people")
    return [row if isinstance(row, dict) else {} for row in listed]
