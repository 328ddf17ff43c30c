"""A scene to decide in, and minds that ask a fake model server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from audience.agents import Decision
from audience.agents.language import LLMMind
from audience.llm import Call, CallStore, Endpoint, open_gateway
from audience.llm.fake import Fake
from audience.memory import Memory, NoMemory
from audience.world import (
    LAST_RESULTS,
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Friend,
    Habits,
    Heard,
    Item,
    Lived,
    Message,
    Observation,
    Profile,
    Said,
    Situation,
    dice,
)

AT = 1_736_359_200
"""A Wednesday evening of 2025."""
ABOUT = "A harbour pilot finds a map that should not exist."
ITEMS = (
    Item(0, "Quiet Harbour", ABOUT, ("Drama", "Mystery"), 1984, 101.0),
    Item(1, "Two Left Feet", "A dance teacher takes one last class.", ("Comedy",), 1999, 95.0),
    Item(2, "Under Glass", "", ("Mystery",), None, 0.0),
    Item(3, "The Long Way", "A letter takes forty years to arrive.", ("Drama",), 2011, 130.0),
    Item(4, "Night Bus", "Strangers share one long ride.", ("Drama", "Comedy"), 2007, 88.0),
    Item(5, "Salt", "A salt mine keeps its secret.", ("Mystery",), 1971, 77.0),
)
PROFILE = Profile(
    0,
    "Mia Stone",
    "woman",
    34,
    ("curious", "patient"),
    "nurse",
    ("Drama", "Mystery"),
    Habits(0.9, 0.6, 0.2, 0.7, 0.1),
)
ME = Agent(
    PROFILE,
    b"",
    Situation(AT, "home"),
    (Lived(3, AT - 90_000, 1.0, 5, "I cried."), Lived(1, AT - 80_000, 0.3)),
    (Heard(4, 7, 0.8), Heard(5, 8, -0.5)),
    (
        Message("1.7.0", 7, "Do not miss <Night Bus>!", (4,), 0.8),
        Message("1.8.0", 8, "<Salt> put me to sleep.", (5,), -0.5),
    ),
)
FRIENDS = (Friend(7, "Tom Reed", "friend", 0.8), Friend(8, "Ada Lund", "colleague", 0.3))
SLATES = {"recommender": (0, 2, 4), "search": (5, 2)}

Scene = Callable[..., Observation]


@pytest.fixture
def scene() -> Scene:
    """Return what makes an observation on a surface; fields of the agent may be replaced."""

    def make(surface: str, items: tuple[Item, ...] = ITEMS, **fields: Any) -> Observation:
        slate: tuple[int, ...] = fields.pop("slate", SLATES.get(surface, ()))
        friends = fields.pop("friends", FRIENDS)
        page = 0 if slate else -1
        searched = "a salt mine" if surface == "search" else ""
        pages = int(bool(slate))
        here = Situation(AT, surface, slate, page, pages, slate, searched=searched)
        me = msgspec.structs.replace(ME, **{"situation": here, **fields})
        menu = LAST_RESULTS if surface == "search" else MENUS[surface]
        lines: tuple[Said, ...] = ()
        if surface == "conversation":
            friends = friends[:1]
            lines = (Said(friends[0].id, 0, "Have you seen <Night Bus>?", (4,), 0.8),)
        given = friends if surface in ("social", "conversation") else ()
        domain = Domain()
        return Observation(me, 2, 0, surface, menu, Catalogue(items), domain, given, lines)

    return make


class Asked(msgspec.Struct, frozen=True):
    """What a mind decided, with the calls it made in their order."""

    decision: Decision
    calls: list[Call]
    requests: int

    @property
    def purposes(self) -> list[str]:
        return [call.request.purpose for call in self.calls]


Ask = Callable[..., Asked]


@pytest.fixture
def ask(serving: Callable[..., AbstractContextManager[Fake]], tmp_path: Path) -> Ask:
    """Return what lets an `LLMMind` decide once, asking a fake server with the given manners."""

    def once(
        seen: Observation,
        *,
        options: dict[str, Any] | None = None,
        memory: Memory | None = None,
        **manners: Any,
    ) -> Asked:
        path = tmp_path / f"calls-{len(list(tmp_path.iterdir()))}.db"

        async def decide(url: str) -> Decision:
            async with open_gateway([Endpoint(url=url)], store=path, tries=2) as door:
                mind = LLMMind(door, model="fake", **options or {})
                return await mind.decide(seen, memory or NoMemory(), dice(7, "test", 1))

        with serving(**manners) as fake:
            decision = asyncio.run(decide(fake.url))
        store = CallStore(path, read_only=True)
        calls = list(store.calls())
        store.close()
        return Asked(decision, calls, fake.requests)

    return once
