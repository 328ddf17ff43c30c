"""What if, from here on: branches."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from audience.experiments import branch as make_branch
from audience.web.changes import written_of
from audience.web.hall import Hall
from audience.web.kinds import Branch, RunId
from audience.web.replies import told
from audience.web.scenarios import Offer

EXAMPLES = 25


def router(hall: Hall, offer: Offer) -> APIRouter:
    """Return the way to branches."""
    api = APIRouter()

    @api.post("/runs/{run}/branch", response_class=Response, status_code=201)
    def branch(run: RunId, body: Branch) -> Response:
        """Copy a run up to the end of a round; it goes on when it is played."""
        folder = hall.shelf.folder_of(run)
        with hall.readers.reading(folder) as reader:
            at = reader.round_of(body.at)
        changes = tuple(
            {"round": one.get("round", at + 1), **written_of(one)} for one in body.interventions
        )
        name = hall.shelf.named(body.name) if body.name else None
        target = name or hall.shelf.free(f"{folder.name}-at-{at}")
        offer.check_changes(changes)
        make_branch(folder, target, at, changes)
        return told({"id": hall.shelf.id_of(target)}, 201)

    return api
