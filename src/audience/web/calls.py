"""The exact prompt and reply behind a decision."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter
from fastapi import Path as InPath
from starlette.responses import Response

from audience.experiments.models import EMBEDDED, Models, endpoints_of
from audience.experiments.played import FILE as TYPED
from audience.llm import load_prices
from audience.llm.store import FILE as CALLS
from audience.llm.store import Call, CallStore
from audience.web.hall import Hall
from audience.web.kinds import RunId
from audience.web.replies import Missing, told

Key = Annotated[str, InPath(pattern="^[0-9a-f]{32}$")]


def router(hall: Hall) -> APIRouter:
    """Return the way to calls."""
    api = APIRouter()

    @api.get("/runs/{run}/calls/{key}", response_class=Response)
    def one(run: RunId, key: Key) -> Response:
        """Return what was asked and what came back."""
        folder = hall.shelf.folder_of(run)
        with hall.readers.reading(folder) as reader:
            models = reader.scenario.llm
        for name in (CALLS, TYPED):
            if (folder / name).is_file():
                with closing(CallStore(folder / name, read_only=True)) as calls:
                    if found := calls.of(key):
                        return told(_plain(found[-1], models))
        raise Missing(f"there is no call {key}")

    return api


def _plain(call: Call, models: Models) -> dict[str, Any]:
    reply = call.reply
    prices = load_prices(Path(models.prices) if models.prices else None)
    named = {one.name: one.price for one in endpoints_of(models)} | {EMBEDDED: "free"}
    price = prices.find(named.get(reply.endpoint) or reply.model)
    return {
        "key": reply.key,
        "purpose": call.request.purpose,
        "messages": msgspec.to_builtins(call.request.messages),
        "schema": call.request.schema,
        "reply": reply.texts[0] if reply.texts else "",
        "replies": reply.texts,
        "outcome": reply.outcome,
        "why": reply.why,
        "model": reply.model,
        "tokens": {"prompt": reply.usage.prompt, "completion": reply.usage.completion},
        "cost": price.of(reply.usage) if price else None,
        "seconds": round(reply.seconds, 3),
        "attempts": reply.attempts,
    }
