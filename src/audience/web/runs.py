"""How a run stands: its line in the list, how it is steered, its panel."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from audience.errors import AudienceError
from audience.llm import FILE as CALLS, CallStore, Counts
from audience.log import is_held
from audience.runs import LivePanel, Panel, prolong, settle_people
from audience.scenario import Scenario, cost_of, label
from audience.web.readers import Reader
from audience.web.replies import Conflict, told
from audience.web.requests import Begin, RunId, Steer
from audience.web.run_registry import Hall, Here
from audience.web.scenarios import Offer, spending_of
from audience.world import CLOSING, CONVERSATIONS, VISITS

_DOLLARS = re.compile(r"\$(\d+\.\d+)$")
_CHATS = (
    "SELECT sum(instr(CAST(body AS TEXT), '[\"Said\",') > 0)"
    " FROM chapters WHERE phase = ? AND round <= ?"
)
_POSTS = (
    "SELECT sum((length(CAST(body AS TEXT))"
    " - length(replace(CAST(body AS TEXT), '[\"Posted\",', ''))) / 10)"
    " FROM chapters WHERE phase = ? AND round <= ?"
)


def state_of(hall: Hall, folder: Path, written: str, done: int, whole: int) -> str:
    """Return one of running, paused, waiting, stopped, finished, failed, elsewhere."""
    if here := hall.live(folder):
        if not here.watch.control.steering.going:
            return "paused"
        return "waiting" if here.waits() else "running"
    here = hall.here(folder)
    if here and here.error:
        return "failed"
    if written == "running":
        return "elsewhere" if is_held(folder) else "stopped"
    if written == "finished" and done < whole:
        return "stopped"
    return written


def summary(hall: Hall, folder: Path) -> dict[str, Any]:
    """Return a run's line in the list."""
    with hall.readers.reading(folder) as reader:
        return _summary(hall, folder, reader)


def _summary(hall: Hall, folder: Path, reader: Reader) -> dict[str, Any]:
    log, scenario = reader.log, reader.scenario
    done, lineage = log.complete_rounds(), log.lineage
    here = hall.live(folder)
    return {
        "id": hall.shelf.id_of(folder),
        "title": scenario.title,
        "state": state_of(hall, folder, log.state, done, scenario.rounds),
        "round": done,
        "rounds": scenario.rounds,
        "agents": scenario.agents,
        "seed": log.seed,
        "cost": dollars_of(folder, scenario),
        "calls": calls_of(folder),
        "mind": scenario.mind.kind,
        "memory": scenario.memory.kind,
        "recommender": label(scenario.recommender.kind),
        "dataset": scenario.dataset.kind,
        "started_here": here is not None,
        "parent": lineage.parent if lineage else None,
        "branch_at": lineage.at if lineage else None,
        "n": reader.last,
    }


def unreadable(hall: Hall, folder: Path, error: AudienceError) -> dict[str, Any]:
    """Return the line of a run that cannot be read."""
    id_ = hall.shelf.id_of(folder)
    return {"id": id_, "title": folder.name, "state": "failed", "error": str(error)}


def dollars_of(folder: Path, scenario: Scenario) -> float | None:
    """Return what a run's calls have cost; None where that is not known."""
    try:
        said = cost_of(folder, scenario.llm)
    except AudienceError:
        return None
    found = _DOLLARS.match(said)
    return float(found[1]) if found else (0.0 if said == "–" else None)


def calls_of(folder: Path) -> int:
    if not (folder / CALLS).is_file():
        return 0
    try:
        with closing(CallStore(folder / CALLS, read_only=True)) as calls:
            return len(calls)
    except AudienceError:
        return 0


def detail(hall: Hall, folder: Path) -> dict[str, Any]:
    """Return all that a page wants to know when it opens a run."""
    with hall.readers.reading(folder) as reader:
        line = _summary(hall, folder, reader)
        scenario = reader.scenario
    return line | stand(hall, folder) | {"scenario": msgspec.to_builtins(scenario)}


def stand(hall: Hall, folder: Path) -> dict[str, Any]:
    """Return how a run is steered and its panel: what the stream tells ten times a second."""
    here = hall.live(folder)
    return _going(hall, here) if here else _lying(hall, folder)


def _going(hall: Hall, here: Here) -> dict[str, Any]:
    """Return the same of a run that goes on here, without touching its log."""
    steering, spent = here.watch.control.steering, here.watch.spent
    panel = here.watch.panel
    rounds = here.rounds
    state = "paused" if not steering.going else "waiting" if here.waits() else "running"
    left = max(rounds - steering.round, 0) * steering.visits_total
    left += steering.visits_total - steering.visits_done
    control = {
        "state": state,
        "speed": steering.speed,
        "round": steering.round,
        "rounds": rounds,
        "visits_done": steering.visits_done,
        "visits_total": steering.visits_total,
        "eta_s": round(left / steering.pace, 1)
        if steering.pace > 0 and state == "running"
        else None,
        "failures": spent.failed,
        "algorithm": panel.algorithm,
        "pending": len(here.watch.control.pending),
        "error": None,
        **_spent(spent),
    }
    return {"control": control, "panel": _panel(panel, steering.visits_total)}


def _spent(spent: Counts) -> dict[str, Any]:
    return {
        "calls": spent.calls,
        "reused": spent.reused,
        "tokens": spent.tokens,
        "cost": None if spent.unpriced else round(spent.dollars, 6),
    }


def _panel(panel: Panel, here_now: int) -> dict[str, Any]:
    popular = [
        {"item": item, "title": title, "count": count} for item, title, count in panel.most_popular
    ]
    tree: dict[str, Any] = msgspec.to_builtins(panel)
    tree.pop("algorithm")
    return tree | {"most_popular": popular, "here_now": here_now}


def _lying(hall: Hall, folder: Path) -> dict[str, Any]:
    """Return the same of a run that lies still or goes on elsewhere, from its log alone."""
    here = hall.here(folder)
    with hall.readers.reading(folder) as reader:
        scenario, log = reader.scenario, reader.log
        done = log.complete_rounds()
        visits = log.query(
            "SELECT count(*) FROM chapters WHERE round = ? AND phase = ?", (done + 1, VISITS)
        )
        state = state_of(hall, folder, log.state, done, scenario.rounds)
        panel = _counted(reader, done)
        paid = reader.remembered("paid", reader.last, lambda: _paid(folder, scenario))
    control = {
        "state": state,
        "speed": 0.0,
        "round": done,
        "rounds": scenario.rounds,
        "visits_done": int(visits[0][0]),
        "visits_total": 0,
        "eta_s": None,
        "failures": 0,
        "algorithm": panel.algorithm,
        "pending": 0,
        "error": here.error if here and here.error else None,
        **paid,
    }
    return {"control": control, "panel": _panel(panel, 0)}


class _Count:
    """A panel of the rounds that are complete, and how far it has gone beyond them."""

    def __init__(self, reader: Reader, done: int) -> None:
        log = reader.log
        chats = log.query(_CHATS, (CONVERSATIONS, done))
        posts = log.query(_POSTS, (VISITS, done))
        ended = log.query("SELECT max(seq) FROM chapters WHERE phase = ?", (CLOSING,))
        numbers = {"chats": float(chats[0][0] or 0), "posts": float(posts[0][0] or 0)}
        self.tally = LivePanel(reader.world(done), numbers)
        self.after = int(ended[0][0] or 0)


def _counted(reader: Reader, done: int) -> Panel:
    """Return the panel as of the chapter that came last."""
    count = reader.remembered("panel", done, lambda: _Count(reader, done))
    for seq, chapter in reader.log.follow(count.after):
        count.tally.hear(chapter)
        count.after = seq
    return count.tally.panel()


def _paid(folder: Path, scenario: Scenario) -> dict[str, Any]:
    tokens = 0
    if (folder / CALLS).is_file():
        with closing(CallStore(folder / CALLS, read_only=True)) as calls:
            tokens = sum(used.prompt + used.completion for _, _, used in calls.sums())
    cost = dollars_of(folder, scenario)
    return {"calls": calls_of(folder), "reused": 0, "tokens": tokens, "cost": cost}


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
