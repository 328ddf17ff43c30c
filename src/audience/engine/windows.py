"""A round by own clocks: window after window, in which only those who are due come.

Visits of one window do not see each other. When they are over, their conversations take place and
their messages are delivered, so that whoever comes in a later window reads them. All that happens
after the visits of a window is in the chapter of its last visitor: the log holds a window in the
order in which it happened, and a window is over if that chapter is there.

Visits are pure, so those of the next windows are run ahead in one wave, and so are their
conversations. One that was run ahead counts if its people are still the same when its window
comes; otherwise it is run again. Both ways give the same bytes. Minds that are asked one by one
are never asked in vain: for them each window waits for the one before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Awaitable, Callable, Iterable, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from audience.engine.conversations import Talk, Talked, refused, sittings, talk
from audience.engine.drivers import Done, Strand
from audience.engine.interventions import reached
from audience.engine.own_clock import Returns, bounds, drawn_in, due
from audience.engine.platform import delivered
from audience.engine.simulation import Simulation
from audience.engine.visit import Life, Visited, visit
from audience.errors import BadInput
from audience.recommenders import AsyncRanker
from audience.world import Agent, dice, events as e, keys

Drive = Callable[[Simulation, Sequence[Strand[Any]], Done[Any]], Awaitable[None]]
"""Drives strands, as `drive` in engine/rounds.py does."""
_BITS = 43
"""Bits of a rank below the number of the window: a hash, so that nobody is always first."""
_MOST_WINDOWS = 1 << (63 - _BITS)
_FEWEST, _AHEAD = 32, 4.0
"""Visits run ahead: more make larger waves, and more of them are run again. Their people are
changed by about one in each visit, so that the best number grows with the root of the people."""


class Appointment(NamedTuple):
    """A visit that is due."""

    rank: int
    agent: int
    at: int
    briefly: bool

    @property
    def window(self) -> int:
        return window_of(self.rank)


def window_of(rank: int) -> int:
    """Return the number of the window of a visit within its round, by its rank."""
    return rank >> _BITS


class Agenda:
    """The visits of a round that are still to come, by window."""

    def __init__(self, sim: Simulation, kept: Iterable[e.Chapter]) -> None:
        self._sim = sim
        self._coming: list[Appointment] = []
        self.begin, self.end = bounds(sim.world)
        self._length = sim.parts.time.window * 60
        if (self.end - self.begin) // self._length >= _MOST_WINDOWS:
            raise BadInput(
                f"time: window: a round of {sim.world.genesis.clock.step} has more than "
                f"{_MOST_WINDOWS:,} windows of {sim.parts.time.window} min; use longer ones"
            )
        self._open(kept)

    def __len__(self) -> int:
        return len(self._coming)

    def _open(self, kept: Iterable[e.Chapter]) -> None:
        """Add who is due, who is played or was, and whom news brings."""
        world, parts = self._sim.world, self._sim.parts
        agents, moments = due(world, parts.activation, parts.time)
        at = dict(zip(agents.tolist(), moments.tolist(), strict=True))
        if played := sorted(agent for agent in parts.present if agent < len(world.agents)):
            places = dice(world.seed, "wake", np.array(played), world.round).uniform("moment")
            found = drawn_in(parts.time, self.begin, self.end, places)
            at |= dict(zip(played, found.tolist(), strict=True))
        for chapter in kept:
            if chapter.agent not in at and isinstance(woke := chapter.entries[0].event, e.Woke):
                at[chapter.agent] = woke.at
        who = np.array(sorted(at), np.int64)
        everybody, places, briefly = reached(world, parts.activation, who, np.zeros(len(who)))
        moments = drawn_in(parts.time, self.begin, self.end, places)
        drawn = zip(everybody.tolist(), moments.tolist(), strict=True)
        news = {agent: moment for agent, moment in drawn if agent in briefly}
        self._coming = sorted(self._rows(at | news, briefly))

    def _rows(self, at: dict[int, int], briefly: frozenset[int] = frozenset()) -> list[Appointment]:
        if not at:
            return []
        world = self._sim.world
        agents = np.array(list(at), np.int64)
        hashes = (keys(world.seed, "visit", agents, world.round) >> np.uint64(64 - _BITS)).tolist()
        return [
            Appointment(
                (moment - self.begin) // self._length << _BITS | hashed,
                agent,
                moment,
                agent in briefly,
            )
            for (agent, moment), hashed in zip(at.items(), hashes, strict=True)
        ]

    def again(self, moments: dict[int, int]) -> None:
        """Add the next visits of those who have just come, where they are in this round too."""
        for row in self.returning(moments):
            insort(self._coming, row)

    def returning(self, moments: dict[int, int]) -> list[Appointment]:
        """Return the visits at some moments that are in this round."""
        present = self._sim.parts.present
        return self._rows(
            {
                agent: moment
                for agent, moment in moments.items()
                if moment < self.end and agent not in present
            }
        )

    def take(self) -> list[Appointment]:
        """Remove the visits of the next window and return them in the order of the log."""
        if not self._coming:
            return []
        last = (self._coming[0].window + 1) << _BITS
        count = bisect_left(self._coming, last, key=lambda row: row.rank)
        rows, self._coming = self._coming[:count], self._coming[count:]
        return rows

    def ahead(self, count: int) -> list[Appointment]:
        """Return the next visits without removing them."""
        return self._coming[:count]

    def upto(self, rank: int) -> list[Appointment]:
        """Return the visits up to a rank without removing them."""
        return self._coming[: bisect_right(self._coming, rank, key=lambda row: row.rank)]

    def closes(self, window: int) -> int:
        """Return when a window is over."""
        return min(self.begin + (window + 1) * self._length, self.end)


async def lived(
    sim: Simulation, rows: Sequence[Appointment], done: Done[Visited], drive: Drive
) -> None:
    """Run visits that do not see each other; `done` gets them as they end, by their place."""
    await drive(sim, [begun(sim, row) for row in rows], done)


def begun(sim: Simulation, row: Appointment, me: Agent | None = None) -> Life:
    """Return a visit, to be driven, of a person as they are, or as they will be then."""
    assert sim.stage is not None
    platform, turns = sim.stage.platform, sim.rules.max_turns
    return visit(sim.world, platform, row.agent, row.at, turns, briefly=row.briefly, me=me)


async def in_windows(sim: Simulation, found: Sequence[e.Chapter], drive: Drive) -> None:
    """Run the visits of a round window by window; the chapters in `found` have happened."""
    kept = {(row.rank, row.agent): row for row in found if row.phase == e.VISITS}
    agenda = Agenda(sim, kept.values())
    drafts = _Drafts(sim, agenda, drive, kept)
    done = 0
    sim.progress(sim.world.round, done, len(agenda))
    while rows := agenda.take():
        await drafts.prepare(rows)
        await drafts.close(rows)
        agenda.again(drafts.returns(rows))
        done += len(rows)
        sim.progress(sim.world.round, done, done + len(agenda))
    sim.keeper.commit()


Basis = Agent | None
"""An agent as the world has it; None: as in the genesis."""


class Meeting(NamedTuple):
    """A conversation at the end of a window, and the two people as they come to it."""

    wish: e.Wished
    at: int
    first: Basis
    second: Basis

    @property
    def key(self) -> tuple[int, int]:
        """The person who opens it and the moment: nobody opens two at once."""
        return self.wish.agent, self.at

    def begun(self, sim: Simulation) -> Talk:
        """Return the conversation, to be driven."""
        wish, agents = self.wish, sim.world.agents
        people = (self.first or agents[wish.agent], self.second or agents[wish.to])
        most, joint = sim.rules.max_lines, sim.joint(wish)
        return talk(sim.world, wish, most, joint=joint, at=self.at, people=people)


class _Drafts:
    """The visits and conversations that were run, until their windows are closed."""

    def __init__(
        self,
        sim: Simulation,
        agenda: Agenda,
        drive: Drive,
        kept: dict[tuple[int, int], e.Chapter],
    ) -> None:
        self._sim = sim
        self._agenda = agenda
        self._drive = drive
        self._kept = kept
        self._visits: dict[Appointment, tuple[Basis, Visited]] = {}
        self._returns = Returns(sim.world, sim.parts.activation, sim.parts.time)
        self._next: dict[Appointment, int] = {}
        self._talks: dict[tuple[int, int], tuple[Meeting, Talked]] = {}
        self._written: set[Appointment] = set()
        self._horizon = -1
        """The rank up to which visits were run ahead."""
        self._is_ahead = False
        self._unfollowed: list[Appointment] = []
        """Visits run ahead without what follows from them."""

    async def prepare(self, rows: Sequence[Appointment]) -> None:
        """Run the visits of a window that were not run, or whose person has changed since."""
        stale = self._stale(rows)
        if not stale:
            return
        is_new = rows[-1].rank > self._horizon
        if is_new:
            self._sim.keeper.commit()
            self._is_ahead = self._may_run_ahead()
        if not self._is_ahead:
            await lived(self._sim, stale, self._done(stale, rows[-1]), self._drive)
            self._plan(stale)
            return
        if is_new:
            most = _stretch(len(self._sim.world.agents))
            coming = self._agenda.ahead(max(most - len(rows), 0))
            self._horizon = (coming or rows)[-1].rank
        else:
            coming = self._agenda.upto(self._horizon)
        stale += self._stale(coming)
        if is_new:
            await lived(self._sim, stale, self._done(stale), self._drive)
            self._plan(stale)
            self._unfollowed = [*rows, *coming]
        else:
            await self._run(stale, ())

    def _plan(self, rows: Sequence[Appointment]) -> None:
        """Note when the people of visits that were run, or are in the log, come again."""
        satisfaction = [
            self._visits[row][1].me.satisfaction
            if row in self._visits
            else self._sim.world.satisfaction[row.agent]
            for row in rows
        ]
        people = np.array([row.agent for row in rows], np.int64)
        came = np.array([row.at for row in rows], np.int64)
        moments = self._returns.after(people, came, np.array(satisfaction)).tolist()
        self._next |= zip(rows, moments, strict=True)

    def returns(self, rows: Sequence[Appointment]) -> dict[int, int]:
        """Return when the visitors of a closed window come again."""
        if kept := [row for row in rows if (row.rank, row.agent) in self._kept]:
            self._plan(kept)
        return {row.agent: self._next.pop(row) for row in rows}

    def _may_run_ahead(self) -> bool:
        sim = self._sim
        assert sim.stage is not None
        own = sim.in_waves and not isinstance(sim.stage.ranker, AsyncRanker)
        return own and (sim.control is None or sim.control.is_free)

    def _stale(self, rows: Sequence[Appointment]) -> list[Appointment]:
        return [
            row for row in rows if (row.rank, row.agent) not in self._kept and not self._holds(row)
        ]

    def _holds(self, row: Appointment) -> bool:
        run = self._visits.get(row)
        return run is not None and self._now(row.agent) is run[0]

    def _now(self, agent: int) -> Basis:
        return self._sim.world.agents.changed.get(agent)

    def _done(self, stale: Sequence[Appointment], last: Appointment | None = None) -> Done[Visited]:
        """Keep visits as they end; with `last`, also write those before it down at once."""

        def done(ended: list[tuple[int, Visited]]) -> None:
            for place, visited in ended:
                row = stale[place]
                self._visits[row] = (self._now(row.agent), visited)
                if last is not None and row is not last:
                    self._sim.keeper.append(self._chapter(row, visited.entries))
                    self._written.add(row)
            if last is not None:
                self._sim.keeper.commit()

        return done

    def _chapter(self, row: Appointment, entries: Sequence[e.Entry]) -> e.Chapter:
        return e.Chapter(self._sim.world.round, e.VISITS, row.rank, row.agent, tuple(entries))

    async def _run(self, stale: Sequence[Appointment], talks: Sequence[Meeting]) -> None:
        """Run visits and conversations, and with them what follows from visits run ahead.

        These are the conversations of their windows, and second visits within the stretch.
        """
        ahead = [row for row in self._unfollowed if self._holds(row)]
        self._unfollowed = []
        after = {row.agent: self._visits[row][1].me for row in ahead}
        again = self._agenda.returning({row.agent: self._next[row] for row in ahead})
        soon = [row for row in again if row.rank <= self._horizon and row not in self._visits]
        visits = [*stale, *soon]
        bases = [*(self._now(row.agent) for row in stale), *(after[row.agent] for row in soon)]
        meetings = [*talks, *self._meetings(ahead)]
        strands: list[Strand[Any]] = [
            begun(self._sim, row, me) for row, me in zip(visits, bases, strict=True)
        ]
        strands += [meeting.begun(self._sim) for meeting in meetings]

        def done(ended: list[tuple[int, Any]]) -> None:
            for place, result in ended:
                if place < len(visits):
                    self._visits[visits[place]] = (bases[place], result)
                else:
                    meeting = meetings[place - len(visits)]
                    self._talks[meeting.key] = (meeting, result)

        await self._drive(self._sim, strands, done)
        if visits:
            self._plan(visits)

    def _meetings(self, rows: Sequence[Appointment]) -> list[Meeting]:
        """Return the first conversations of windows, with people as they will be then."""
        world, after = self._sim.world, dict[int, Agent]()
        meetings: list[Meeting] = []
        for window in _by_window(rows):
            lives = [self._visits[row][1] for row in window]
            after |= {visited.me.profile.id: visited.me for visited in lives}
            wishes = [entry.event for visited in lives for entry in visited.entries]
            planned = sittings(world, [wish for wish in wishes if isinstance(wish, e.Wished)])
            at = self._agenda.closes(window[0].window)
            for _, wish in (first for sitting in planned.granted[:1] for first in sitting):
                one, other = (after.get(who) or self._now(who) for who in (wish.agent, wish.to))
                meetings.append(Meeting(wish, at, one, other))
        return [meeting for meeting in meetings if not self._has_talked(meeting)]

    def _has_talked(self, meeting: Meeting) -> bool:
        run = self._talks.get(meeting.key)
        if run is None:
            return False
        before = run[0]
        return (
            before.wish is meeting.wish
            and before.first is meeting.first
            and before.second is meeting.second
        )

    async def close(self, rows: Sequence[Appointment]) -> None:
        """Let the visits of a window happen, then what they lead to at its end."""
        world, at = self._sim.world, self._agenda.closes(rows[0].window)
        for row in rows[:-1]:
            self._happen(row)
        last = rows[-1]
        if (before := self._kept.get((last.rank, last.agent))) is not None:
            self._sim.apply(before)
        else:
            entries = [*self._absorb(last), *await self._conversations(at)]
            for post in delivered(world, world.outbox):
                world.apply(post)
                entries.append(e.Entry(post))
            chapter = self._chapter(last, entries)
            self._sim.keeper.append(chapter)
            self._sim.tell(chapter)
        world.outbox.clear()
        world.wishes.clear()
        if not self._is_ahead:
            self._sim.keeper.commit()

    def _happen(self, row: Appointment) -> None:
        if (before := self._kept.get((row.rank, row.agent))) is not None:
            self._sim.apply(before)
            return
        chapter = self._chapter(row, self._absorb(row))
        if row not in self._written:
            self._sim.keeper.append(chapter)
        self._sim.tell(chapter)

    def _absorb(self, row: Appointment) -> Sequence[e.Entry]:
        _, visited = self._visits.pop(row)
        self._sim.world.absorb(visited.me, visited.entries)
        self._sim.decisions += visited.decisions
        return visited.entries

    async def _conversations(self, at: int) -> list[e.Entry]:
        """Let people talk who wished to, sitting after sitting; what cannot be is refused."""
        world = self._sim.world
        if not world.wishes:
            return []
        planned = sittings(world, tuple(world.wishes))
        entries: list[e.Entry] = []
        for sitting in planned.granted:
            meetings = [
                Meeting(wish, at, self._now(wish.agent), self._now(wish.to)) for _, wish in sitting
            ]
            if missing := [meeting for meeting in meetings if not self._has_talked(meeting)]:
                await self._run((), missing)
            for _, wish in sitting:
                _, talked = self._talks.pop((wish.agent, at))
                self._sim.decisions += talked.decisions
                entries += talked.entries
                for entry in talked.entries:
                    world.apply(entry.event)
        self._talks = {key: run for key, run in self._talks.items() if key[1] > at}
        return entries + [entry for some in refused(planned.unmet).values() for entry in some]


def _by_window(rows: Sequence[Appointment]) -> list[list[Appointment]]:
    windows: dict[int, list[Appointment]] = {}
    for row in rows:
        windows.setdefault(row.window, []).append(row)
    return list(windows.values())


def _stretch(people: int) -> int:
    """Return how many visits are run ahead."""
    return max(_FEWEST, int(_AHEAD * sqrt(people)))
