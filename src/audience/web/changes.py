"""What if, from here on: branches."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from audience.errors import BadInput, unknown
from audience.log import Log, is_held
from audience.runs import branch as make_branch
from audience.scenario import DEEDS, from_tree, intervene, is_address, parts_of
from audience.web.replies import Conflict, told
from audience.web.requests import Branch, ChangeBody, RunId
from audience.web.run_registry import Hall
from audience.web.scenarios import Offer
from audience.world import AnyChange

EXAMPLES = 25


def branches_router(hall: Hall, offer: Offer) -> APIRouter:
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


_DEED_OF = {kind.__name__: deed for deed, kind in DEEDS.items()}
_INSIDE = {"AddPerson": "profile", "AddItem": "item", "ChangeProfile": "fields", "Raise": "topic"}
_NUMBERED = ("add_person", "add_item")
"""Deeds that give the next free id."""


def written_of(change: dict[str, Any]) -> dict[str, Any]:
    """Return a change as a scenario writes it, from its typed form or from that very form."""
    if "do" in change:
        return {key: value for key, value in change.items() if key != "round"}
    kind = change.get("type")
    if not isinstance(kind, str) or kind not in _DEED_OF:
        raise unknown("change", kind, _DEED_OF)
    fields = {key: value for key, value in change.items() if key not in ("type", "round")}
    inside = fields.pop(_INSIDE[kind], {}) if kind in _INSIDE else {}
    if not isinstance(inside, dict):
        raise BadInput(f"change {kind}: {_INSIDE[kind]} is a table of fields")
    inside = {key: value for key, value in inside.items() if key != "id"}
    return {"do": _DEED_OF[kind], **fields, **inside}


class ChangeDesk:
    """The one door by which a server's pages change a run."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._lock = threading.Lock()

    def change(self, folder: Path, given: dict[str, Any]) -> tuple[int, AnyChange]:
        """Check a change and queue it for the next round; return that round and the change."""
        written = written_of(given)
        _check_swap(written)
        with self._lock:
            if here := self._hall.live(folder):
                control = here.watch.control
                round_ = control.next_round
                queued = [one.written for one in control.pending]
                made = self._checked(folder, [*queued, {**written, "round": round_}], round_)
                return control.queue(made, written), made
            return self._write(folder, written)

    def _write(self, folder: Path, written: dict[str, Any]) -> tuple[int, AnyChange]:
        """Write a change into the scenario of a run that lies still."""
        if is_held(folder):
            raise Conflict(f"{folder.name} is being written elsewhere; it can be watched only")
        with self._hall.readers.reading(folder) as reader:
            done, whole = reader.log.complete_rounds(), reader.scenario.rounds
            round_ = done + 1 + bool(reader.log.partial(done + 1))
        if round_ > whole:
            raise Conflict(f"{folder.name} has ended; branch it at a round to change it there")
        made = self._checked(folder, [{**written, "round": round_}], round_)
        with Log.open(folder, write=True) as log:
            intervene(log, [{**written, "round": round_}])
        return round_, made

    def _checked(self, folder: Path, added: list[dict[str, Any]], round_: int) -> AnyChange:
        with self._hall.readers.reading(folder) as reader:
            tree = msgspec.to_builtins(reader.scenario)
            genesis = reader.log.genesis()
        _check_numbers(tree["interventions"], added[-1], round_)
        tree["interventions"] = [*tree["interventions"], *added]
        parts = parts_of(from_tree(tree, "change"), genesis)
        return parts.changes[round_][-1]


def _check_swap(written: dict[str, Any]) -> None:
    kind = str(written.get("kind", ""))
    if written.get("do") == "swap_recommender" and (
        is_address(kind) or kind == "http" or ".py" in kind
    ):
        raise BadInput(
            f"recommender {kind[:80]!r}: a run that goes on takes those that are installed; "
            "branch it to serve with a file or a service of yours"
        )


def _check_numbers(later: list[dict[str, Any]], written: dict[str, Any], round_: int) -> None:
    """Refuse to take an id that the scenario has given to somebody of a later round."""
    deed = written["do"]
    due = [one["round"] for one in later if one.get("do") == deed and one["round"] > round_]
    if deed in _NUMBERED and due:
        raise BadInput(
            f"the scenario itself does {deed} in round {min(due)}; do this after that round"
        )


def router(hall: Hall, door: ChangeDesk) -> APIRouter:
    """Return the ways to interventions."""
    api = APIRouter()

    @api.post("/runs/{run}/interventions", response_class=Response, status_code=201)
    def change(run: RunId, body: ChangeBody) -> Response:
        """Make a change at the opening of the next round."""
        round_, made = door.change(hall.shelf.folder_of(run), body.change)
        return told({"applies_at": round_, "change": msgspec.to_builtins(made)}, 201)

    @api.get("/runs/{run}/interventions", response_class=Response)
    def listed(run: RunId) -> Response:
        """Return every change, done or to come."""
        folder = hall.shelf.folder_of(run)
        with hall.readers.reading(folder) as reader:
            opened = int(reader.log.query("SELECT max(round) FROM chapters")[0][0] or 0)
            rows = [
                {**one, "state": "done" if one["round"] <= opened else "pending"}
                for one in reader.scenario.interventions
            ]
        here = hall.live(folder)
        queued = here.watch.control.pending if here else ()
        return told(rows + [{**one.written, "state": "pending"} for one in queued])

    return api
