"""Where two logs part: the first decision that differs, and what one has that the other lacks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec

from audience.experiments.story import Teller
from audience.log import Log
from audience.world import Genesis
from audience.world import events as e

EXAMPLES = 25
Place = tuple[int, int, int, int]


class Parting:
    """The first decision that differs, and what one has picked and said alone."""

    def __init__(self, genesis: Genesis) -> None:
        self.upto = 0
        self._tellers = Teller(genesis), Teller(genesis)
        self._first: dict[str, Any] | None = None
        self._kinds: dict[type, str] = {e.Picked: "picks", e.Said: "chats"}
        self._found: dict[str, dict[str, Any]] = {
            name: {"a": 0, "b": 0, "same": 0, "only_a": [], "only_b": []}
            for name in self._kinds.values()
        }

    @property
    def told(self) -> dict[str, Any]:
        return {"first_difference": self._first, **self._found}

    def carry(self, mine: Log, theirs: Log, upto: int) -> None:
        """Go on to the end of a round."""
        tellers = self._tellers
        for place, ours, others in _aligned(mine, theirs, self.upto + 1 if self.upto else 0, upto):
            for teller, chapter in zip(tellers, (ours, others), strict=True):
                for entry in chapter.entries if chapter else ():
                    teller.learn(entry.event)
            if self._first is None and ours != others and place[1] in (e.VISITS, e.CONVERSATIONS):
                self._first = _difference(place, ours, others, tellers)
            for kind, name in self._kinds.items():
                _count(self._found[name], kind, place, (ours, others), tellers)
        self.upto = upto


def _aligned(
    mine: Log, theirs: Log, begin: int, upto: int
) -> Iterator[tuple[Place, e.Chapter | None, e.Chapter | None]]:
    """Yield the chapters of two logs side by side, in the order of the log."""
    left = mine.chapters(begin_round=begin, end_round=upto + 1)
    right = theirs.chapters(begin_round=begin, end_round=upto + 1)
    one, two = next(left, None), next(right, None)
    while one or two:
        places = [_place(chapter) for chapter in (one, two) if chapter]
        place = min(places)
        ours = one if one and _place(one) == place else None
        others = two if two and _place(two) == place else None
        yield place, ours, others
        one = next(left, None) if ours else one
        two = next(right, None) if others else two


def _place(chapter: e.Chapter) -> Place:
    return chapter.round, chapter.phase, chapter.rank, chapter.agent


def _difference(
    place: Place,
    ours: e.Chapter | None,
    others: e.Chapter | None,
    tellers: tuple[Teller, Teller],
) -> dict[str, Any]:
    entries = zip_longest(ours.entries if ours else (), others.entries if others else ())
    for one, two in entries:
        if one != two:
            break
    else:
        one = two = None
    who = place[3]
    return {
        "round": place[0],
        "phase": place[1],
        "agent": who if who >= 0 else None,
        "name": tellers[0].names.get(who, "") if who >= 0 else "",
        "a": _entry(one, tellers[0]),
        "b": _entry(two, tellers[1]),
    }


def _entry(entry: e.Entry | None, teller: Teller) -> dict[str, Any] | None:
    if entry is None:
        return None
    event = entry.event
    return {
        "event": msgspec.to_builtins(event),
        "text": teller.line(event).strip() or type(event).__name__,
        "cause": entry.cause,
        "calls": entry.calls,
    }


def _count(
    row: dict[str, Any],
    kind: type,
    place: Place,
    chapters: tuple[e.Chapter | None, e.Chapter | None],
    tellers: tuple[Teller, Teller],
) -> None:
    found = [
        [entry.event for entry in chapter.entries if isinstance(entry.event, kind)]
        if chapter
        else []
        for chapter in chapters
    ]
    row["a"] += len(found[0])
    row["b"] += len(found[1])
    row["same"] += sum(one in found[1] for one in found[0])
    for side, mine, theirs in (("only_a", 0, 1), ("only_b", 1, 0)):
        for event in found[mine]:
            if event not in found[theirs] and len(row[side]) < EXAMPLES:
                row[side].append(_example(event, place[0], tellers[mine]))


def _example(event: Any, round_: int, teller: Teller) -> dict[str, Any]:  # noqa: ANN401
    who = event.agent
    if isinstance(event, e.Picked):
        text = teller.titles[event.item]
    else:
        text = f"to {teller.names.get(event.to, event.to)}: {event.text}"
    return {"round": round_, "agent": who, "name": teller.names.get(who, ""), "text": text}
