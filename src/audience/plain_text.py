"""Texts of others, made plain: what nobody sees, and what steers a terminal."""

from __future__ import annotations

import re

_SEQUENCE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
_STEERS = re.compile(f"{_SEQUENCE}|{_CONTROL}")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U000e0000-\U000e0fff]"
)


def without_controls(text: str) -> str:
    """Return a text without what steers a terminal; lines and tabs stay.

    These are control characters, escape sequences, and marks that turn the direction of writing.
    """
    return text if text.isascii() and text.isprintable() else _STEERS.sub("", text)


def without_unseen(text: str) -> str:
    """Return a text without characters that are not seen; lines and tabs stay."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)
