"""What of an inbox is before somebody's eyes, and in which order: by time, or by a ranker.

The fold keeps the newest messages of everybody; a feed shows at most `length` of them, the best
last, where the newest stands in a feed by time. The ranker multiplies three numbers::

    closeness of who sent it on  x  2 ** (-rounds ago / 3)  x  (1 + taste match of its items) / 2

The platform itself is as close as anybody half-way; a message without items matches by half.
"""

from __future__ import annotations

from audience.world.agent import Agent
from audience.world.posts import SYSTEM, sent
from audience.world.taste import tastes
from audience.world.topics import Message
from audience.world.world import View

FEEDS = ("time", "ranked")
HALF_LIFE = 3.0
"""Rounds after which a message counts half."""
PLATFORM = 0.5
"""How close the platform is."""
UNKNOWN = 0.1
"""How close somebody is whom one does not listen to any more."""


def feed_of(world: View, me: Agent, order: str, length: int) -> tuple[Message, ...]:
    """Return the messages of the inbox that are shown, the newest or the best last."""
    if order == "time":
        return me.inbox[-length:]
    if not me.inbox:
        return ()
    close = {tie.other: tie.closeness for tie in world.graph.ties(me.profile.id)}
    close[SYSTEM] = PLATFORM
    taste = tastes([me.taste])[0]

    def worth(message: Message) -> float:
        round_, sender = sent(message.post)
        fresh = 0.5 ** (max(world.round - round_, 0) / HALF_LIFE)
        fits = [
            (1.0 + float((taste * world.catalogue.weights[item]).sum())) / 2.0
            for item in message.items
        ]
        match = sum(fits) / len(fits) if fits else 0.5
        value: float = round(close.get(sender, UNKNOWN) * fresh * match, 6)
        return value

    order_ = sorted((worth(message), place) for place, message in enumerate(me.inbox))
    return tuple([me.inbox[place] for _, place in order_[-length:]])
