"""Prompts are files with named holes. Here they are found, filled and kept small."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from string import Template

from audience.errors import BadInput

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Characters that show nothing and may turn, hide or colour what stands around them."""
CHARACTERS = 4
"""To a token, roughly; only used to keep parts in their budgets."""


class Prompts:
    """A set of prompt files: those of some of our folders, laid over by those of the user's."""

    def __init__(self, *ours: Path, folder: str = "", model: str = "") -> None:
        """`ours`: where the packaged files lie, the first that has one; `folder`: the user's."""
        self.ours = ours
        self.folder = Path(folder) if folder else None
        self.model = model
        if self.folder and not self.folder.is_dir():
            raise BadInput(f"prompts: {folder} is not a folder with prompt files such as page.md")

    def text(self, name: str, *, pack: str = "default") -> str:
        """Return a prompt file: the user's for this model, the user's, ours for it, ours."""
        for place in self._places(pack):
            path = place / f"{name}.md"
            if path.is_file():
                return path.read_text("utf-8")
        return _packaged(self.ours, pack, name)

    def _places(self, pack: str) -> Iterable[Path]:
        if self.folder:
            for part in _prefixes(self.model):
                yield self.folder / part
            yield self.folder / pack
            yield self.folder

    def examples(self, name: str) -> str:
        """Return the few-shot examples of a behaviour, if the user gives any."""
        for place in self._places("default"):
            path = place / f"{name}.examples.md"
            if path.is_file():
                return path.read_text("utf-8").strip()
        return ""

    def fill(self, name: str, holes: Mapping[str, str], *, pack: str = "default") -> str:
        """Return a prompt with its holes filled; empty lines that parts left are dropped."""
        try:
            filled = Template(self.text(name, pack=pack)).substitute(holes)
        except (KeyError, ValueError) as error:
            raise BadInput(
                f"prompt {name}.md: hole {error} is unknown; known: {', '.join(holes)}"
            ) from None
        lines = [line.rstrip() for line in filled.splitlines()]
        return "\n".join(line for line in lines if line).strip()


def _prefixes(model: str) -> list[str]:
    """Return the folder names that may hold prompts for a model, the most special first."""
    name = model.rsplit("/", 1)[-1].lower()
    parts = name.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)] if name else []


@lru_cache(maxsize=64)
def _packaged(ours: tuple[Path, ...], pack: str, name: str) -> str:
    places = [folder / pack / f"{name}.md" for folder in ours]
    path = next((path for path in places if path.is_file()), places[-1])
    return path.read_text("utf-8")


def plain(text: str, longest: int) -> str:
    """Return words on one line, cut when long: what others named cannot shape a prompt."""
    # A text of many kilobytes is cut before its words are counted.
    flat = " ".join(_CONTROLS.sub(" ", text[: 8 * longest]).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def quoted(text: str, longest: int = 240) -> str:
    """Return others' words on one line in quotation marks, cut when long."""
    return '"' + plain(text, longest).replace('"', "'") + '"'


def bounded(title: str, lines: Sequence[str], tokens: int) -> str:
    """Return the newest lines that fit a budget under their title; nothing when there are none."""
    kept: list[str] = []
    room = tokens * CHARACTERS - len(title)
    for line in reversed(lines):
        room -= len(line) + 3
        if room < 0:
            break
        kept.append(line)
    if not kept:
        return ""
    return "\n".join([title] * bool(title) + [f"- {line}" for line in reversed(kept)])
