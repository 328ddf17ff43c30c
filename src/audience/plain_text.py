"""Texts of others, made plain: what nobody sees, and what steers a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

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


class PlainStream:
    """A stream whose text is plain, whoever writes to it."""

    def __init__(self, unguarded: TextIO) -> None:
        self.unguarded = unguarded

    def write(self, text: str) -> int:
        """Write a text without what steers a terminal."""
        plain = without_controls(text)
        try:
            self.unguarded.write(plain)
        except UnicodeEncodeError:  # a terminal that knows few characters
            known = self.unguarded.encoding
            self.unguarded.write(plain.encode(known, "replace").decode(known))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == "buffer":  # bytes would pass by the door
            raise AttributeError(name)
        return getattr(self.unguarded, name)


@contextmanager
def plain_output() -> Iterator[None]:
    """Let everything that is printed pass through a plain stream, while a block lasts."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, PlainStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
