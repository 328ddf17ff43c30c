"""The events of a person's round, gathered so that what belongs together is told together."""

from __future__ import annotations

from collections.abc import Iterable

from audience.memory.kinds import Life
from audience.memory.wording import clipped, flat, listed, title_of
from audience.world import events as e

_NAME = 32
"""Bytes of a name."""
NAMED = 2
"""Titles that a short sentence names."""
_SOMEBODY = "somebody"


class Round:
    """The events of a round, gathered so that what belongs together is told together."""

    __slots__ = ("at", "busy", "company", "feelings", "life", "lines", "stars", "taken")

    def __init__(self, life: Life) -> None:
        self.life = life
        self.at = life.now
        self.busy = False
        """Something happened since it woke."""
        self.stars: dict[int, int] = {}
        """By the place of what was watched, as the feelings."""
        self.feelings: dict[int, str] = {}
        self.company: dict[int, tuple[int, ...]] = {}
        """With whom something was watched, by its place."""
        self.taken: set[int] = set()
        """The places of pages from which something was taken."""
        self.lines: dict[int, list[e.Said]] = {}
        """By partner; told where the first of them stands."""
        page, watched = -1, dict[int, int]()
        for place, event in enumerate(life.lived):
            match event:
                case e.SlateShown():
                    page = place
                case e.Watched():
                    watched[event.item] = place
                    self.taken.add(page)
                case e.Rated() if event.item in watched:
                    self.stars[watched[event.item]] = event.stars
                case e.Felt() if event.item in watched:
                    self.feelings[watched[event.item]] = event.text
                case e.Parted() if event.item in watched:
                    self.company[watched[event.item]] = event.company
                case e.Said():
                    self.lines.setdefault(self.partner(event), []).append(event)

    def partner(self, line: e.Said) -> int:
        return line.to if line.agent == self.life.me.profile.id else line.agent

    def name(self, who: int) -> str:
        return clipped(flat(self.life.names.get(who, "")), _NAME) or _SOMEBODY

    def title(self, item: int) -> str:
        return title_of(self.life.catalogue[item].title)

    def titles(self, items: Iterable[int], most: int = NAMED) -> str:
        return listed([self.title(item) for item in list(dict.fromkeys(items))[:most]])
