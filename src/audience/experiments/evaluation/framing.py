"""From everybody's answers to a result: who took part, what it cost, what it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from audience.experiments.evaluation.contest import CONTENT_MIX, MIX, Entry, Played
from audience.experiments.evaluation.keeping import Kept
from audience.experiments.evaluation.results import Result, Values, Who, rows_of
from audience.llm import Counts

PEOPLE = "real humans"


class Frame(msgspec.Struct, frozen=True):
    """What a result says besides its numbers."""

    name: str
    title: str
    dataset: str
    users: int
    seed: int
    groups: tuple[str, ...]
    columns: tuple[str, ...]
    model: str = ""
    lower: tuple[str, ...] = ()
    headline: str = ""
    notes: tuple[str, ...] = ()


def order_of(entries: Sequence[Entry], *, mixes: bool = True) -> dict[str, str]:
    """Return the kind of everybody in a table by name: baselines, the mixes, then minds."""
    shown = {one.name: one.kind for one in entries if one.kind != "feature"}
    found = {name: kind for name, kind in shown.items() if kind == "baseline"}
    found |= dict.fromkeys((CONTENT_MIX, MIX), "baseline") if mixes else {}
    return found | shown


def framed(
    frame: Frame,
    kinds: Mapping[str, str],
    values: Mapping[str, Mapping[str, Values]],
    answers: Iterable[Mapping[tuple[str, str], Kept]],
) -> Result:
    """Return the result of an evaluation; `kinds` gives the order of the rows."""
    spent = {name: Counts() for name in kinds}
    unreadable = dict.fromkeys(kinds, 0)
    for one in answers:
        for (name, _), kept in one.items():
            if name in kinds:
                spent[name] = spent[name].plus(kept.spent)
                unreadable[name] += kept.unreadable
    who = [
        Who(
            name,
            kind,
            frame.model if name.startswith("llm") else "",
            unreadable[name],
            spent[name],
        )
        for name, kind in kinds.items()
    ]
    rows, best = rows_of(who, values, frame.lower)
    return Result(
        frame.name,
        frame.title,
        frame.dataset,
        frame.users,
        frame.seed,
        frame.model,
        frame.groups,
        frame.columns,
        frame.lower,
        rows,
        best,
        frame.headline,
        frame.notes,
    )


def answers_in(played: Sequence[Played]) -> list[Mapping[tuple[str, str], Kept]]:
    """Return all answers that were given, practice included: both are paid for."""
    return [answers for one in played for answers in (one.answers, one.practice)]
