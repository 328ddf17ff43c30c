"""What a model lets people speak of: titles they know of, and titles they may not know."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from audience.agents.interview import interview
from audience.experiments.probing.asking import Asker
from audience.experiments.probing.measures import Answer, ProbeRow, row
from audience.experiments.probing.titles import mentioned, same
from audience.experiments.probing.town import Town
from audience.experiments.probing.words import SPEECH
from audience.llm.together import together
from audience.memory import NoMemory

PART = "free speech"
HEARD = 3
"""Items that everybody was told of."""


class Speech(msgspec.Struct, frozen=True):
    """One free answer, by the titles in it."""

    who: int
    known: int = 0
    """Titles of what was lived or heard of."""
    foreign: int = 0
    """Titles of the catalogue that the person can not know."""
    invented: int = 0
    """Titles that are in no catalogue."""
    unreadable: bool = False

    @property
    def titles(self) -> int:
        return self.known + self.foreign + self.invented


async def spoken_of(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how many of the titles that people mention they can not know."""
    speeches = await together(
        _spoken(asker, town, who, number) for who in town.people for number in range(len(SPEECH))
    )
    return rows_of(speeches, asker.seed)


def rows_of(speeches: Sequence[Speech], seed: int) -> list[ProbeRow]:
    """Return the rows; shares are over titles, and intervals over people."""
    lost = sum(one.unreadable for one in speeches)
    some: list[Answer] = [
        (one.who, None if one.unreadable else float(one.titles > 0)) for one in speeches
    ]

    def share(what: str, count: str) -> ProbeRow:
        answers: list[Answer] = []
        for one in speeches:
            bad = sum(getattr(one, name) for name in count.split())
            answers += [(one.who, 1.0)] * bad + [(one.who, 0.0)] * (one.titles - bad)
        return msgspec.structs.replace(row(PART, what, answers, seed=seed), unreadable=lost)

    return [
        row(PART, "answers that mention a title", some, seed=seed),
        share("titles it may not know, of those mentioned", "foreign invented"),
        share("… of the catalogue, but never met", "foreign"),
        share("… in no catalogue", "invented"),
    ]


async def _spoken(asker: Asker, town: Town, who: int, number: int) -> Speech:
    me = town.having_heard(who, HEARD)
    answer = await interview(
        asker,
        NoMemory(),
        town.at(me, number),
        SPEECH[number].format(**town.words),
        pack=asker.pack,
        model=asker.model,
        salt=f"{asker.seed}/speech/{who}/{number}",
    )
    if answer.failure:
        return Speech(who, unreadable=True)
    items = [one.item for one in me.history] + [one.item for one in me.heard]
    met = {same(town.item(item).title) for item in items}
    catalogue = {same(item.title) for item in town.genesis.catalogue.items}
    kinds = [
        "known" if title in met else "foreign" if title in catalogue else "invented"
        for title in map(same, mentioned(answer.text))
    ]
    return Speech(who, kinds.count("known"), kinds.count("foreign"), kinds.count("invented"))
