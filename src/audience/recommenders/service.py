"""A recommender behind an HTTP service: asking for slates, and sending feedback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np

from audience.errors import BadInput, shell_command
from audience.outside import FilePath, Url, VariableName
from audience.parts import PartContext
from audience.recommenders.recommender import Context, Ranked, Ranker
from audience.recommenders.service_wire import (
    Address,
    Health,
    RankAnswer,
    Unserved,
    Wire,
    decoded,
    keys_in,
    ranked,
    request,
)
from audience.recommenders.view import ItemTable, RecommenderView
from audience.world import (
    CLOSING,
    Chapter,
    Floats,
    Generator,
    Ints,
    View,
    events as e,
)


def feedback(chapter: e.Chapter, world: View) -> list[dict[str, Any]]:
    """Return the feedback of a visit for a service.

    Each event has an id, round.agent.n, which is the same however often it is sent.
    """
    if chapter.phase != e.VISITS:
        return []
    names = keys_in(world.catalogue).names
    who, begin = world.profile(chapter.agent), world.agents[chapter.agent].numbered
    told: list[dict[str, Any]] = []
    at, shown = 0, dict[str, Any]()

    def tell(step: int, kind: str, **facts: object) -> dict[str, Any]:
        place = f"{chapter.round}.{chapter.agent}.{begin + step}"
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


BATCH = 1_000
"""The most users of one rank request, and events of one feedback request."""
IN_FLIGHT = 4
CONTRACT = "service.openapi.json"
log = logging.getLogger(__name__)


class Service:
    """Ranks by asking a service, and sends feedback to it at the end of each round.

    `fewest` is the least number of items of an answer; 0 means all that were asked for. `run` names
    the run to the service, which may separate what it learns from each.
    """

    def __init__(
        self,
        url: Url,
        *,
        key_env: VariableName = "",
        header: str = "Authorization",
        timeout: float = 10.0,
        tries: int = 3,
        fewest: int = 0,
        batch: int = BATCH,
        feedback: bool = True,
        ca: FilePath = "",
        run: str = "",
    ) -> None:
        address = Address(
            url=url, key_env=key_env, header=header, timeout=timeout, tries=tries, ca=ca
        )
        self.wire = Wire(address)
        self.run = run
        self.fewest = fewest
        self.batch = min(max(batch, 1), BATCH)
        self.tells = feedback
        self.unsent: list[dict[str, Any]] = []
        """Feedback that was not sent yet."""

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> Service:  # noqa: ANN401
        """Return a recommender that sends the name of the run to its service."""
        return cls(**{"run": context.run, **options})

    def check(self) -> Health:
        """Return the service's self-description; refuse one that does not answer."""
        try:
            self.wire.recover()
            return decoded(self.wire.wait(self.wire.send("GET", "/health")), Health)
        except Unserved as fault:
            check = shell_command("doctor", "--recommender", self.wire.address.name)
            raise BadInput(
                f"the recommender service cannot be used: {self.wire.hidden(str(fault))}; start "
                f"it, or check it with `{check}`"
            ) from None
        finally:
            self.wire.close()

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        del rng
        return ServiceRanker(self, interactions.catalogue)

    def hear(self, chapter: Chapter, world: View) -> None:
        """Collect feedback; when the round closes, send it."""
        if self.tells:
            self.unsent += feedback(chapter, world)
        if chapter.phase == CLOSING:
            self.wire.recover()
            self.wire.wait(self.tell(chapter.round))

    async def tell(self, round_: int) -> None:
        """Send pending feedback; what cannot be sent now is sent with the next round."""
        while self.unsent:
            part = self.unsent[: self.batch]
            body = {"run": self.run, "round": round_, "events": part}
            try:
                await self.wire.send("POST", "/feedback", msgspec.json.encode(body))
            except Unserved as fault:
                log.warning(
                    "%s pieces of feedback not delivered: %s; the end of the next round tries "
                    "again", len(self.unsent), fault
                )  # fmt: skip
                return
            del self.unsent[: len(part)]

    def close(self) -> None:
        self.wire.close()


class ServiceRanker:
    """Asks a service for slates; rows without a usable slate are failures of their visits."""

    checks_itself = True
    """Answers are checked here, user by user."""

    def __init__(self, service: Service, catalogue: ItemTable) -> None:
        self.service = service
        self.keys = keys_in(catalogue)

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        return self.service.wire.wait(self._rank(users, k, context))

    async def rank_async(self, users: Ints, k: int, context: Context) -> Ranked:
        return await self.service.wire.elsewhere(self._rank(users, k, context))

    async def _rank(self, users: Ints, k: int, context: Context) -> Ranked:
        size = self.service.batch
        parts = [np.arange(len(users))[at : at + size] for at in range(0, len(users), size)]
        turns = asyncio.Semaphore(IN_FLIGHT)

        async def rank_part(rows: Ints) -> Ranked:
            async with turns:
                return await self._part(users[rows], k, context.part(rows))

        return joined(await asyncio.gather(*(rank_part(rows) for rows in parts)), k)

    async def _part(self, users: Ints, k: int, context: Context) -> Ranked:
        body = request(self.service.run, users, k, context, self.keys)
        name = self.service.wire.address.name
        try:
            payload = await self.service.wire.send("POST", "/rank", body)
        except Unserved as fault:
            return _failed(len(users), k, str(fault))
        try:
            answer = decoded(payload, RankAnswer)
            found = ranked(answer, k, context.exclude, self.keys, self.service.fewest)
        except Unserved as fault:
            return _failed(len(users), k, self.service.wire.hidden(f"{name}/rank {fault}"))
        told = self.service.wire.hidden
        named = {row: told(f"{name}/rank: {why}") for row, why in found.failures.items()}
        return msgspec.structs.replace(found, failures=named)


def _failed(users: int, k: int, why: str) -> Ranked:
    nothing = np.full((users, k), -1, np.int64)
    return Ranked(nothing, failures=dict.fromkeys(range(users), why))


def joined(parts: Sequence[Ranked], k: int) -> Ranked:
    """Return the parts of a batch joined."""
    if len(parts) == 1:
        return parts[0]
    failures: dict[int, str] = {}
    start = 0
    for part in parts:
        failures |= {start + row: why for row, why in part.failures.items()}
        start += len(part.items)
    return Ranked(
        np.concatenate([np.empty((0, k), np.int64), *(part.items for part in parts)]),
        _stacked([part.scores for part in parts], parts),
        _stacked([part.propensities for part in parts], parts),
        _reasons(parts),
        failures,
    )


def _stacked(columns: Sequence[Floats | None], parts: Sequence[Ranked]) -> Floats | None:
    if all(column is None for column in columns):
        return None
    filled = [
        np.full(part.items.shape, np.nan) if column is None else column
        for column, part in zip(columns, parts, strict=True)
    ]
    return np.concatenate(filled)


def _reasons(parts: Sequence[Ranked]) -> list[Sequence[str]] | None:
    if all(part.reasons is None for part in parts):
        return None
    return [row for part in parts for row in (part.reasons or [()] * len(part.items))]


def contract() -> dict[str, Any]:
    """Return the contract of the service as an OpenAPI 3.1 document."""
    text = (files("audience.recommenders") / CONTRACT).read_text("utf-8")
    found: dict[str, Any] = msgspec.json.decode(text)
    return found
