"""Endpoints of runs: the list, the state of a run with its panel, and its control."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from audience.errors import Unusable
from audience.llm import FILE as CALLS, CallStore
from audience.log import (
    failures_upto,
    last_closing,
    posts_upto,
    talks_upto,
    visits_in,
)
from audience.results import read_fitting
from audience.runs import (
    Audience,
    LivePanel,
    Panel,
    audience_of,
    is_experiment,
    prolong,
    settle_people,
    verify,
)
from audience.scenario import Scenario
from audience.web.readers import Reader
from audience.web.receipts import StartedRun
from audience.web.replies import Conflict, json_reply
from audience.web.reply_types import (
    ControlState,
    ItemCount,
    PanelReply,
    RunStatus,
)
from audience.web.requests import Begin, RunId, Steer
from audience.web.run_list import RunList, calls_of, dollars_of, live_state, state_of
from audience.web.run_registry import LocalRun, RunRegistry
from audience.web.run_scenarios import origin, origin_folder
from audience.web.run_types import RunDetail, UnreadableRun
from audience.web.scenarios import Offer, spending_of

SECONDS_A_ROUND, LONGEST_S = 2.0, 60.0
"""How long a round, and a whole run, takes at a speed at which one can follow it."""


def _detail(registry: RunRegistry, offer: Offer, lines: RunList, folder: Path) -> RunDetail:
    """Return all that a page needs when it opens a run."""
    # First, so that what a finished run is said to have cost is never less than it did.
    now = status(registry, folder)
    line = lines.row(folder)
    if isinstance(line, UnreadableRun):
        raise Unusable(line.error)
    with registry.readers.reading(folder) as reader:
        scenario = msgspec.to_builtins(offer.shown(reader.scenario))
    fields = {**msgspec.structs.asdict(line), "state": now.control.state}
    return RunDetail(**fields, control=now.control, panel=now.panel, scenario=scenario)


def status(registry: RunRegistry, folder: Path) -> RunStatus:
    """Return the control state of a run and its panel, as the stream sends them."""
    live = registry.live(folder)
    return _live_status(live) if live else _stored_status(registry, folder)


def _live_status(run: LocalRun) -> RunStatus:
    """Return the status of a run that goes on here, without reading its log."""
    steering, spent, panel = run.watch.control.steering, run.watch.spent, run.watch.panel
    state = live_state(run)
    left = max(run.rounds - steering.round, 0) * steering.visits_total
    left += steering.visits_total - steering.visits_done
    is_timed = steering.pace > 0 and state == "running"
    control = ControlState(
        state,
        steering.speed,
        steering.round,
        run.rounds,
        steering.visits_done,
        steering.visits_total,
        eta_s=round(left / steering.pace, 1) if is_timed else None,
        failures=panel.failures,
        algorithm=panel.algorithm,
        pending=len(run.watch.control.pending),
        error=None,
        calls=spent.calls,
        reused=spent.reused,
        tokens=spent.tokens,
        cost=None if spent.unpriced else round(spent.dollars, 6),
        failed_calls=spent.failed,
    )
    return RunStatus(control, _panel_reply(panel, steering.visits_total))


def _panel_reply(panel: Panel, here_now: int) -> PanelReply:
    fields = msgspec.structs.asdict(panel)
    del fields["algorithm"], fields["failures"]
    fields["most_popular"] = [ItemCount(*row) for row in panel.most_popular]
    return PanelReply(**fields, here_now=here_now)


def _stored_status(registry: RunRegistry, folder: Path) -> RunStatus:
    """Return the status of a run that is stopped or goes on elsewhere, from its log alone."""
    ended = registry.here(folder)
    with registry.readers.reading(folder) as reader:
        scenario, log = reader.scenario, reader.log
        done = log.complete_rounds()
        visits = visits_in(log, done + 1)
        state = state_of(registry, folder, log.state, done, scenario.rounds)
        panel = _stored_panel(reader, done)
        calls, failed_calls, tokens, cost = reader.remembered(
            "paid", reader.last, lambda: _paid(folder, scenario)
        )
        halted = log.halted if state in ("stopped", "failed") else ""
    control = ControlState(
        state,
        speed=ended.watch.control.steering.speed if ended else 0.0,
        round=done + bool(visits),
        rounds=scenario.rounds,
        visits_done=visits,
        visits_total=0,
        eta_s=None,
        failures=panel.failures,
        algorithm=panel.algorithm,
        pending=0,
        error=(ended.error if ended else "") or halted or None,
        calls=calls,
        reused=0,
        tokens=tokens,
        cost=cost,
        failed_calls=failed_calls,
    )
    return RunStatus(control, _panel_reply(panel, 0))


class _Count:
    """A panel of the complete rounds, and the chapter up to which it was extended."""

    def __init__(self, reader: Reader, done: int) -> None:
        numbers = {name: float(count) for name, count in _counted(reader, done).items()}
        self.tally = LivePanel(reader.world(done), numbers)
        self.after = last_closing(reader.log)


def _counted(reader: Reader, done: int) -> dict[str, int]:
    """Return what the log itself counts in the complete rounds."""
    counts = {"chats": talks_upto, "posts": posts_upto, "failed": failures_upto}
    return {name: count(reader.log, done) for name, count in counts.items()}


def _stored_panel(reader: Reader, done: int) -> Panel:
    """Return the panel as of the chapter that arrived last."""
    kept = reader.kept_at(done)
    if kept and kept.panel and kept.last == reader.last:
        counts = reader.remembered("counts", done, lambda: _counted(reader, done))
        talk = {"chats": counts["chats"], "posts": counts["posts"]}
        return msgspec.structs.replace(kept.panel, failures=counts["failed"], **talk)
    count = reader.remembered("panel", done, lambda: _Count(reader, done))
    for seq, chapter in reader.log.follow(count.after):
        count.tally.hear(chapter)
        count.after = seq
    return count.tally.panel()


def _paid(folder: Path, scenario: Scenario) -> tuple[int, int, int, float | None]:
    """Return the calls to models so far, those that failed, their tokens and what they cost."""
    tokens = failed = 0
    if (folder / CALLS).is_file():
        with closing(CallStore(folder / CALLS, read_only=True)) as calls:
            tokens = sum(used.prompt + used.completion for _, _, used in calls.sums())
            failed = calls.failed()
    return calls_of(folder)[0], failed, tokens, dollars_of(folder, scenario)


def router(registry: RunRegistry, offer: Offer, lines: RunList) -> APIRouter:
    """Return the endpoints of runs."""
    api = APIRouter()

    @api.get("/runs", response_class=Response)
    def listed() -> Response:
        """Return a line for every run."""
        return json_reply(lines.rows())

    @api.post("/runs", response_class=Response, status_code=201)
    def begin(body: Begin) -> Response:
        """Start a run, or an experiment if the scenario has arms or seeds."""
        people = _people(registry, offer, body)
        scenario = people.scenario
        spending = spending_of(body.form)
        spending = settle_people(scenario, spending).left
        verify(scenario)
        place = (
            registry.folders.named(body.name)
            if body.name
            else registry.folders.free(scenario.title)
        )
        first = registry.start(
            scenario,
            place,
            paused=body.paused,
            spending=spending,
            fitting=people.fitting,
            speed=watchable(scenario) if body.speed == "watchable" else 0.0,
        )
        whole = registry.folders.id_of(place) if is_experiment(place) else ""
        return json_reply(StartedRun(registry.folders.id_of(first), whole), 201)

    @api.get("/runs/{run}", response_class=Response)
    def detail(run: RunId) -> Response:
        """Return all that a page needs when it opens a run."""
        return json_reply(_detail(registry, offer, lines, registry.folders.folder_of(run)))

    @api.post("/runs/{run}/control", response_class=Response)
    def steer(run: RunId, body: Steer) -> Response:
        """Play, pause, step, stop, reset, or set the speed; return the status after that."""
        folder = registry.folders.folder_of(run)
        _steer(registry, folder, body)
        return json_reply(status(registry, folder))

    return api


def _people(registry: RunRegistry, offer: Offer, body: Begin) -> Audience:
    """Return the scenario of a request with its minds; those of a run like another stay as is."""
    base = origin(registry, body.like) if body.like else None
    asked = offer.requested(body.toml, body.form, base)
    if body.like and body.form and body.form.mind is None and body.form.dataset is None:
        return Audience(asked, fitting=read_fitting(origin_folder(registry, body.like)))
    return audience_of(asked, is_named=offer.names_mind(body.toml, body.form))


def watchable(scenario: Scenario) -> float:
    """Return the visits a second at which one can follow a run; 0, full speed, for experiments."""
    if scenario.arms or scenario.seeds > 1:
        return 0.0
    seconds = min(SECONDS_A_ROUND * scenario.rounds, LONGEST_S)
    visits = scenario.agents * scenario.rounds * scenario.activation.share
    return max(1.0, float(round(visits / seconds)))


def _steer(registry: RunRegistry, folder: Path, body: Steer) -> None:
    match body.do:
        case "stop":
            registry.stop(folder)
        case "reset":
            registry.reset(folder)
        case "speed":
            if body.speed is None:
                raise Conflict("speed: give visits per second, or 0 for full speed")
            registry.steered(folder).watch.control.set_speed(body.speed)
        case "pause":
            registry.steered(folder).watch.control.pause()
        case _:
            _go_on(registry, folder, body)


def _go_on(registry: RunRegistry, folder: Path, body: Steer) -> None:
    """Let a run go on, also one that was stopped."""
    if body.rounds and not registry.live(folder):
        prolong(folder, body.rounds)
    control = registry.take_up(folder, paused=True).watch.control
    if body.speed is not None:
        control.set_speed(body.speed)
    if body.do == "step_visit":
        control.step_visit()
    elif body.do == "step_round":
        control.step_round()
    else:
        control.play()
