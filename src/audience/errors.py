"""The errors a user may meet. Each says what is wrong and what to do."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable
from pathlib import Path


class AudienceError(Exception):
    """Any error with a known reason."""


class BadInput(AudienceError):
    """Invalid input. Nothing was changed."""


class Unusable(AudienceError):
    """A run file is damaged, foreign, newer than this program, or busy. Nothing was changed."""


class Halt(AudienceError):
    """The run must stop at its next commit point: a budget is spent, or a service is gone."""


class Interrupted(AudienceError):
    """The run stopped at a commit point and can be resumed."""


def shell_command(*words: object) -> str:
    """Return a command of ours as a shell takes it, whatever the names of its paths are."""
    return shlex.join(["audience", *map(_word, words)])


def _word(word: object) -> str:
    text = str(word)
    return f"./{text}" if isinstance(word, Path) and text.startswith("-") else text


def unknown(what: str, given: object, known: Iterable[object]) -> BadInput:
    """Return the error for an unknown name, with the nearest known one."""
    names = sorted(str(name) for name in known)
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(str(given).casefold(), folded, n=1, cutoff=0.6)
    hint = f" (did you mean {folded[near[0]]!r}?)" if near else ""
    listed = ", ".join(repr(name) for name in names) or "none"
    return BadInput(f"{what} {given!r} is unknown{hint}; known: {listed}")


def known_name(what: str, given: str, known: Iterable[str]) -> str:
    """Return the known name that equals `given` in any case; raise `unknown` if there is none."""
    names = {name.casefold(): name for name in known}
    if given.casefold() not in names:
        raise unknown(what, given, names.values())
    return names[given.casefold()]
