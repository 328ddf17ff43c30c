"""One attempt at a call, with what only the layers near the wire need to know."""

from __future__ import annotations

from typing import Any

import msgspec

from audience.llm.kinds import Reply, Usage


class Tried(Reply, frozen=True):
    """A reply that also says whether asking again may help."""

    again: bool = False
    """The same request may fare better later."""
    after: float = 0.0
    """Seconds the server asked us to wait."""
    status: int = 0
    """HTTP status; 0 when there was no answer."""
    elsewhere: bool = False
    """The endpoint itself is of no use now: unreachable, or it refuses our key."""

    cut: bool = False
    """The server stopped at the most tokens allowed."""
    scored: bool = False
    """Log-probabilities came, whether or not they tell the options apart."""

    @property
    def throttled(self) -> bool:
        return self.status == 429 or self.after > 0.0


def settled(reply: Reply, **changes: Any) -> Reply:  # noqa: ANN401
    """Return a plain reply: what the layers above the retries see."""
    fields = {name: getattr(reply, name) for name in Reply.__struct_fields__}
    return Reply(**{**fields, **changes})


def changed(reply: Tried, **changes: Any) -> Tried:  # noqa: ANN401
    return msgspec.structs.replace(reply, **changes)


def added(one: Usage, other: Usage) -> Usage:
    """Return the tokens of two calls together."""
    return Usage(
        one.prompt + other.prompt,
        one.completion + other.completion,
        one.cached + other.cached,
        one.reasoning + other.reasoning,
    )
