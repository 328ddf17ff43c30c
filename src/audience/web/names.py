"""What people and items are called, once, so that a page can tell events that hold numbers."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from audience.web.hall import Hall
from audience.web.kinds import RunId
from audience.web.replies import told

MOST = 20_000
"""People and items that are named; the page calls the rest by number."""


def router(hall: Hall) -> APIRouter:
    """Return the way to names."""
    api = APIRouter()

    @api.get("/runs/{run}/names", response_class=Response)
    def names(run: RunId) -> Response:
        """Return names and titles in the order of their ids, every tag and every topic."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            world = reader.world()
            people = range(min(len(world.agents), MOST))
            return told(
                {
                    "people": [world.profile(who).name or f"person {who}" for who in people],
                    "items": [one.title for one in world.catalogue.items[:MOST]],
                    "tags": world.catalogue.tags,
                    "topics": [one.name for one in world.spread.topics],
                }
            )

    return api
