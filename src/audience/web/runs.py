"""The list of runs, one run, starting one and steering it."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response

from audience.errors import AudienceError
from audience.experiments.people import settle_people
from audience.experiments.runs import prolong
from audience.web.hall import Hall
from audience.web.kinds import Begin, RunId, Steer
from audience.web.replies import Conflict, told
from audience.web.scenarios import Offer, spending_of
from audience.web.status import detail, stand, summary, unreadable


def router(hall: Hall, offer: Offer) -> APIRouter:
    """Return the ways to runs."""
    api = APIRouter()

    @api.get("/runs", response_class=Response)
    def listed() -> Response:
        """Return a line for every run there is."""
        rows = []
        for folder in hall.shelf.runs():
            try:
                rows.append(summary(hall, folder))
            except AudienceError as error:
                rows.append(unreadable(hall, folder, error))
        return told(rows)

    @api.post("/runs", response_class=Response, status_code=201)
    def begin(body: Begin) -> Response:
        """Start a run, or an experiment where the scenario has arms or seeds."""
        scenario = offer.wanted(body.toml, body.form)
        spending = spending_of(body.form)
        spending = settle_people(scenario, spending).left
        offer.verify(scenario)
        place = hall.shelf.named(body.name) if body.name else hall.shelf.free(scenario.title)
        first = hall.start(scenario, place, paused=body.paused, spending=spending)
        return told({"id": hall.shelf.id_of(first)}, 201)

    @api.get("/runs/{run}", response_class=Response)
    def one(run: RunId) -> Response:
        """Return all that a page wants to know when it opens a run."""
        return told(detail(hall, hall.shelf.folder_of(run)))

    @api.post("/runs/{run}/control", response_class=Response)
    def steer(run: RunId, body: Steer) -> Response:
        """Play, pause, step, stop, reset, or set the speed; return how it stands then."""
        folder = hall.shelf.folder_of(run)
        _steer(hall, folder, body)
        return told(stand(hall, folder))

    return api


def _steer(hall: Hall, folder: Path, body: Steer) -> None:
    match body.do:
        case "stop":
            hall.stop(folder)
        case "reset":
            hall.reset(folder)
        case "speed":
            if body.speed is None:
                raise Conflict("speed: give visits a second, or 0 for full speed")
            hall.steered(folder).watch.control.set_speed(body.speed)
        case "pause":
            hall.steered(folder).watch.control.pause()
        case _:
            _go_on(hall, folder, body)


def _go_on(hall: Hall, folder: Path, body: Steer) -> None:
    """Let a run go on, also one that lies still."""
    if body.rounds and not hall.live(folder):
        prolong(folder, body.rounds)
    control = hall.take_up(folder, paused=True).watch.control
    if body.speed is not None:
        control.set_speed(body.speed)
    if body.do == "step_visit":
        control.step_visit()
    elif body.do == "step_round":
        control.step_round()
    else:
        control.play()
