"""API keys: read from the environment or a `.env` file, never written, never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from audience.errors import BadInput

HIDDEN = "***"
_LOOKS_SECRET = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\b(sk|pk|gsk|hf|xai|key)[-_][A-Za-z0-9_*-]{8,}"), HIDDEN),
    (re.compile(r"\bAIza[A-Za-z0-9_-]{20,}"), HIDDEN),
    (re.compile(r"://[^/\s:@]+:[^/\s@]+@"), f"://{HIDDEN}@"),
    (re.compile(r"(?i)([?&](?:api[-_]?)?(?:key|token)=)[^&\s\"']+"), rf"\1{HIDDEN}"),
)
_HOLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_HEADER = re.compile(r"(?i)auth|key|token|secret|cookie")


def find_key(name: str, folder: Path | None = None) -> str:
    """Return the key of a name from the environment, or else from `.env` in `folder`."""
    value = os.environ.get(name, "").strip() or read_dotenv(folder).get(name, "").strip()
    if not value:
        raise BadInput(
            f"the key {name} is not set; `export {name}=…`, or write {name}=… into a file "
            "named .env here"
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise BadInput(f"the key {name} holds blanks or odd characters; copy it again")
    return value


def read_dotenv(folder: Path | None = None) -> dict[str, str]:
    """Return the variables set by a `.env` file, if there is one."""
    path = (folder or Path()) / ".env"
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    variables = {}
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            variables[name.strip()] = _unquoted(value.strip())
    return variables


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.split(" #", maxsplit=1)[0].rstrip()


def filled(text: str, folder: Path | None = None) -> str:
    """Return a header's text with each `${NAME}` replaced by the key of that name."""
    return _HOLE.sub(lambda hole: find_key(hole.group(1), folder), text)


def secrets_in(headers: dict[str, str]) -> tuple[str, ...]:
    """Return the header values that must never be shown, longest first."""
    values = {value for name, value in headers.items() if _SECRET_HEADER.search(name)}
    bare = {value.split(" ", 1)[1] for value in values if " " in value}
    return tuple(
        sorted((value for value in values | bare if len(value) > 3), key=len, reverse=True)
    )


def hide(text: str, secrets: Iterable[str]) -> str:
    """Return a text without the known secrets."""
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a message without known secrets and anything that looks like one."""
    text = hide(text, secrets)
    for pattern, instead in _LOOKS_SECRET:
        text = pattern.sub(instead, text)
    return text
