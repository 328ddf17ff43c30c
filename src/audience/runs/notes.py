"""Notes and scores on decisions, talk and people, kept beside a run; no part of its digest."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from audience.errors import BadInput, Unusable
from audience.files import append_line, whole_lines
from audience.plain_text import without_controls

NOTES = "notes.jsonl"
MOST_NOTES = 100_000
LONGEST_NOTE = 4000
LONGEST_AUTHOR = 80
SCORES = (1, 2, 3, 4, 5)
Kind = Literal["decision", "talk", "person"]


class Subject(msgspec.Struct, frozen=True):
    """What a note is about: a decision or talk by its place in the log, or a person."""

    kind: Kind
    agent: int
    """Whom it is about."""
    n: int = 0
    """The number of the chapter in the order of arrival; 0 for a person."""
    step: int = 0
    """The place of the event in its chapter."""
    round: int = 0

    @property
    def about(self) -> str:
        """The subject as part of an address, such as `decision.12.0`."""
        if self.kind == "person":
            return f"person.{self.agent}"
        return f"{self.kind}.{self.n}.{self.step}"


class RunNote(msgspec.Struct, frozen=True):
    """What somebody wrote about a subject: a score from 1 to 5, words, or both."""

    subject: Subject
    name: str
    """The name of the person it is about."""
    words: str
    """The subject in words, as it was told then."""
    author: str
    score: int | None = None
    text: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it takes back what the author wrote before."""
        return self.score is None and not self.text


_DECODER = msgspec.json.Decoder(RunNote)


def notes_in(folder: Path) -> list[RunNote]:
    """Return the notes beside a run, oldest first: of each author the last one on a subject."""
    path = folder / NOTES
    latest: dict[tuple[str, str], RunNote] = {}
    try:
        for line in whole_lines(path):
            note = _DECODER.decode(line)
            key = note.author.casefold(), note.subject.about
            latest.pop(key, None)
            latest[key] = note
    except msgspec.MsgspecError as error:
        raise Unusable(
            f"{path} is damaged ({error}); move it elsewhere, nothing else depends on it"
        ) from error
    return [note for note in latest.values() if not note.is_empty]


def keep_note(folder: Path, note: RunNote) -> None:
    """Keep a note in place of what its author wrote on the subject before; an empty one removes it.

    Each is a line that is on the disk before this returns.
    """
    author = " ".join(without_controls(note.author).split())
    if not author or len(author) > LONGEST_AUTHOR:
        raise BadInput(f"author: give your name, of at most {LONGEST_AUTHOR} characters")
    if note.score is not None and note.score not in SCORES:
        raise BadInput(f"score {note.score} is not between 1 and 5")
    if len(note.text) > LONGEST_NOTE:
        raise BadInput(f"text: a note has at most {LONGEST_NOTE} characters")
    if len(whole_lines(folder / NOTES)) >= MOST_NOTES:
        raise BadInput(f"{folder / NOTES} holds {MOST_NOTES} lines already; move it elsewhere")
    kept = msgspec.structs.replace(note, author=author, text=note.text.strip())
    append_line(folder / NOTES, msgspec.json.encode(kept))
