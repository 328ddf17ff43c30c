"""People from a model: a table completed or extended field by field, keeping what is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audience.agents.prompting import Pack, plain
from audience.agents.reading import loose_json
from audience.agents.replies import Unreadable
from audience.llm.kinds import Gateway, Message, Request
from audience.llm.together import together

Row = dict[str, str]
FIELDS = ("name", "gender", "age", "traits", "career", "interests", "features")
_HABITS = ("Watcher", "Explorer", "Critic", "Chatter", "Poster")
_LISTS = {"traits": "|", "interests": "|", "features": ";"}
_TRIES = 4
_EXAMPLES = 6
_LONGEST = 200


async def complete(
    rows: Sequence[Row],
    wanted: int,
    gateway: Gateway,
    *,
    tags: Sequence[str],
    plural: str = "films",
    model: str = "",
    seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[list[Row], list[str]]:
    """Return `wanted` people and what could not be filled.

    What a row gives is kept. Names are unique: a name that is taken is asked for again. Equal
    arguments ask equal questions, so that a call store makes a broken-off table go on for nothing.
    """
    people = [dict(row) for row in rows[:wanted]]
    people += [{} for _ in range(wanted - len(people))]
    writer = _Writer(gateway, tags, plural, model, seed, _examples(rows))
    wrong: list[str] = []
    for attempt in range(_TRIES):
        missing = [place for place, row in enumerate(people) if _missing(row)]
        if not missing:
            break
        filled = await together(writer.fill(place, people[place], attempt) for place in missing)
        taken = {row["name"] for row in people if row.get("name")}
        for place, found in zip(missing, filled, strict=True):
            if found.get("name") in taken and not people[place].get("name"):
                found.pop("name")
            people[place] |= found
            taken.add(people[place].get("name", ""))
            progress(sum(not _missing(row) for row in people))
    for place, row in enumerate(people):
        if left := _missing(row):
            wrong.append(f"row {place + 1}: {', '.join(left)} could not be filled")
    return people, wrong


def _missing(row: Mapping[str, str]) -> list[str]:
    return [field for field in FIELDS if not row.get(field, "").strip()]


def _examples(rows: Sequence[Row]) -> str:
    whole = [row for row in rows if not _missing(row)][:_EXAMPLES]
    return (
        "\n".join(
            "; ".join(f"{field}: {plain(row[field], _LONGEST)}" for field in FIELDS)
            for row in whole
        )
        or "(none)"
    )


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
        self.pack = Pack(model=model)

    async def fill(self, place: int, row: Mapping[str, str], attempt: int) -> Row:
        """Return the missing fields of one row, as far as the reply is good for."""
        missing = _missing(row)
        told = [f"{key}: {plain(value, _LONGEST)}" for key, value in row.items() if value]
        given = "; ".join(told) or "nothing"
        holes = {
            "plural": self.plural,
            "tags": ", ".join(self.tags),
            "examples": self.examples,
            "missing": ", ".join(missing),
            "given": given,
        }
        request = Request(
            "people",
            (Message("user", self.pack.fill("people", holes)),),
            self.model,
            schema=self._schema(missing),
            max_tokens=300,
            temperature=1.0,
            salt=f"people.{self.seed}.{place}.{attempt}",
        )
        reply = await self.gateway.ask(request)
        found = loose_json(reply.text) if reply.outcome == "reply" else Unreadable(reply.why)
        if isinstance(found, Unreadable) or not isinstance(found, dict):
            return {}
        read = {field: self._field(field, found.get(field)) for field in missing}
        return {field: value for field, value in read.items() if value}

    def _schema(self, missing: Sequence[str]) -> dict[str, Any]:
        words = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 5}
        kinds: dict[str, dict[str, Any]] = {
            "age": {"type": "integer", "minimum": 10, "maximum": 95},
            "traits": words,
            "interests": words | {"items": {"type": "string", "enum": list(self.tags)}},
            "features": words | {"items": {"type": "string", "enum": list(_HABITS)}},
        }
        return {
            "type": "object",
            "properties": {field: kinds.get(field, {"type": "string"}) for field in missing},
            "required": list(missing),
            "additionalProperties": False,
        }

    def _field(self, field: str, value: object) -> str:
        """Return a value as the table holds it, or nothing when it cannot be used."""
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
