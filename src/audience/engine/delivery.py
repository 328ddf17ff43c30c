"""Bringing what was posted to those who listen."""

from __future__ import annotations

from collections.abc import Sequence

from audience.world import events as e
from audience.world.world import View


def delivered(world: View, outbox: Sequence[e.Posted | e.Forwarded]) -> list[e.Delivered]:
    """Return one delivery per post that somebody hears; it costs no decision."""
    deliveries = []
    for post in outbox:
        author = post.author if isinstance(post, e.Forwarded) else post.agent
        readers = tuple(reader for reader in world.graph.followers(post.agent) if reader != author)
        if readers:
            news: tuple[int, int, str] = (-1, -1, "")
            if post.topic >= 0:
                root = post.root if isinstance(post, e.Forwarded) else post.post
                news = (post.topic, post.agent, root)
            told = (post.text, post.items, post.stance, *news)
            deliveries.append(e.Delivered(post.post, author, readers, *told))
    return deliveries
