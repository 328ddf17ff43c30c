"""What is wrong in a scenario, in words for who wrote it."""

from __future__ import annotations

import re

import msgspec

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def readable(error: msgspec.ValidationError, where: str) -> str:
    """Return in plain words, and with its key, what does not fit a type."""
    what, _, place = str(error).partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    what = re.sub(r"`(\w+)`", lambda found: _WORDS.get(found[1], repr(found[1])), what)
    return f"{where}: {key + ': ' if key else ''}{what[:1].lower()}{what[1:]}"


def with_line(message: str, text: str) -> str:
    """Return a message with the line of the key it complains of, where that can be found."""
    complaint = message.partition("; ")[0].partition(" (did")[0]
    words = set(re.findall(r"[\w-]+", complaint))
    best, section = (0, 0), 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            section = len(words & set(re.findall(r"[\w-]+", line.partition("]")[0])))
        key, equals, _ = line.partition("=")
        if equals and key.strip().strip("\"'").split(".")[-1] in words and best[0] <= section:
            best = (section + 1, number)
    return f"{message} (line {best[1]})" if best[1] else message
