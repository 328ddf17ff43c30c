"""What a recommender service is told of a round: impressions, picks, watched fractions, ratings."""

from __future__ import annotations

from typing import Any

from audience.recommenders.service_answers import keys_in
from audience.world import events as e
from audience.world.world import View


def feedback(chapter: e.Chapter, world: View) -> list[dict[str, Any]]:
    """Return what a visit tells a service.

    Each has an id, round.agent.n: the same fact has the same id however often it is sent.
    """
    if chapter.phase != e.VISITS:
        return []
    names = keys_in(world.catalogue).names
    who = world.profile(chapter.agent)
    told: list[dict[str, Any]] = []
    at, shown = 0, dict[str, Any]()

    def tell(step: int, kind: str, **facts: object) -> dict[str, Any]:
        place = f"{chapter.round}.{chapter.agent}.{step}"
        told.append({"id": place, "kind": kind, "user": who.key or str(who.id), "at": at, **facts})
        return told[-1]

    for step, entry in enumerate(chapter.entries):
        match entry.event:
            case e.Woke(_, moment):
                at = moment
            case e.SlateShown(_, items, page, surface):
                listed = [names[item] for item in items]
                shown = tell(step, "impression", surface=surface, page=page, items=listed)
            case e.SlateAnnotated(_, propensities) if propensities:
                shown["propensities"] = propensities
            case e.Picked(_, item, position):
                facts = {"item": names[item], "position": position}
                tell(step, "pick", impression=shown["id"], **facts)
            case e.Watched(_, item, fraction):
                tell(step, "watch", item=names[item], fraction=fraction)
            case e.Rated(_, item, stars):
                tell(step, "rating", item=names[item], stars=stars)
    return told
