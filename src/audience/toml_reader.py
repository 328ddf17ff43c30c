"""The one reader of TOML: scenarios, studies, offers, settings, prices, people and stored runs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from audience.errors import BadInput

LONGEST = 1 << 20
"""Bytes of a file of settings; a list of people may have more."""
DEEPEST = 32
"""Levels of lists and tables within each other, and names in one dotted key."""
_WORD = 256
"""Characters of one number or bare key."""
_LARGEST = 1 << 63

_TOKEN = re.compile(rf"\"\"\"|'''|[\"'#\[\]{{}}.,=\n]|[\w+-]{{{_WORD + 1},}}|[\w+-]+")
_ENDS = {
    '"""': re.compile(r'\\.|"""("{0,2})', re.DOTALL),
    "'''": re.compile(r"'''('{0,2})"),
    '"': re.compile(r'\\.|["\n]'),
    "'": re.compile(r"['\n]"),
    "#": re.compile(r"\n"),
}


def read_toml(text: str, where: str, longest: int = LONGEST) -> dict[str, Any]:
    """Return the tree of a TOML text; raise BadInput with the place and the remedy.

    What costs far more to read than its length, or what nothing can hold, is refused before it is
    parsed: deep nesting, long dotted keys, numbers past 64 bits, halves of characters.
    """
    if len(text) > longest:
        raise BadInput(f"{where}: is longer than {longest:,} characters; split or shorten it")
    if wrong := _wrong(text):
        raise BadInput(f"{where}: {wrong}")
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise BadInput(f"{where}: {error}; fix the TOML there") from None
    except RecursionError:
        raise BadInput(f"{where}: is nested too deeply; write fewer levels") from None
    _check_values(tree, where)
    return tree


def read_toml_file(path: Path, where: str = "") -> dict[str, Any]:
    """Return the tree of a TOML file; raise BadInput with the place and the remedy."""
    return read_toml(text_file(path, where), where or str(path))


def text_file(path: Path, where: str = "", longest: int = LONGEST) -> str:
    """Return the text of a regular file in UTF-8; raise BadInput if it is something else."""
    where = where or str(path)
    try:
        if path.exists() and not path.is_file():
            raise BadInput(f"{where}: is not a file; name one")
        if path.stat().st_size > longest:
            raise BadInput(f"{where}: is larger than {longest:,} bytes; split or shorten it")
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise BadInput(
                f"{where} is not UTF-8 text (byte {error.start}); save it as UTF-8"
            ) from None
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{where} cannot be read ({why}); name a TOML file") from None


def _wrong(text: str) -> str:
    """Return what makes a text unreasonable to parse; empty if nothing does."""
    depth = dots = place = 0
    while token := _TOKEN.search(text, place):
        place, found = token.end(), token[0]
        if found in _ENDS:
            place = _end(text, found, place)
        elif found == ".":
            dots += 1
        elif len(found) > 1:
            if len(found) > _WORD:
                long = f"a number or name of {len(found):,} characters"
                return f"{_line(text, token.start())}: {long}; at most {_WORD} are read"
        elif found in "[{":
            depth += 1
        elif found in "]}":
            depth -= 1
        if found in {"\n", "=", ",", "[", "{"}:
            dots = 0
        if max(depth, dots) > DEEPEST:
            deep = f"more than {DEEPEST} levels within each other"
            return f"{_line(text, token.start())}: {deep}; write fewer"
    return ""


def _end(text: str, opened: str, place: int) -> int:
    """Return where a string or comment ends; one that never ends takes the rest of the text."""
    while end := _ENDS[opened].search(text, place):
        if not end[0].startswith("\\"):
            return end.end() if opened != "#" else end.start()
        place = end.end()
    return len(text)


def _line(text: str, place: int) -> str:
    return f"line {text.count(chr(10), 0, place) + 1}"


def _check_values(value: object, where: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_text(key, where)
            _check_values(inner, f"{where}: {key}")
    elif isinstance(value, list):
        for inner in value:
            _check_values(inner, where)
    elif isinstance(value, str):
        _check_text(value, where)
    elif isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        raise BadInput(f"{where}: the number is past 64 bits; give a smaller one")


def _check_text(text: str, where: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{where}: a text holds half a character; write it anew") from None
