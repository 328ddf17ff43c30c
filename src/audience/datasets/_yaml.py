"""The small part of YAML that flat settings use: `key: value`, and lists of plain values."""

from __future__ import annotations

import re
from pathlib import Path

from audience.errors import BadInput

Value = str | int | float | bool | None
_KEY = re.compile(r"([A-Za-z_][\w.-]*)\s*:(?:\s+(.*))?$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "none"), None),
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
}


def read_yaml(path: Path) -> dict[str, Value | list[Value]]:
    """Return the settings of a flat YAML file; what is not flat is refused with its line."""
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; give the path of a config.yaml") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    found: dict[str, Value | list[Value]] = {}
    key = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = _uncommented(raw).rstrip()
        if not line.strip() or line in ("---", "..."):
            continue
        key = _take(found, key, line, f"{path}: line {number}")
    return found


def _take(found: dict[str, Value | list[Value]], key: str, line: str, where: str) -> str:
    """Put one line into what was found and return the key it belongs to."""
    if line.lstrip().startswith("- "):
        held = found.get(key)
        if not key or not (held is None or isinstance(held, list)):
            raise BadInput(f"{where}: a list belongs under a key of its own; write `key:` before")
        found[key] = [*(held or []), _value(line.lstrip()[2:], where)]
        return key
    match = _KEY.match(line)
    if line[0] in " \t" or not match:
        raise BadInput(
            f"{where}: {line.strip()!r} is neither `key: value` nor `- value`; only flat settings "
            "can be read here"
        )
    key, text = match[1], (match[2] or "").strip()
    if key in found:
        raise BadInput(f"{where}: {key!r} stands there twice; delete one")
    if text.startswith("[") and text.endswith("]"):
        parts = [part for part in text[1:-1].split(",") if part.strip()]
        found[key] = [_value(part, where) for part in parts]
    else:
        found[key] = _value(text, where)
    return key


def _value(text: str, where: str) -> Value:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text[:1] in ("&", "*", "!", "|", ">", "{", "[", "%", "@", "`", "'", '"'):
        raise BadInput(
            f"{where}: {text!r} uses more of YAML than flat settings do; write a plain value"
        )
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _uncommented(line: str) -> str:
    """Return a line without its comment; a # inside quotation marks is none."""
    quoted = re.search(r"'[^']*'|\"[^\"]*\"", line)
    if quoted and "#" in quoted[0]:
        return line[: quoted.end()] + _COMMENT.sub("", line[quoted.end() :])
    return _COMMENT.sub("", line)
