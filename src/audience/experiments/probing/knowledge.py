"""What a model knows: a catalogue by heart, titles real and invented, and what it may not know."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from audience.experiments.probing import hearsay, heart, recognising
from audience.experiments.probing.asking import Asker
from audience.experiments.probing.measures import ProbeRow
from audience.experiments.probing.result import Found
from audience.experiments.probing.town import Town
from audience.experiments.probing.years import drawn
from audience.llm.together import together


async def knowledge(asker: Asker, town: Town, *, items: int, cutoff: int | None = None) -> Found:
    """Return what a model knows of some items, as many of each bucket of years as can be."""
    chosen = drawn(town, items, cutoff)
    parts: list[Awaitable[Sequence[ProbeRow]]] = []
    notes = [
        f"{len(chosen)} items, as many of each stretch of years as can be. Where an answer can be "
        "right, an unreadable one counts as wrong; elsewhere it is left out. Asked at temperature "
        "0, except for free speech.",
    ]
    if heart.has_numbers(town):
        parts.append(heart.by_heart(asker, town, chosen))
    else:
        notes.append(
            "by heart: not asked, since the items have no published numbers; give --data a "
            "MovieLens folder"
        )
    parts.append(recognising.recognised(asker, town, chosen, cutoff))
    parts.append(recognising.chosen_next(asker, town))
    parts.append(hearsay.spoken_of(asker, town))
    rows = await together(parts)
    return Found(tuple(one for part in rows for one in part), tuple(notes))
