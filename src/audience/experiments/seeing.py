"""What one who plays sees: the page, the menu and the messages, as plain values."""

from __future__ import annotations

from typing import Any

import msgspec

from audience.world import actions as a
from audience.world.agent import Agent
from audience.world.clock import shown
from audience.world.observe import Observation

HIDDEN = ("Shift",)
"""What no player may do: only the world moves minds."""


def offered(seen: Observation) -> list[str]:
    """Return the moves that one who plays may make now."""
    return [name for name in seen.menu if name not in HIDDEN]


def view(seen: Observation, taken: list[a.AnyAction]) -> dict[str, Any]:
    """Return all that somebody sees now, as plain values."""
    now, titles = seen.me.situation, seen.catalogue
    reasons = now.reasons
    return {
        "round": seen.round,
        "turn": seen.turn,
        "now": shown(seen.now),
        "surface": seen.surface,
        "menu": offered(seen),
        "page": now.page,
        "slate": [
            {**_item(seen, item), "reason": reasons[place] if place < len(reasons) else ""}
            for place, item in enumerate(now.slate)
        ],
        "lived": [
            {"item": one.item, "title": titles[one.item].title, "stars": one.stars}
            for one in seen.me.lived_now()
        ],
        "inbox": [msgspec.structs.asdict(one) for one in seen.me.inbox],
        "friends": [msgspec.structs.asdict(one) for one in seen.friends],
        "lines": [{"agent": one.agent, "to": one.to, "text": one.text} for one in seen.lines],
        "me": _me(seen.me),
        "taken": [msgspec.to_builtins(one) for one in taken],
    }


def _item(seen: Observation, item: int) -> dict[str, Any]:
    one = seen.catalogue[item]
    return {
        "item": item,
        "title": one.title,
        "about": one.about,
        "tags": one.tags,
        "year": one.year,
        "minutes": one.minutes,
    }


def _me(me: Agent) -> dict[str, Any]:
    one = me.profile
    return {"id": one.id, "name": one.name, "age": one.age, "interests": one.interests}
