"""Visits as data shows them: picks, pages, minutes and stars.

Only picks leave a trace. Pages and visits without a pick are
not in such data, so they are left out of simulated visits too before the two are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.agents import BatchMind, Decision
from audience.errors import BadInput
from audience.grounding.lives import Lives
from audience.grounding.ratings import STARS, whole
from audience.world import (
    LAST_PAGE,
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Floats,
    Ints,
    Laws,
    Observation,
    Situation,
    actions as a,
    dice,
    events as e,
    fold_agent,
)

GAP = 60.0
"""Minutes of inactivity after which the next interaction begins another visit."""
PICKS: Ints = np.array([1, 2, 3, 4, 5, 7])
PAGES: Ints = np.array([1, 2, 3, 5, 9, 17, 33])
TAKEN: Ints = np.array([1, 2, 4, 8, 16, 32, 64])
MINUTES: Floats = np.array([0.0, 1.0, 3.0, 10.0, 20.0, 40.0, 80.0])
"""Lower edges of the bins of picks per page, and of pages, picks and minutes per visit."""
FINISHED = 0.9
"""The share of an item from which it counts as watched to the end."""
_DAY = 86_400.0
_SEVERAL = 0.05
"""The share of pages with several picks above which a timestamp counts as a page."""


class Sessions(msgspec.Struct, frozen=True, eq=False):
    """Visits with at least one pick."""

    users: Ints
    """The person of each visit."""
    picks: Ints
    pages: Ints
    """Pages of each visit with at least one pick."""
    minutes: Floats
    """From the first pick of each visit to its last."""
    per_page: Ints
    """Picks of each page with at least one."""
    pauses: Floats
    """Seconds from each page to the next of the same visit."""
    gaps: Floats
    """Days from the start of each visit to the start of the person's next."""
    raters: Ints
    """Who gave each rating."""
    stars: Ints
    pagers: Ints
    """Whose each page is."""
    shown: int = 0
    """Total number of items shown, if known."""
    finished: float | None = None
    """The share of items watched to the end, each person counting the same; None if not known."""

    @property
    def has_pages(self) -> bool:
        """Whether pages can be recognised: in some data every pick has its own timestamp."""
        return bool((self.per_page > 1).mean() >= _SEVERAL) if len(self.per_page) else False

    def histograms(self) -> dict[str, Floats]:
        """Return the histograms that are compared, by name; everybody counts the same."""
        visits = by_person(self.users)
        histograms = {
            "stars": shares(self.stars, np.arange(1, STARS + 1), by_person(self.raters)),
            "picks per page": shares(self.per_page, PICKS, by_person(self.pagers)),
            "pages per visit": shares(self.pages, PAGES, visits),
            "picks per visit": shares(self.picks, TAKEN, visits),
            "minutes per visit": shares(self.minutes, MINUTES, visits),
        }
        return {name: each for name, each in histograms.items() if each.sum() > 0.0}


def sessions_of(lives: Lives, *, gap: float = GAP, fractions: Floats | None = None) -> Sessions:
    """Return the visits in some interactions: those of a person with less than `gap` minutes apart.

    Interactions of one person and moment are one page. `fractions`: how much of each was watched.
    """
    if not len(lives):
        raise BadInput("there are no interactions, and so no visits to learn from")
    if gap <= 0.0:
        raise BadInput(f"a gap of {gap:g} minutes between visits makes no sense; give more than 0")
    order = np.lexsort((lives.at, lives.users))
    users, at = lives.users[order], lives.at[order]
    same = np.diff(users) == 0
    begins = np.concatenate([[True], ~same | (np.diff(at) > 60.0 * gap)])
    pages = np.concatenate([[True], ~same | (np.diff(at) > 0)]) | begins
    visit, starts = np.cumsum(begins) - 1, np.flatnonzero(begins)
    ends = np.concatenate([starts[1:], [len(users)]]) - 1
    first = at[pages]
    inside = ~begins[pages][1:]
    again = np.diff(users[starts]) == 0
    rated = lives.stars > 0
    return Sessions(
        users[starts],
        np.bincount(visit),
        np.bincount(visit[pages]),
        (at[ends] - at[starts]) / 60.0,
        np.bincount(np.cumsum(pages) - 1),
        np.diff(first)[inside].astype(np.float64),
        np.diff(at[starts])[again] / _DAY,
        lives.users[rated],
        whole(lives.stars[rated]),
        users[pages],
        finished=_finished(lives.users, fractions),
    )


def _finished(owners: Ints, fractions: Floats | None) -> float | None:
    """Return the share watched to the end; None where nothing says how much was watched."""
    if fractions is None or not len(fractions) or float(fractions.min()) >= 1.0:
        return None
    counted = by_person(owners)
    return float(counted @ (fractions >= FINISHED) / counted.sum())


def by_person(owners: Ints) -> Floats:
    """Return what each of some things counts, so that everybody counts the same."""
    many = np.bincount(owners)
    counted: Floats = 1.0 / many[owners]
    return counted


def shares(values: Ints | Floats, bins: Ints | Floats, weights: Floats | None = None) -> Floats:
    """Return the share of values in each bin, by weight; the last bin is open."""
    places = np.searchsorted(bins, values, side="right") - 1
    there = places >= 0
    counted = np.ones(len(places)) if weights is None else weights
    sums = np.bincount(places[there], counted[there], len(bins))
    whole = float(sums.sum())
    normalised: Floats = sums / (whole if whole > 0.0 else 1.0)
    return normalised


def divergence(first: Floats, second: Floats) -> float:
    """Return the Jensen-Shannon divergence of two histograms, 0 to 1 bit."""
    middle = (first + second) / 2.0
    return _relative(first, middle) / 2.0 + _relative(second, middle) / 2.0


def _relative(shares: Floats, others: Floats) -> float:
    there = shares > 0.0
    return float((shares[there] * np.log2(shares[there] / others[there])).sum())


class VisitStage(msgspec.Struct, frozen=True, eq=False):
    """The people who visit, and what each is shown."""

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
) -> VisitStage:
    """Return a stage whose pages hold items new to the agent, drawn by popularity."""
    many = min(page_size * max_pages, len(catalogue))
    draws = dice(seed, "calibrate", "shelf", np.arange(len(agents)))
    # The largest of log(weight) + Gumbel noise are a draw without replacement by weight.
    noise = -np.log(-np.log(np.maximum(draws.uniforms("item", len(catalogue)), 1e-300)))
    keys = np.log(popularity + 0.5)[None, :] + noise
    for row, me in enumerate(agents):
        keys[row, [lived.item for lived in me.history]] -= 1e6
    shelves = np.argsort(-keys, axis=1, kind="stable")[:, :many]
    return VisitStage(tuple(agents), catalogue, domain, shelves, pauses, page_size, max_pages, seed)


class _Counted:
    """Records visits as they are simulated."""

    def __init__(self, people: int) -> None:
        self.picks = np.zeros(people, np.int64)
        self.pages = np.zeros(people, np.int64)
        self.minutes = np.zeros(people)
        self.last = np.full(people, -1)
        self.per_page: list[int] = []
        self.pagers: list[int] = []
        self.watched: list[float] = []
        self.rated: list[tuple[int, int]] = []
        self.shown = 0


def live_visits(mind: BatchMind, stage: VisitStage, visit: int = 0) -> Sessions:
    """Return a visit of everybody on the stage, as data would show it."""
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


def _seen(
    stage: VisitStage, me: Agent, page: Ints, turn: int, laws: Laws, *, last: bool
) -> Observation:
    shown = e.SlateShown(me.profile.id, tuple(page.tolist()), turn)
    menu = LAST_PAGE if last else MENUS["recommender"]
    me = fold_agent(me, shown, laws)
    return Observation(me, 1, turn + 1, "recommender", menu, stage.catalogue, stage.domain)


def _picks(decision: Decision) -> list[a.Pick]:
    return [action for action in decision.actions if isinstance(action, a.Pick)]


def _after(me: Agent, decision: Decision, laws: Laws, row: int, counted: _Counted) -> Agent | None:
    """Return an agent after a page, or None if it leaves the recommender."""
    who = me.profile.id
    for action in decision.actions:
        if isinstance(action, a.Pick):
            counted.watched.append(action.fraction)
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
    counted.pagers.append(row)
    counted.picks[row] += picks
    if counted.pages[row]:
        counted.minutes[row] += pause / 60.0
    counted.pages[row] += 1


def _pauses(stage: VisitStage, draws: Floats) -> list[float]:
    if not len(stage.pauses):
        return [0.0] * len(draws)
    places = (draws * len(stage.pauses)).astype(np.int64)
    pauses: list[float] = stage.pauses[places].tolist()
    return pauses


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
        np.array(counted.pagers, np.int64),
        counted.shown,
        float(np.mean(np.array(counted.watched) >= FINISHED)) if counted.watched else None,
    )
