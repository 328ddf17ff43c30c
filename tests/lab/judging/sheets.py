"""Tasks, keys, answers and files made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from audience.lab.judging import Key
from audience.lab.judging.page import Sealing, sealed
from audience.lab.judging.tasks import (
    Choose,
    Chosen,
    Pair,
    Paired,
    Score,
    ScoredKey,
    Shown,
    Write,
    WrittenKey,
)

ODD = '<img src=x onerror=alert(1)> & "Films" </script>'


def choices_of(count: int) -> list[Sealing]:
    """Return choices of two among four, of which the places 1 and 2 are true."""
    truth = (False, True, True, False)
    seen = tuple(Shown(f"Film {place} {ODD}", 1990 + place, ("Drama",)) for place in range(4))
    past = (Shown("Heat", 1995, ("Crime",), 4.0),)
    return [
        (
            Choose("", past, 3, "Crime 100 %", seen, 2),
            Chosen(user, f"u{user}", 2, 2, "uniform", (10, 11, 12, 13), truth),
        )
        for user in range(count)
    ]


def pairs_of(what: str, count: int) -> list[Sealing]:
    """Return pairs in which the agent stands first where the number is even."""
    found: list[Sealing] = []
    for place in range(count):
        names = ("agent", "person") if place % 2 == 0 else ("person", "agent")
        seen = Pair("", what, "Ann; likes Drama.", ("It happened.",), (names[0],), (names[1],))
        found.append((seen, Paired(what, f"case {place}", *names, author="bo")))
    return found


def memories_of(count: int) -> list[Sealing]:
    return [
        (
            Score("", "Ann.", ("Ann chooses.",), (f"{variant} {place}",)),
            ScoredKey(f"case {place}", variant),
        )
        for place in range(count)
        for variant in ("full", "no-short", "no-long", "no-reflection")
    ]


def texts_of(count: int) -> list[Sealing]:
    return [
        (Write("", "T1", f"Ann {ODD}.", (f"I saw {ODD}.",)), WrittenKey(f"case {n}", f"I saw {n}."))
        for n in range(count)
    ]


def key_of(*parts: list[Sealing], seed: int = 1) -> Key:
    return sealed(parts, "films", seed)


def answers_of(key: Key, judge: str, answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"format": "audience-answers", "version": 1, "page": key.page, "judge": judge}
    return {**head, "saved": "2030-01-01T00:00:00Z", "answers": answers, **more}


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def walks(users: int) -> dict[str, Any]:
    """Return a file of sequences in which only the truth carries stars."""
    way = {
        name: [{"title": f"{name} {n}", "year": 1990 + n} for n in range(5)]
        for name in ("grounded", "recsim")
    }
    truth = [{"title": f"true {n}", "stars": 4.0} for n in range(5)]
    history = [{"title": "Before", "tags": ["Drama"], "stars": 5.0}]
    found = [
        {"user": user, "steps": steps, "history": history, "ways": {**way, "truth": truth}}
        for user in range(users)
        for steps in (5, 10)
    ]
    return {"format": "audience-sequences", "version": 1, "plural": "films", "walks": found}
