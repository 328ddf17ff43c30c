"""What a page asks first: what there is here, and the token that lets it change something."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from audience.experiments.models import endpoints_of
from audience.llm.keys import read_dotenv
from audience.plugins import known
from audience.web.hall import Hall
from audience.web.replies import told
from audience.web.scenarios import Offer
from audience.web.security import Access, is_loopback
from audience.web.stream import Streams

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY")


def router(
    hall: Hall, offer: Offer, access: Access, streams: Streams, opened: str | None
) -> APIRouter:
    """Return the ways to the session; `opened` is the run that is shown first."""
    api = APIRouter()

    @api.get("/session", response_class=Response)
    def session(request: Request) -> Response:
        """Return what there is here. Of keys it is told only whether they are set."""
        client = request.client.host if request.client else ""
        found: dict[str, Any] = {
            "version": version("audience"),
            "keys": _keys(offer),
            **{group: sorted(known(group)) for group in ("minds", "memories", "recommenders")},
            "datasets": sorted(known("datasets")),
            "runs_folder": str(hall.shelf.root),
            "opened": opened,
            "streams": streams.open,
        }
        if access.is_open and is_loopback(client):
            found["token"] = access.token
        return told(found)

    @api.post("/tickets", response_class=Response)
    def ticket() -> Response:
        """Return what opens one stream within a minute, for streams that can send no header."""
        return told({"ticket": access.ticket()})

    return api


def _keys(offer: Offer) -> dict[str, bool]:
    """Return the keys that are known by name, and whether each is set."""
    own = {
        one.key_env
        for scenario in offer.named().values()
        for one in endpoints_of(scenario.llm)
        if one.key_env
    }
    kept = read_dotenv()
    return {
        name: bool(os.environ.get(name, "").strip() or kept.get(name, "").strip())
        for name in sorted({*KEYS, *own})
    }
