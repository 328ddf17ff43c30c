"""Interviews and chats kept beside a run, a file of lines each; no part of the run or its digest.

A line is written as it comes, so what was answered outlives whatever ends the interview.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from audience.agents.language import Answer, ChatLine
from audience.errors import BadInput, Unusable
from audience.files import append_line, whole_lines
from audience.runs.respondents import FEWEST
from audience.runs.tabulation import Tabulation, tabulated

INTERVIEWS, CHATS = "interviews", "chats"
MOST_KEPT = 1000
"""Interviews, and as many chats, that are kept beside a run."""
MOST_LINES = 200
"""Lines of a chat."""


class Asked(msgspec.Struct, frozen=True, tag="asked"):
    """The first line of an interview: what was asked of whom."""

    question: str
    options: tuple[str, ...]
    at: int
    """The round at whose end they answer."""
    whom: str
    agents: tuple[int, ...]
    segments: dict[int, list[tuple[str, str]]] = {}
    """By person, the segments they belonged to then."""


class AnswerLine(msgspec.Struct, frozen=True, tag="answer"):
    """A line of an interview: what a person said."""

    answer: Answer


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """The last line of an interview: it is over, and why if not all were asked."""

    cancelled: bool = False
    error: str = ""


class InterviewRecord(msgspec.Struct, frozen=True):
    """An interview as it is kept; without an end if it goes on, or its process was ended."""

    id: str
    asked: Asked
    answers: list[Answer]
    closed: Closed | None

    @property
    def table(self) -> Tabulation | None:
        """How many chose each option; None for a question without options."""
        asked = self.asked
        if not asked.options:
            return None
        return tabulated(self.answers, asked.options, asked.segments, FEWEST)


class ChatHead(msgspec.Struct, frozen=True, tag="chat"):
    """The first line of a chat: with whom, and when in the run."""

    agent: int
    name: str
    at: int


class ChatEntry(msgspec.Struct, frozen=True, tag="line"):
    """A line of a chat."""

    line: ChatLine


class ChatRecord(msgspec.Struct, frozen=True):
    """A chat as it is kept."""

    id: str
    head: ChatHead
    lines: list[ChatLine]


_INTERVIEW = msgspec.json.Decoder(Asked | AnswerLine | Closed)
_CHAT = msgspec.json.Decoder(ChatHead | ChatEntry)
Line = TypeVar("Line")


def begin_interview(folder: Path, asked: Asked) -> str:
    """Keep the question of a new interview beside a run; return the interview's id."""
    return _begin(folder / INTERVIEWS, asked)


def keep_answer(folder: Path, id_: str, answer: Answer) -> None:
    """Keep an answer."""
    path = folder / INTERVIEWS / f"{id_}.jsonl"
    append_line(path, msgspec.json.encode(AnswerLine(answer)), sync=False)


def close_interview(folder: Path, id_: str, closed: Closed) -> None:
    """Keep that an interview is over."""
    append_line(folder / INTERVIEWS / f"{id_}.jsonl", msgspec.json.encode(closed))


def begin_chat(folder: Path, head: ChatHead) -> str:
    """Begin a chat beside a run; return its id."""
    return _begin(folder / CHATS, head)


def keep_line(folder: Path, id_: str, line: ChatLine) -> None:
    """Keep a line of a chat."""
    append_line(folder / CHATS / f"{id_}.jsonl", msgspec.json.encode(ChatEntry(line)))


def read_interview(folder: Path, id_: str) -> InterviewRecord | None:
    """Return an interview as far as it was kept; None if there is none of this id."""
    lines = _read(folder / INTERVIEWS, id_, _INTERVIEW)
    if not lines or not isinstance(lines[0], Asked):
        return None
    answers = {line.answer.agent: line.answer for line in lines if isinstance(line, AnswerLine)}
    closed = next((line for line in reversed(lines) if isinstance(line, Closed)), None)
    return InterviewRecord(id_, lines[0], list(answers.values()), closed)


def read_chat(folder: Path, id_: str) -> ChatRecord | None:
    """Return a chat as far as it was kept; None if there is none of this id."""
    lines = _read(folder / CHATS, id_, _CHAT)
    if not lines or not isinstance(lines[0], ChatHead):
        return None
    return ChatRecord(id_, lines[0], [each.line for each in lines if isinstance(each, ChatEntry)])


def interviews_in(folder: Path) -> Iterator[InterviewRecord]:
    """Yield the interviews kept beside a run, newest first."""
    for id_ in _ids(folder / INTERVIEWS):
        if record := read_interview(folder, id_):
            yield record


def chats_in(folder: Path) -> Iterator[ChatRecord]:
    """Yield the chats kept beside a run, newest first."""
    for id_ in _ids(folder / CHATS):
        if record := read_chat(folder, id_):
            yield record


def _ids(folder: Path) -> list[str]:
    numbers = [path.stem for path in folder.glob("*.jsonl") if path.stem.isdecimal()]
    return sorted(numbers, key=int, reverse=True)


def _begin(folder: Path, head: Asked | ChatHead) -> str:
    """Create the next file of a folder, which nobody else then creates, with its first line."""
    number = int(next(iter(_ids(folder)), "0")) + 1
    if number > MOST_KEPT:
        raise BadInput(
            f"{folder} holds {MOST_KEPT} {folder.name} already; move some elsewhere, then ask again"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.jsonl").open("xb").close()
    except FileExistsError:
        return _begin(folder, head)
    except OSError as error:
        raise BadInput(f"{folder} could not be written: {error.strerror or error}") from error
    append_line(folder / f"{number}.jsonl", msgspec.json.encode(head))
    return str(number)


def _read(folder: Path, id_: str, decoder: msgspec.json.Decoder[Line]) -> list[Line]:
    path = folder / f"{id_}.jsonl"
    try:
        return [decoder.decode(line) for line in whole_lines(path)]
    except msgspec.MsgspecError as error:
        raise Unusable(
            f"{path} is damaged ({error}); move it elsewhere, nothing else depends on it"
        ) from error
