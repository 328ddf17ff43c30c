"""Visits of a mind alone with its pages: what calibration compares with the visits in data.

No engine, no log, no memory: only pages of items as popular as in the data, and what the mind makes
of them. Draws have names, so that two sets of parameters meet the same pages and the same dice.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.agents.mind import BatchMind, Decision
from audience.grounding.sessions import Sessions
from audience.world import actions as a
from audience.world import events as e
from audience.world.agent import Agent, Laws, Situation, fold_agent
from audience.world.genesis import Domain
from audience.world.items import Catalogue
from audience.world.observe import LAST_PAGE, MENUS, Observation
from audience.world.rng import Floats, Ints, dice


class Stage(msgspec.Struct, frozen=True, eq=False):
    """Who visits, and what is shown to whom."""

    agents: tuple[Agent, ...]
    catalogue: Catalogue
    domain: Domain
    shelves: Ints
    """[agents, items]: what each is shown, page after page."""
    pauses: Floats
    """Seconds from one page to the next, to draw from."""
    page_size: int
    max_pages: int
    seed: int


def stage_of(
    agents: Sequence[Agent],
    catalogue: Catalogue,
    domain: Domain,
    popularity: Ints,
    pauses: Floats,
    *,
    page_size: int,
    max_pages: int,
    seed: int,
) -> Stage:
    """Return a stage whose pages hold what an agent has not lived, drawn by popularity."""
    many = min(page_size * max_pages, len(catalogue))
    draws = dice(seed, "calibrate", "shelf", np.arange(len(agents)))
    # The largest of log(weight) + Gumbel noise are a draw without replacement by weight.
    noise = -np.log(-np.log(np.maximum(draws.uniforms("item", len(catalogue)), 1e-300)))
    keys = np.log(popularity + 0.5)[None, :] + noise
    for row, me in enumerate(agents):
        keys[row, [lived.item for lived in me.history]] -= 1e6
    shelves = np.argsort(-keys, axis=1, kind="stable")[:, :many]
    return Stage(tuple(agents), catalogue, domain, shelves, pauses, page_size, max_pages, seed)


class _Counted:
    """What is written down while visits go on."""

    def __init__(self, people: int) -> None:
        self.picks = np.zeros(people, np.int64)
        self.pages = np.zeros(people, np.int64)
        self.minutes = np.zeros(people)
        self.last = np.full(people, -1)
        self.per_page: list[int] = []
        self.rated: list[tuple[int, int]] = []
        self.shown = 0


def live_visits(mind: BatchMind, stage: Stage, visit: int = 0) -> Sessions:
    """Return one visit of everybody on the stage, as data would show it."""
    laws = Laws(stage.catalogue, 0.0)
    here = {row: _arrived(me) for row, me in enumerate(stage.agents)}
    counted = _Counted(len(stage.agents))
    for turn in range(stage.max_pages):
        pages = stage.shelves[:, turn * stage.page_size : (turn + 1) * stage.page_size]
        if not here or not pages.shape[1]:
            break
        last = turn + 1 == stage.max_pages
        rows = list(here)
        seen = [_seen(stage, here[row], pages[row], turn, laws, last=last) for row in rows]
        counted.shown += len(rows) * pages.shape[1]
        drawn = dice(stage.seed, "calibrate", "visit", np.array(rows), visit, turn)
        wait = _pauses(stage, drawn.uniform("pause"))
        for row, one, decision, pause in zip(
            rows, seen, mind.decide_many(seen, drawn), wait, strict=True
        ):
            after = _after(one.me, decision, laws, row, counted)
            if after is None:
                del here[row]
            else:
                here[row] = after
            _note_page(counted, row, len(_picks(decision)), pause)
    return _sessions(counted)


def _arrived(me: Agent) -> Agent:
    return msgspec.structs.replace(me, situation=Situation(0, "recommender"))


def _seen(stage: Stage, me: Agent, page: Ints, turn: int, laws: Laws, *, last: bool) -> Observation:
    shown = e.SlateShown(me.profile.id, tuple(page.tolist()), turn)
    menu = LAST_PAGE if last else MENUS["recommender"]
    me = fold_agent(me, shown, laws)
    return Observation(me, 1, turn + 1, "recommender", menu, stage.catalogue, stage.domain)


def _picks(decision: Decision) -> list[a.Pick]:
    return [one for one in decision.actions if isinstance(one, a.Pick)]


def _after(me: Agent, decision: Decision, laws: Laws, row: int, counted: _Counted) -> Agent | None:
    """Return somebody after a page, or nothing when it leaves the recommender."""
    who = me.profile.id
    for action in decision.actions:
        if isinstance(action, a.Pick):
            me = fold_agent(me, e.Watched(who, action.item, action.fraction), laws)
        elif isinstance(action, a.Rate):
            counted.rated.append((row, action.stars))
            me = fold_agent(me, e.Rated(who, action.item, action.stars), laws)
        elif not isinstance(action, (a.NextPage, a.Browse)):
            return None
    return me if decision.actions else None


def _note_page(counted: _Counted, row: int, picks: int, pause: float) -> None:
    if not picks:
        return
    counted.per_page.append(picks)
    counted.picks[row] += picks
    if counted.pages[row]:
        counted.minutes[row] += pause / 60.0
    counted.pages[row] += 1


def _pauses(stage: Stage, draws: Floats) -> list[float]:
    if not len(stage.pauses):
        return [0.0] * len(draws)
    places = (draws * len(stage.pauses)).astype(np.int64)
    found: list[float] = stage.pauses[places].tolist()
    return found


def _sessions(counted: _Counted) -> Sessions:
    rows = np.flatnonzero(counted.picks)
    rated = np.array(counted.rated, np.int64).reshape(-1, 2)
    return Sessions(
        rows,
        counted.picks[rows],
        counted.pages[rows],
        counted.minutes[rows],
        np.array(counted.per_page, np.int64),
        np.empty(0),
        np.empty(0),
        rated[:, 0],
        rated[:, 1],
        counted.shown,
    )
