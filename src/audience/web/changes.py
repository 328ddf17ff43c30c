"""Endpoints that branch a run and change it while it goes on."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path as InPath
from starlette.responses import Response

from audience.engine import RecommenderFault
from audience.errors import BadInput, unknown
from audience.log import Log, is_held, last_opened, world_at
from audience.runs import branch as make_branch, try_swap
from audience.scenario import DEEDS, from_tree, intervene, is_address, parts_of, set_interventions
from audience.web.receipts import QueuedChange, StartedRun
from audience.web.replies import Conflict, Missing, json_reply
from audience.web.requests import MOST, Branch, ChangeBody, RunId
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer
from audience.world import AnyChange, SwapRecommender


def branches_router(registry: RunRegistry, offer: Offer) -> APIRouter:
    """Return the endpoint that branches a run."""
    api = APIRouter()

    @api.post("/runs/{run}/branch", response_class=Response, status_code=201)
    def branch(run: RunId, body: Branch) -> Response:
        """Copy a run up to the end of a round; the copy is paused."""
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            at = reader.round_of(body.at)
        changes = tuple(
            {"round": change.get("round", at + 1), **offer.admitted_change(written_of(change))}
            for change in body.interventions
        )
        name = registry.folders.named(body.name) if body.name else None
        target = name or registry.folders.free(f"{folder.name}-at-{at}")
        make_branch(folder, target, at, changes)
        return json_reply(StartedRun(registry.folders.id_of(target)), 201)

    return api


_DEED_OF = {kind.__name__: deed for deed, kind in DEEDS.items()}
_INSIDE = {"AddPerson": "profile", "AddItem": "item", "ChangeProfile": "fields", "Raise": "topic"}
_NUMBERED = ("add_person", "add_item")
"""Changes that use the next free id."""


def written_of(change: dict[str, Any]) -> dict[str, Any]:
    """Return a change as a scenario writes it, from either form."""
    if "do" in change:
        return {key: value for key, value in change.items() if key != "round"}
    kind = change.get("type")
    if not isinstance(kind, str) or kind not in _DEED_OF:
        raise unknown("change", kind, _DEED_OF)
    fields = {key: value for key, value in change.items() if key not in ("type", "round")}
    inside = fields.pop(_INSIDE[kind], {}) if kind in _INSIDE else {}
    if not isinstance(inside, dict):
        raise BadInput(f"change {kind}: {_INSIDE[kind]} must be a table of fields")
    inside = {key: value for key, value in inside.items() if key != "id"}
    return {"do": _DEED_OF[kind], **fields, **inside}


class ChangeDesk:
    """The only way in which pages change a run."""

    def __init__(self, registry: RunRegistry, offer: Offer) -> None:
        self._registry, self._offer = registry, offer
        self._lock = threading.Lock()

    def change(self, folder: Path, request: dict[str, Any]) -> tuple[int, AnyChange]:
        """Check a change and queue it for the next round; return that round and the change."""
        written = written_of(request)
        if self._offer.offered is None:
            _check_swap(written)
        written = self._offer.admitted_change(written)
        with self._lock:
            if run := self._registry.live(folder):
                control = run.watch.control
                round_ = control.next_round
                queued = [pending.written for pending in control.pending]
                change = self._checked(folder, [*queued, {**written, "round": round_}], round_)
                return control.queue(change, written), change
            return self._write(folder, written)

    def _write(self, folder: Path, written: dict[str, Any]) -> tuple[int, AnyChange]:
        """Write a change into the scenario of a run that is not going on."""
        if is_held(folder):
            raise Conflict(f"another process is writing {folder.name}; it can only be watched")
        with self._registry.readers.reading(folder) as reader:
            done, whole = reader.log.complete_rounds(), reader.scenario.rounds
            round_ = done + 1 + bool(reader.log.partial(done + 1))
        if round_ > whole:
            raise Conflict(f"{folder.name} has ended; branch it at a round to change it there")
        change = self._checked(folder, [{**written, "round": round_}], round_)
        with Log.open(folder, write=True) as log:
            intervene(log, [{**written, "round": round_}])
        return round_, change

    def _checked(self, folder: Path, added: list[dict[str, Any]], round_: int) -> AnyChange:
        with self._registry.readers.reading(folder) as reader:
            tree = msgspec.to_builtins(reader.scenario)
            genesis, seed = reader.log.genesis(), reader.log.seed
            _check_numbers(tree["interventions"], added[-1], round_)
            tree["interventions"] = [*tree["interventions"], *added]
            parts = parts_of(from_tree(tree, "change"), genesis)
            change = parts.changes[round_][-1]
            if isinstance(change, SwapRecommender):
                copy = world_at(reader.log, reader.log.complete_rounds())
                try:
                    try_swap(parts, copy, change, seed)
                except RecommenderFault as fault:
                    raise BadInput(f"this recommender cannot take over here: {fault}") from fault
        return change

    def withdraw(self, folder: Path, place: int) -> None:
        """Take back the pending change at a place of the list, before its round opens."""
        with self._lock, self._registry.readers.reading(folder) as reader:
            written = list(reader.scenario.interventions)
            opened = last_opened(reader.log)
            run = self._registry.live(folder)
            if run and place >= len(written):
                if run.watch.control.withdraw(place - len(written)):
                    return
                raise Missing("this change was made meanwhile, or withdrawn")
            if place >= len(written):
                raise Missing("there is no such change")
            if written[place]["round"] <= opened:
                raise Conflict("this change was made; branch the run before it to leave it out")
            if run:
                raise Conflict("this change belongs to the run since it began; stop the run first")
            if is_held(folder):
                raise Conflict(f"another process is writing {folder.name}; it can only be watched")
            del written[place]
            with Log.open(folder, write=True) as log:
                set_interventions(log, written)


def _check_swap(written: dict[str, Any]) -> None:
    kind = str(written.get("kind", ""))
    if written.get("do") == "swap_recommender" and (
        is_address(kind) or kind == "http" or ".py" in kind
    ):
        raise BadInput(
            f"recommender {kind[:80]!r}: a run can only switch to installed recommenders; "
            "branch it to use a file or a service"
        )


def _check_numbers(later: list[dict[str, Any]], written: dict[str, Any], round_: int) -> None:
    """Refuse to take an id that the scenario reserves for a later round."""
    deed = written["do"]
    due = [change["round"] for change in later if change.get("do") == deed]
    due = [due_round for due_round in due if due_round > round_]
    if deed in _NUMBERED and due:
        raise BadInput(f"the scenario has {deed} in round {min(due)}; do this after that round")


def router(registry: RunRegistry, desk: ChangeDesk, offer: Offer) -> APIRouter:
    """Return the endpoints of interventions."""
    api = APIRouter()

    @api.post("/runs/{run}/interventions", response_class=Response, status_code=201)
    def intervene_in(run: RunId, body: ChangeBody) -> Response:
        """Make a change at the opening of the next round."""
        round_, change = desk.change(registry.folders.folder_of(run), body.change)
        return json_reply(QueuedChange(round_, change), 201)

    @api.get("/runs/{run}/interventions", response_class=Response)
    def listed(run: RunId) -> Response:
        """Return every change, done or pending."""
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            opened = last_opened(reader.log)
            rows = [
                {
                    **offer.shown_change(change),
                    "state": "done" if change["round"] <= opened else "pending",
                }
                for change in reader.scenario.interventions
            ]
        live = registry.live(folder)
        queued = live.watch.control.pending if live else ()
        pending = [offer.shown_change(change.written) for change in queued]
        return json_reply(rows + [{**change, "state": "pending"} for change in pending])

    @api.delete("/runs/{run}/interventions/{place}", response_class=Response)
    def withdraw(run: RunId, place: Annotated[int, InPath(ge=0, le=MOST)]) -> Response:
        """Take back a pending change, by its place in the list."""
        desk.withdraw(registry.folders.folder_of(run), place)
        return json_reply({})

    return api
