"""What a visit changed of its agent, as bytes: few, however much the agent has lived before."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple, replace

from audience.world.agent import Agent

_FIELDS = msgspec.structs.fields(Agent)
_NAMES = tuple(field.name for field in _FIELDS)
_LIVED = "lived"
"""How many items of the history stay as they were; those that are sent come after them."""
_Change: Any = msgspec.defstruct(
    "_Change",
    [*[(field.name, field.type | UnsetType, UNSET) for field in _FIELDS], (_LIVED, int, 0)],
    omit_defaults=True,
    gc=False,
)
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Change).decode


def changed(before: Agent, after: Agent) -> bytes:
    """Return what `after` has that `before` has not."""
    rows = zip(_NAMES, astuple(after), astuple(before), strict=True)
    new: dict[str, Any] = {name: value for name, value, was in rows if value is not was}
    lived = len(before.history)
    if lived and after.history[:lived] == before.history:
        new |= {"history": after.history[lived:], _LIVED: lived}
    return _encode(_Change(**new))


def with_change(before: Agent, change: bytes) -> Agent:
    """Return the agent that `changed` was given as `after`."""
    read = _decode(change)
    rows = zip(_NAMES, astuple(read), strict=False)
    new = {name: value for name, value in rows if value is not UNSET}
    if read.lived:
        new["history"] = before.history[: read.lived] + new["history"]
    return replace(before, **new)
