"""Does a model stay the person it plays, and can that person dislike anything."""

from __future__ import annotations

from audience.errors import BadInput
from audience.experiments.probing import persona
from audience.experiments.probing.asking import Asker
from audience.experiments.probing.rating import rated
from audience.experiments.probing.result import Found
from audience.experiments.probing.town import Town
from audience.llm.together import together


async def consistency(asker: Asker, town: Town, *, rounds: int = 3) -> Found:
    """Return how often people answer as before, and how they use the scale of stars."""
    if rounds < 2:
        raise BadInput(f"--rounds {rounds}: give at least 2, so that there is a later one")
    same, stars = await together((persona.repeated(asker, town, rounds), rated(asker, town)))
    asked = sum(persona.enough(town.person(who), rounds) for who in town.people)
    notes = (
        f"persona: each question {persona.ASKED} times in each of {rounds} rounds, with "
        f"{persona.LIVED} items lived between two rounds; {asked} of {len(town.people)} people "
        "have lived enough to be asked about stars. Chance: how often two different people give "
        "the same answer; who answers like everybody is not consistent but constant.",
        "stars: for invented items of a stated repute, by the same person with and without the "
        "habit of a Critic. scale: over all of these; chance: what real people "
        "gave in the dataset. Unreadable answers are counted, left out and never repaired.",
    )
    return Found((*same, *stars), notes)
