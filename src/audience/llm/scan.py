"""Walking through one JSON value as models write it, in one pass."""

from __future__ import annotations

import math
import re
from typing import Any

DEPTH = 12
"""Deeper nesting is nobody's answer."""
_KEY = 100
"""Longer names are no names; the search goes on behind them."""
QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "＂": "＂",
    **dict.fromkeys("“”„", "“”"),
    **dict.fromkeys("‘’‚", "‘’"),
}
_ENDS = {mark: re.compile(rf"[{ends}\\]") for mark, ends in QUOTES.items()}
_AFTER = re.compile(r"\s*(?:[,:}\]，：#]|//|/\*|\Z)")
"""What may follow a closing quote. A quote before anything else belongs to the words."""
_BARE = re.compile(r"<[^<>\n]{1,200}>|(?:(?!//|/\*)[\w.+%/-]){1,100}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:e[+-]?\d{1,4})?", re.ASCII | re.I)
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.I)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]")
_NO_KEY = re.compile(r"[\"{}\[\]:,\n]")
"""Such a key has swallowed its neighbours."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Broken(Exception):
    """The text at hand is no JSON; `sure` when it can only have been meant as JSON."""

    def __init__(self, why: str, sure: bool = False) -> None:
        super().__init__(why)
        self.why, self.sure = why, sure


def cleaned(text: str) -> str:
    """Return a text without unseen characters and halves of characters."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNSEEN.sub("", text)


class Bare(str):
    """A word without quotes: good enough for a name, too little for somebody's words."""

    __slots__ = ()


class Scan:
    """A reader that walks through one value."""

    __slots__ = ("at", "sure", "text")

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.sure = False
        """A key with its colon was read, so this is JSON and no prose in brackets."""

    def value(self, depth: int) -> Any:  # noqa: ANN401
        mark = self._peek()
        if depth > DEPTH:
            raise Broken("broken JSON: it is nested too deeply")
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._list(depth)
        if mark in QUOTES:
            return self.string(len(self.text))
        return self._bare()

    def string(self, longest: int) -> str:
        """Return the quoted text at this place."""
        ends, start = _ENDS[self.text[self.at]], self.at + 1
        at = start
        while (end := ends.search(self.text, at)) and end.start() - start <= longest:
            at = end.end()
            if end.group() == "\\":
                at += 1
            elif _AFTER.match(self.text, at):
                self.at = at
                return _unescaped(self.text[start : end.start()])
        if end is not None:
            self.at = end.start()
            raise Broken(f"broken JSON: the key at character {start} has no end")
        self.at = len(self.text)
        raise Broken("cut off: a text has no closing quote", True)

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        while self._peek() != "}":
            key = self.string(_KEY) if self._peek() in QUOTES else str(self._bare())
            self._take(":：")
            self.sure = True
            if _NO_KEY.search(key):
                raise Broken(f"broken JSON: {key!r} is no key; a quote is missing")
            value = self.value(depth + 1)
            if key in found and found[key] != value:
                raise Broken(f"contradiction: {key!r} is given twice and differs")
            found[key] = value
            if self._peek() != "}":
                self._take(",，")
        self.at += 1
        return found

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        while self._peek() != "]":
            found.append(self.value(depth + 1))
            if self._peek() != "]":
                self._take(",，")
        self.at += 1
        return found

    def _bare(self) -> str | int | float | bool | None:
        """Return a number, a literal or a word without quotes."""
        found = _BARE.match(self.text, self.at)
        word = found.group() if found else ""
        if not any(mark.isalnum() for mark in word):
            raise self._unexpected()
        self.at += len(word)
        if word.lower() in _LITERALS:
            return _LITERALS[word.lower()]
        if _NUMBER.fullmatch(word):
            whole = word.lstrip("+-").isdigit()
            number = int(word) if whole else float(word)
            if math.isfinite(number):
                return number
        elif not _NOT_FINITE.fullmatch(word):
            return Bare(word)
        raise Broken(f"not a number: {word[:40]} is no value; write a plain number")

    def _peek(self) -> str:
        """Return the next character that is neither space nor comment."""
        text = self.text
        while self.at < len(text):
            mark = text[self.at]
            if mark.isspace():
                self.at += 1
            elif mark not in "/#":
                return mark
            elif mark == "#" or text.startswith("//", self.at):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                self.at = len(text) if end < 0 else end + 2
            else:
                return mark
        raise Broken("cut off: the JSON has no end; answer shorter", True)

    def _take(self, marks: str) -> None:
        if self._peek() not in marks:
            raise self._unexpected()
        self.at += 1

    def _unexpected(self) -> Broken:
        near = self.text[self.at : self.at + 20]
        return Broken(f"broken JSON: unexpected {near!r} at character {self.at}")


def _unescaped(raw: str) -> str:
    if "\\" not in raw:
        return raw
    return cleaned(_ESCAPE.sub(_unescape, raw))


def _unescape(found: re.Match[str]) -> str:
    what = found.group(1)
    if len(what) == 5:
        return chr(int(what[1:], 16))
    return _ESCAPED.get(what, what)
