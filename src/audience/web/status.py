"""How a run stands: its line in the list, how it is steered, its panel."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from audience.errors import AudienceError
from audience.experiments.models import cost_of
from audience.experiments.scenario import Scenario, label
from audience.experiments.watching import Panel, Tally
from audience.llm.metered import Counts
from audience.llm.store import FILE as CALLS
from audience.llm.store import CallStore
from audience.log import is_held
from audience.web.hall import Hall, Here
from audience.web.readers import Reader
from audience.world.events import CLOSING, CONVERSATIONS, VISITS

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
        self.tally = Tally(reader.world(done), numbers)
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
