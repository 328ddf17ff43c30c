"""What happened in a memory: recalling, taking in, reflecting, forgetting."""

from __future__ import annotations

from audience.world.fact import Event


class Recalled(Event, frozen=True):
    """Thoughts came to mind for a decision; it refreshes them."""

    agent: int
    thoughts: tuple[int, ...]
    at: int
    cut: int = 0
    """How many more would have come, had there been room in the prompt."""


class Remembered(Event, frozen=True):
    """A sentence was taken in; what stays in the `sensory` store is gone with the round."""

    agent: int
    thought: int
    text: str
    weight: float
    at: int
    kind: str = "observation"
    store: str = "long"
    items: tuple[int, ...] = ()


class Enhanced(Event, frozen=True):
    """A short-term thought was strengthened by another that resembles it."""

    agent: int
    thought: int
    by: int


class Settled(Event, frozen=True):
    """A thought moved from short-term to long-term memory."""

    agent: int
    thought: int


class Reflected(Event, frozen=True):
    """A new long-term thought was drawn from others."""

    agent: int
    thought: int
    text: str
    weight: float
    at: int
    sources: tuple[int, ...] = ()
    kind: str = "insight"
    """`insight` into what repeats in short-term, `reflection` on long-term, `emotion` in a visit"""
    items: tuple[int, ...] = ()


class Merged(Event, frozen=True):
    """One long-term thought took the place of several that say the same."""

    agent: int
    thought: int
    text: str
    weight: float
    at: int
    sources: tuple[int, ...]
    kind: str = "observation"
    items: tuple[int, ...] = ()


class Forgot(Event, frozen=True):
    agent: int
    thought: int
    why: str = ""
    """`faded` with time, or `crowded` out of short-term."""
