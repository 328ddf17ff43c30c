"""Plausible answers made from a JSON schema and a hash: the same request, the same answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

_STORY = (
    "a quiet story about friends who never quite grow up and a city that will not wait for them "
    "the music stays with you long after it ends while the middle drags a little but the actors "
    "are warm and the last scene is worth it i would gladly see it again with my sister this week"
)
_DEEPEST = 12
PREFER = "x-prefer"
"""Key in a schema's root: weights of options of an enum, by all words or the first; others: 1."""
INVENT = "x-invent"
"""Key in a schema's root: the share of free texts that name a non-existent work."""
_FIRST = ("Glass", "Seventh", "Paper", "Silent", "Borrowed", "Winter", "Copper", "Last")
_SECOND = ("Orchard", "Lighthouse", "Cartographer", "Ferry", "Parade", "Inheritance", "Engine")


def draw(*names: object) -> float:
    """Return a number in [0, 1) that depends on the names alone."""
    text = "/".join(str(name) for name in names).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / 2**64


def sentence(key: str, most: int = 24) -> str:
    """Return one line of words."""
    count = max(1, min(most, 6 + int(draw(key, "length") * 14)))
    story = _STORY.split()
    start = int(draw(key, "start") * len(story))
    words = [story[(start + place) % len(story)] for place in range(count)]
    return " ".join(words).capitalize() + "."


def invented(key: str) -> str:
    """Return the title of a work that does not exist."""
    first, second = (
        words[int(draw(key, "invented", place) * len(words))]
        for place, words in enumerate((_FIRST, _SECOND))
    )
    return f"The {first} {second}"


def spoken(key: str, invents: float, most: int = 24) -> str:
    """Return one line of words; with probability `invents` it begins with an invented title."""
    if draw(key, "invents") >= invents:
        return sentence(key, most)
    return f"<{invented(key)}>! {sentence(key, most)}"


_TAGGED = re.compile(r"^\[([A-Z]+)\]::(.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\[(\d)\] ", re.M)
_LETTERED = re.compile(r"^\[?([A-Z0])[\])] ", re.MULTILINE)
_BARE = re.compile(r"^([A-Z]) ", re.MULTILINE)
_EITHER = re.compile(r"one word, (\w+) or (\w+)")
_NAMED = re.compile(r"\[\d+\] <([^<>]+)>")
_FRIENDS = re.compile(r"one of the friends \(([^()]+)\)")


def marks_in(prompt: str) -> list[str]:
    """Return the options of a prompt: letters or numbers before lines, or two words."""
    last = prompt.rstrip().rpartition("\n")[2]
    if "number alone" in last:
        return list(dict.fromkeys(_NUMBERED.findall(prompt)))
    if "letter alone" in last:
        return list(dict.fromkeys(_LETTERED.findall(prompt)))
    if last == "You take:":
        return ["0", *dict.fromkeys(_BARE.findall(prompt.rpartition("you see:\n")[2]))]
    words = _EITHER.search(last)
    return [words[1], words[2]] if words else []


def mark_weight(key: str, mark: str) -> float:
    """Return the weight of one option among those of a prompt."""
    return draw(key, mark, "mark") + 0.01


def free(prompt: str, key: str, most: int = 24, invents: float = 0.0) -> str:
    """Return an answer without a schema: the heaviest option, or one of the tagged lines offered.

    A `<…>` in such a line stands for one of the titles listed in the prompt. Without options the
    answer is a sentence.
    """
    marks = marks_in(prompt)
    if marks:
        return max(marks, key=lambda mark: mark_weight(key, mark))
    lines = _TAGGED.findall(prompt)
    if not lines:
        return spoken(key, invents, most)
    tag, rest = lines[int(draw(key, "tag") * len(lines))]
    titles = _NAMED.findall(prompt)
    if "<" in rest and titles:
        rest = f" <{titles[int(draw(key, 'title') * len(titles))]}>"
    friends = _FRIENDS.search(prompt)
    if tag == "CHAT" and friends:
        names = friends[1].split(", ")
        rest = f" {names[int(draw(key, 'friend') * len(names))]}"
    return f"[{tag}]::{rest}"


def answer(schema: object, key: str, root: dict[str, Any] | None = None, depth: int = 0) -> Any:  # noqa: ANN401
    """Return a value that follows a schema; `key` decides which."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    root = root or schema
    if "$ref" in schema:
        return answer(_resolved(str(schema["$ref"]), root), key, root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return _one_of(schema["enum"], key, root.get(PREFER))
    for name in ("anyOf", "oneOf"):
        if schema.get(name):
            return answer(_one_of(schema[name], key), f"{key}/{name}", root, depth + 1)
    if schema.get("allOf"):
        merged: dict[str, Any] = {}
        for part in schema["allOf"]:
            merged |= part
        return answer(merged, key, root, depth + 1)
    return _typed(schema, key, root, depth)


def _typed(schema: dict[str, Any], key: str, root: dict[str, Any], depth: int) -> Any:  # noqa: ANN401
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = _one_of(kind, key)
    match kind:
        case "object":
            return _object(schema, key, root, depth)
        case "array":
            return _array(schema, key, root, depth)
        case "integer":
            return int(_number(schema, key, whole=True))
        case "number":
            return _number(schema, key, whole=False)
        case "boolean":
            return draw(key) < 0.5
        case "null":
            return None
    return _string(schema, key, float(root.get(INVENT, 0.0)))


def _object(schema: dict[str, Any], key: str, root: dict[str, Any], depth: int) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    return {
        name: answer(inner, f"{key}/{name}", root, depth + 1)
        for name, inner in schema.get("properties", {}).items()
        if name in required or draw(key, name, "there") < 0.7
    }


def _array(schema: dict[str, Any], key: str, root: dict[str, Any], depth: int) -> list[Any]:
    if "prefixItems" in schema:
        parts = schema["prefixItems"]
        return [answer(part, f"{key}/{i}", root, depth + 1) for i, part in enumerate(parts)]
    least = int(schema.get("minItems", 0))
    most = int(schema.get("maxItems", least + 2))
    count = least + int(draw(key, "count") * (most - least + 1))
    entries: list[Any] = []
    # A list with a minimum is tried for longer, since duplicates do not count.
    for place in range(count * (40 if least else 4)):
        if len(entries) == count:
            break
        entry = answer(schema.get("items", {}), f"{key}/{place}", root, depth + 1)
        if not _is_duplicate(entry, entries, unique=bool(schema.get("uniqueItems"))):
            entries.append(entry)
    return entries


def _is_duplicate(entry: Any, entries: list[Any], *, unique: bool) -> bool:  # noqa: ANN401
    """Return True if a list already holds an entry, or an object with the same first field."""
    if isinstance(entry, dict) and entry:
        first = next(iter(entry))
        return any(isinstance(old, dict) and old.get(first) == entry[first] for old in entries)
    return unique and entry in entries


def _number(schema: dict[str, Any], key: str, *, whole: bool) -> float:
    least = float(schema.get("minimum", schema.get("exclusiveMinimum", 0)))
    most = float(schema.get("maximum", schema.get("exclusiveMaximum", least + 10)))
    step = float(schema.get("multipleOf", 1 if whole else 0))
    if "exclusiveMinimum" in schema:
        least += step or (most - least) * 1e-3
    if "exclusiveMaximum" in schema:
        most -= step or (most - least) * 1e-3
    if step:
        first = -(-least // step) * step
        return first + step * int(draw(key) * ((most - first) // step + 1))
    return round(least + draw(key) * (most - least), 6)


def _string(schema: dict[str, Any], key: str, invents: float) -> str:
    text = spoken(key, invents)
    least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", 10_000))
    while len(text) < least:
        text = f"{text} {sentence(f'{key}+{len(text)}')}"
    return text[:most].rstrip() if least < most else text[:most]


def _one_of(options: list[Any], key: str, prefer: Mapping[str, float] | None = None) -> Any:  # noqa: ANN401
    weights = [_weight(str(option), prefer or {}) for option in options]
    place = draw(key, "choice") * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        place -= weight
        if place < 0.0:
            return option
    return options[-1]


def _weight(option: str, prefer: Mapping[str, float]) -> float:
    """Return the weight of an option by all its words, or by the first one."""
    return prefer.get(option, prefer.get(option.partition(" ")[0], 1.0))


def _resolved(reference: str, root: dict[str, Any]) -> Any:  # noqa: ANN401
    schema: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        schema = schema.get(part, {}) if isinstance(schema, dict) and part else schema
    return schema
