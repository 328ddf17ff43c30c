"""The small JSON replies: what was started or changed, tickets, and errors."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from audience.world import AnyChange


class ErrorReply(msgspec.Struct, frozen=True):
    """Why a request was refused, and the part of it that is wrong."""

    error: str
    where: str | UnsetType = UNSET


class StartedRun(msgspec.Struct, frozen=True):
    """The id of a new run or branch."""

    id: str


class StartedInterview(msgspec.Struct, frozen=True):
    """The job under which the answers arrive."""

    job: str


class QueuedChange(msgspec.Struct, frozen=True):
    """A change, and the round at whose start it applies."""

    applies_at: int
    change: AnyChange


class ReadProgress(msgspec.Struct, frozen=True):
    """How many rounds have been read, and of how many."""

    done: int
    total: int


class TicketReply(msgspec.Struct, frozen=True):
    """A ticket that stands for the token once, in the address of a link."""

    ticket: str


class Acknowledged(msgspec.Struct, frozen=True):
    """A request that was carried out and has no other answer."""

    ok: bool = True
