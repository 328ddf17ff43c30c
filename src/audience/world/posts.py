"""How messages are numbered: the round, who sent it on, and which of its messages it is."""

from __future__ import annotations

SYSTEM = -1
"""The author of announcements and advertisements."""


def post_id(round_: int, sender: int, number: int) -> str:
    """Return the id of a message."""
    return f"{round_}.{'system' if sender == SYSTEM else sender}.{number}"


def sent(post: str) -> tuple[int, int]:
    """Return the round in which a message was sent and who sent it; -1 for the platform."""
    round_, _, rest = post.partition(".")
    sender = rest.partition(".")[0]
    return (
        int(round_) if round_.isdecimal() else 0,
        int(sender) if sender.isdecimal() else SYSTEM,
    )
