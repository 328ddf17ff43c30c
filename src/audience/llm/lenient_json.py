"""Lenient JSON: reading the one value that a model's reply means, or saying why not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import msgspec

DEPTH = 12
"""Deeper nesting is not a valid answer."""
_KEY = 100
"""Longer keys are not keys; the search continues after them."""
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
"""What may follow a closing quote; a quote before anything else is part of the text."""
_BARE = re.compile(r"<[^<>\n]{1,200}>|(?:(?!//|/\*)[\w.+%/-]){1,100}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:e[+-]?\d{1,4})?", re.ASCII | re.I)
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.I)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]")
_NO_KEY = re.compile(r"[\"{}\[\]:,\n]")
"""A key with such characters has swallowed its neighbours."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Broken(Exception):
    """The text is not JSON; `sure` if it can only have been meant as JSON."""

    def __init__(self, why: str, sure: bool = False) -> None:
        super().__init__(why)
        self.why, self.sure = why, sure


def cleaned(text: str) -> str:
    """Return a text without invisible characters and lone surrogates."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNSEEN.sub("", text)


class Bare(str):
    """A word without quotes: enough for a name, not for a text."""

    __slots__ = ()


class Scan:
    """A reader of one value."""

    __slots__ = ("at", "sure", "text")

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.sure = False
        """A key with its colon was read, so this is JSON and not prose in brackets."""

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


_RESCANS = 4
"""How often a text may be rescanned in total while searching for its answer."""
_SHORT, _MOST = 1_000, 30_000
"""Characters that may be rescanned in any text, and at most."""
_VALUES = 1_000
"""Values in one text, above which it holds no answer."""
_LONGEST_NUMBER = 12
_START = re.compile(r"<(think|thinking|thought|reasoning)>|[\[{]", re.I)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)
_GOES_ON = re.compile(r"\s*[,，:：]\s*[\"'`“”„‘’＂\w]")
_WRAPPERS = frozenset(("action", "answer", "arguments", "decision", "final", "final_answer"))
_WRAPPERS |= {"json", "output", "parameters", "reply", "response", "result"}
_ASIDES = frozenset(("confidence", "explanation", "function", "id", "name", "reason", "reasoning"))
_ASIDES |= {"role", "status", "thinking", "thought", "thoughts", "type", "why"}
"""Keys that may stand beside a wrapper's key without being an answer."""


class Unreadable(msgspec.Struct, frozen=True):
    """A reply that cannot be used, and why, in words for the model."""

    why: str


def loose_json(text: str) -> Any | Unreadable:  # noqa: ANN401
    """Return the one JSON value of a text, without fences, prose and wrappers."""
    return _quoting(answer_in(text))


def answer_in(text: str) -> Any | Unreadable:  # noqa: ANN401
    """Return the same, with unquoted words marked as `Bare`."""
    return _meant(cleaned(text), 0)


def _quoting(value: Any) -> Any:  # noqa: ANN401
    """Return a value in which unquoted words are plain strings."""
    if isinstance(value, dict):
        return {key: _quoting(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_quoting(inner) for inner in value]
    return str(value) if isinstance(value, Bare) else value


def _meant(text: str, depth: int) -> Any:  # noqa: ANN401
    if not text.strip():
        return Unreadable("empty reply")
    plain = _plain(text)
    if plain is None:
        quoted = _quoted(text)
        if quoted is not None:
            return _meant(quoted, depth + 1) if "{" in quoted and depth < DEPTH else quoted
    found = _values(_thought_out(text)) if plain is None else [plain]
    if isinstance(found, Unreadable):
        return found
    answers = [value for value in found if _holds_object(value)]
    meant = [value for value in answers if not is_schema(value)]
    if answers and not meant:
        return Unreadable("echo: this is the schema; answer with values")
    different = _different(meant or found, depth)
    if isinstance(different, list) and len(different) == 1:
        return different[0]
    if isinstance(different, Unreadable):
        return different
    if meant:
        return Unreadable("two answers: there are different ones; give only one")
    return Unreadable("no JSON: there is no JSON object; answer with one and nothing else")


def _plain(text: str) -> dict[str, Any] | None:
    """Return the value of strict JSON; None for anything else, or for a repeated key."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found: dict[str, Any] = json.loads(
            text,
            object_pairs_hook=_once,
            parse_constant=_refuse,
            parse_float=_moderate,
            parse_int=_moderate,
        )
    except (ValueError, RecursionError):
        return None
    return None if _is_deep(found) else found


def _is_deep(value: Any) -> bool:  # noqa: ANN401
    layer = [value]
    for _ in range(DEPTH + 1):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _moderate(digits: str) -> float:
    if len(digits) > _LONGEST_NUMBER or "e" in digits.lower():
        raise ValueError("a number to look at closely")
    return float(digits) if "." in digits else int(digits)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _different(values: Sequence[Any], depth: int) -> list[Any] | Unreadable:
    """Return the first two values that differ, without their wrappers."""
    different: list[Any] = []
    for value in values:
        inner = _unwrapped(value, depth)
        if isinstance(inner, Unreadable):
            return inner
        if inner not in different:
            different.append(inner)
        if len(different) > 1:
            break
    return different


def is_schema(value: Any) -> bool:  # noqa: ANN401
    """Return True if a value is a schema instead of an answer."""
    return isinstance(value, dict) and (
        "$schema" in value or isinstance(value.get("properties"), dict)
    )


def _holds_object(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, dict) or (
        isinstance(value, list) and any(_holds_object(inner) for inner in value)
    )


def _thought_out(text: str) -> str:
    """Return a text without thoughts whose beginning was in the prompt."""
    ends = [end.span() for end in _THOUGHT.finditer(text)]
    if not ends or _thinks(text[: ends[-1][0]]):
        return text
    return text[ends[-1][1] :]


def _thinks(text: str) -> bool:
    return any(start.group(1) for start in _START.finditer(text))


def _quoted(text: str) -> str | None:
    """Return the content of a text that is one quoted string, else None."""
    whole = text.strip().strip("`").removeprefix("json").strip()
    if whole[:1] not in QUOTES:
        return None
    scan = Scan(whole, 0)
    try:
        inner = scan.string(len(whole))
    except Broken:
        return None
    return inner if scan.at == len(whole) else None


def _values(text: str) -> list[Any] | Unreadable:
    """Return every JSON value in a text."""
    found: list[Any] = []
    at = spent = 0
    while start := _START.search(text, at):
        if start.group(1):
            end = _THOUGHT.search(text, start.end())
            if end is None:
                return Unreadable("cut off: the thoughts have no end and no answer follows")
            at = end.end()
            continue
        scan = Scan(text, start.start())
        try:
            found.append(scan.value(0))
            if _holds_object(found[-1]) and _GOES_ON.match(text, scan.at):
                raise Broken(f"broken JSON: it goes on after its end at {scan.at}", True)
            at = scan.at
            if len(found) > _VALUES:
                return Unreadable("two answers: there are hundreds; give only one")
        except Broken as broken:
            spent += scan.at - start.start()
            if broken.sure or scan.sure or spent > min(_RESCANS * len(text), _MOST) + _SHORT:
                return Unreadable(broken.why)
            at = start.end()
    return found


def _unwrapped(value: Any, depth: int) -> Any:  # noqa: ANN401
    """Return a value without a list of one, a wrapper's key, or double encoding."""
    if depth > DEPTH:
        return Unreadable("broken JSON: it is nested too deeply")
    if isinstance(value, list):
        if value and _holds_object(value[0]) and all(inner == value[0] for inner in value):
            return _unwrapped(value[0], depth + 1)
        return value
    inner = _wrapped(value) if isinstance(value, dict) else None
    if isinstance(inner, str):
        return _meant(inner, depth + 1)
    return value if inner is None else _unwrapped(inner, depth + 1)


def _wrapped(value: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the content of a wrapper, or None for anything else."""
    keys = [key for key in value if key.lower() in _WRAPPERS]
    if len(keys) != 1 or not all(key.lower() in _ASIDES for key in value if key != keys[0]):
        return None
    inner = value[keys[0]]
    text = isinstance(inner, str) and inner.lstrip()[:1] == "{"
    return inner if text or _holds_object(inner) else None
