"""What the server says of interviews, chats and calls that are asked again."""

from __future__ import annotations

from typing import Literal

import msgspec

from audience.agents.language import Answer, ChatLine
from audience.runs import Tabulation
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
