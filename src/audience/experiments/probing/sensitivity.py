"""Does it matter where an item stands, and how a model is asked; do visits look like real ones."""

from __future__ import annotations

from audience.experiments.probing import pages
from audience.experiments.probing.asking import Asker
from audience.experiments.probing.result import Found
from audience.experiments.probing.sequences import Steps
from audience.experiments.probing.town import Town
from audience.experiments.probing.visits import ACTIONS, walked
from audience.llm.together import together


async def prompts(asker: Asker, town: Town, real: list[Steps], why_not: str = "") -> Found:
    """Return how picks move with places and wordings, and how visits compare with `real` ones.

    `why_not` says why there are no real ones.
    """
    rows = await together(
        (
            pages.by_place(asker, town),
            pages.by_letter(asker, town),
            pages.by_wording(asker, town),
            walked(asker, town, real),
        )
    )
    notes = [
        f"place: each page in all {pages.PAGE} rotations, so that every item stands everywhere "
        "once. Chance: the rate over all places. letter: a forced choice, by log-probability "
        "where offered.",
        "wording: the same page asked for in other words; chance: the same words asked twice.",
        f"visits: actions are {', '.join(ACTIONS)}; "
        + (
            f"{len(real):,} real ones are compared by their first actions, pages left out since "
            "ratings do not tell of them, and visits without a pick left out as real ones cannot "
            "lack one; chance: one half of the real ones against the other."
            if real
            else f"not compared with real ones: {why_not}."
        ),
        "Unreadable answers are counted, left out and never repaired, except in visits, where a "
        "mind asks once more as it does in a run.",
    ]
    return Found(tuple(one for part in rows for one in part), tuple(notes))
