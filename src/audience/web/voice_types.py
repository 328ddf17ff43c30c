"""What the server says of interviews, chats, calls asked again, notes, judgements and friends."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from audience.agents.language import Answer, ChatLine
from audience.lab.judging import Task
from audience.runs import Subject, Tabulation
from audience.web.reply_types import CallReply

InterviewState = Literal["asking", "done", "cancelled", "failed", "interrupted"]
"""`interrupted`: the server or the command ended while it was asking."""


class StartedInterview(msgspec.Struct, frozen=True):
    """The id of an interview, under which the answers arrive."""

    interview: str


class InterviewRow(msgspec.Struct, frozen=True):
    """An interview in the list of those kept beside a run."""

    id: str
    question: str
    options: tuple[str, ...]
    at: int
    """The round at whose end people answered."""
    whom: str
    asked: int
    """How many people it is for."""
    done: int
    """How many have answered, or were asked in vain."""
    failed: int
    """How many gave no answer."""
    by_rule: int
    """How many answers were made by a rule, not by a model."""
    state: InterviewState
    error: str


class InterviewReply(InterviewRow, frozen=True, kw_only=True):
    """An interview with its answers from a number on, and how many chose each option."""

    answers: list[Answer]
    table: Tabulation | None


class ChatRow(msgspec.Struct, frozen=True):
    """A chat in the list of those kept beside a run."""

    id: str
    agent: int
    name: str
    at: int
    lines: int


class ChatReply(ChatRow, frozen=True, kw_only=True):
    """A chat with all its lines."""

    said: list[ChatLine]


class AgainReply(msgspec.Struct, frozen=True):
    """What a model replied when it was asked again, of which nothing is kept."""

    call: CallReply
    left: int
    """How often calls of this run may still be asked again."""


class NoteRow(msgspec.Struct, frozen=True):
    """A note, and the address of what it is about."""

    about: str
    subject: Subject
    name: str
    words: str
    author: str
    score: int | None
    text: str


class SubjectReply(msgspec.Struct, frozen=True):
    """What a note is about, and all notes on it."""

    about: str
    subject: Subject
    name: str
    words: str
    notes: list[NoteRow]


class DecisionCase(msgspec.Struct, frozen=True):
    """A decision to score: who made it, what they saw, why, and what came of it."""

    about: str
    agent: int
    name: str
    who: str
    """The person in words."""
    round: int
    shown: list[str]
    """The titles of the page before it, if there was one."""
    cause: str
    lines: list[str]
    calls: tuple[str, ...]


class JudgementSheet(msgspec.Struct, frozen=True):
    """The tasks of a judging page, and what a judge answered so far; or why there are none."""

    page: str
    tasks: list[Task]
    answers: dict[str, Any]
    """By task: `text`, `verdict`, or `informative` and `relevant`."""
    notes: list[str]
    """What the page lacks."""
    missing: str = ""


class FriendDeed(msgspec.Struct, frozen=True):
    """Something that a friend did, in words."""

    round: int
    text: str


class FriendNews(msgspec.Struct, frozen=True):
    """Somebody whom a person listens to, and what they did lately, newest first."""

    id: int
    name: str
    kind: str
    lately: list[FriendDeed]
