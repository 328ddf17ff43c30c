"""What all events are."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, gc=False, tag=True, array_like=True):
    """A fact."""
