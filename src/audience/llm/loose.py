"""Finding the one JSON value that a model meant: lenient about form, never about completeness.

What is cut off stays unreadable, two different answers stay unreadable, and no character is looked
at more than a fixed number of times, however long or odd the text is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audience.llm.scan import DEPTH, QUOTES, Bare, Broken, Scan, cleaned

_RESCANS = 4
"""How often a text may be looked at in all while searching for where its answer begins."""
_SHORT = 1_000
_LONGEST_NUMBER = 12
_START = re.compile(r"<(think|thinking|thought|reasoning)>|[\[{]", re.I)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)
_GOES_ON = re.compile(r"\s*[,，:：]\s*[\"'`“”„‘’＂\w]")
_WRAPPERS = frozenset(("action", "answer", "arguments", "decision", "final", "final_answer"))
_WRAPPERS |= {"json", "output", "parameters", "reply", "response", "result"}
_ASIDES = frozenset(("confidence", "explanation", "function", "id", "name", "reason", "reasoning"))
_ASIDES |= {"role", "status", "thinking", "thought", "thoughts", "type", "why"}
"""What may stand beside a wrapper's key without being an answer itself."""


class Unreadable(msgspec.Struct, frozen=True):
    """A reply that cannot be used: why, in words the model can be told."""

    why: str


def loose_json(text: str) -> Any | Unreadable:  # noqa: ANN401
    """Return the one JSON value that a text holds, out of its fences, prose and wrappers."""
    return _quoting(answer_in(text))


def answer_in(text: str) -> Any | Unreadable:  # noqa: ANN401
    """Return the same, with words that stand without quotes still told apart."""
    return _meant(cleaned(text), 0)


def _quoting(value: Any) -> Any:  # noqa: ANN401
    """Return a value in which all words are plain texts."""
    if isinstance(value, dict):
        return {key: _quoting(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_quoting(one) for one in value]
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
    answers = [one for one in found if _holds_object(one)]
    meant = [one for one in answers if not is_schema(one)]
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
    """Return what strict JSON says at once; anything else, or a key twice, is looked at closely."""
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
    return found


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
    """Return the first two values that differ, out of their wrappers."""
    different: list[Any] = []
    for value in values:
        one = _unwrapped(value, depth)
        if isinstance(one, Unreadable):
            return one
        if one not in different:
            different.append(one)
        if len(different) > 1:
            break
    return different


def is_schema(value: Any) -> bool:  # noqa: ANN401
    """Say whether a value describes answers instead of being one."""
    return isinstance(value, dict) and (
        "$schema" in value or isinstance(value.get("properties"), dict)
    )


def _holds_object(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, dict) or (
        isinstance(value, list) and any(_holds_object(one) for one in value)
    )


def _thought_out(text: str) -> str:
    """Return a text without thoughts whose beginning stood in the prompt."""
    ends = [end.span() for end in _THOUGHT.finditer(text)]
    if not ends or _thinks(text[: ends[-1][0]]):
        return text
    return text[ends[-1][1] :]


def _thinks(text: str) -> bool:
    return any(start.group(1) for start in _START.finditer(text))


def _quoted(text: str) -> str | None:
    """Return what a text holds that is one quoted string from end to end."""
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
    """Return every JSON value that stands in a text by itself."""
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
        except Broken as broken:
            spent += scan.at - start.start()
            if broken.sure or scan.sure or spent > _RESCANS * len(text) + _SHORT:
                return Unreadable(broken.why)
            at = start.end()
    return found


def _unwrapped(value: Any, depth: int) -> Any:  # noqa: ANN401
    """Return what lies in a list of one, under a wrapper's key, or encoded twice."""
    if depth > DEPTH:
        return Unreadable("broken JSON: it is nested too deeply")
    if isinstance(value, list):
        if value and _holds_object(value[0]) and all(one == value[0] for one in value):
            return _unwrapped(value[0], depth + 1)
        return value
    inner = _wrapped(value) if isinstance(value, dict) else None
    if isinstance(inner, str):
        return _meant(inner, depth + 1)
    return value if inner is None else _unwrapped(inner, depth + 1)


def _wrapped(value: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return what a wrapper holds, or None for all that is no wrapper."""
    keys = [key for key in value if key.lower() in _WRAPPERS]
    if len(keys) != 1 or not all(key.lower() in _ASIDES for key in value if key != keys[0]):
        return None
    inner = value[keys[0]]
    text = isinstance(inner, str) and inner.lstrip()[:1] == "{"
    return inner if text or _holds_object(inner) else None
