"""A round by own clocks: window after window, in which only those who are due come.

Visits of one window do not see each other. When they are over, their conversations take place and
their messages are delivered, so that whoever comes in a later window reads them. All that happens
after the visits of a window is in the chapter of its last visitor: the log holds a window in the
order in which it happened, and a window is over if that chapter is there.

Visits are pure, so those of the next windows are run ahead in one wave. What they lead to is then
foreseen: who reads which message, who talks with whom and who comes again. Whatever is foreseen to
be another person's visit or talk than the one that was run is run in the next wave. A visit or talk
that was run ahead counts if its people are equal to those it was run with when its window comes;
otherwise it is run again. Both ways give the same bytes. Minds that are asked one by one are never
asked in vain: for them each window waits for the one before.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Awaitable, Callable, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from audience.engine.agenda import Agenda, Appointment, end_of, within_window
from audience.engine.conversations import Talk, Talked, refused, sittings, talk
from audience.engine.drivers import Done, Strand
from audience.engine.own_clock import Returns
from audience.engine.platform import delivered
from audience.engine.simulation import Simulation
from audience.engine.visit import Life, Visited, visit
from audience.recommenders import AsyncRanker
from audience.world import FOLDS, Agent, World, events as e, letter_of, with_letter

Drive = Callable[[Simulation, Sequence[Strand[Any]], Done[Any]], Awaitable[None]]
"""Drives strands, as `drive` in engine/rounds.py does."""
_FEWEST, _AHEAD = 32, 24.0
"""Visits run ahead: more make larger waves, and more of them are run again. Their people are
changed by about one in each visit, so that the best number grows with the root of the people."""


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
        agenda.add(drafts.returns(rows))
        done += len(rows)
        sim.progress(sim.world.round, done, done + len(agenda))
    sim.keeper.commit()


_FOR_OTHERS = frozenset({e.Wished, e.Posted, e.Forwarded})
Basis = Agent | None
"""An agent as the world has it; None: as in the genesis."""


class Meeting(NamedTuple):
    """A conversation at the end of a window, and the two people as they come to it."""

    rank: int
    wish: e.Wished
    at: int
    first: Basis
    second: Basis

    @property
    def key(self) -> tuple[int, int, int]:
        """The moment, and the sitting and who opens it: nobody opens two at once."""
        return self.at, self.rank, self.wish.agent

    def begun(self, sim: Simulation) -> Talk:
        """Return the conversation, to be driven."""
        wish, agents = self.wish, sim.world.agents
        people = (self.first or agents[wish.agent], self.second or agents[wish.to])
        most, joint = sim.rules.max_lines, sim.joint(wish)
        return talk(sim.world, wish, most, joint=joint, at=self.at, people=people)


class DraftVisit(NamedTuple):
    """A visit that was run, and the person as they were, or will be, when it begins."""

    basis: Basis
    visited: Visited
    wishes: list[e.Wished]
    mail: list[e.Delivered]
    """The messages that it sends, as they will be delivered."""

    @classmethod
    def of(cls, world: World, basis: Basis, visited: Visited) -> DraftVisit:
        events = [entry.event for entry in visited.entries if type(entry.event) in _FOR_OTHERS]
        wishes = [event for event in events if isinstance(event, e.Wished)]
        posts = [event for event in events if isinstance(event, (e.Posted, e.Forwarded))]
        return cls(basis, visited, wishes, delivered(world, posts))


class _Drafts:
    """The visits and conversations that were run, until their windows are closed."""

    def __init__(
        self,
        sim: Simulation,
        agenda: Agenda,
        drive: Drive,
        kept: dict[tuple[int, int], e.Chapter],
    ) -> None:
        self.sim = sim
        self.agenda = agenda
        self.kept = kept
        self.visits: dict[Appointment, DraftVisit] = {}
        self.talks: dict[tuple[int, int, int], tuple[Meeting, Talked]] = {}
        self.next: dict[Appointment, Appointment | None] = {}
        """When the people of visits come again, if in this round."""
        self.horizon = -1
        """The rank up to which visits are run ahead."""
        self._drive = drive
        self._returns = Returns(sim.world, sim.parts.activation, sim.parts.time)
        self._written: set[Appointment] = set()
        self._is_ahead = False

    def now(self, agent: int) -> Basis:
        """Return a person as they are."""
        return self.sim.world.agents.changed.get(agent)

    async def prepare(self, rows: Sequence[Appointment]) -> None:
        """Run the visits of a window that were not run, or whose person is another since."""
        stale = [row for row in rows if not self._holds(row)]
        if not stale:
            return
        is_new = rows[-1].rank > self.horizon
        if is_new:
            self.sim.keeper.commit()
            self._is_ahead = self._may_run_ahead()
        if not self._is_ahead:
            await lived(self.sim, stale, self._done(stale, rows[-1]), self._drive)
            self._plan(stale)
            return
        if is_new:
            most = _stretch(len(self.sim.world.agents))
            coming = self.agenda.ahead(max(most - len(rows), 0))
            self.horizon = end_of((coming or rows)[-1])
        forecast = _Forecast(self)
        forecast.follow([*rows, *self.agenda.upto(self.horizon)])
        await self._run(forecast)

    def _plan(self, rows: Sequence[Appointment]) -> None:
        """Note when the people of visits that were run, or are in the log, come again."""
        satisfaction = [
            self.visits[row].visited.me.satisfaction
            if row in self.visits
            else self.sim.world.satisfaction[row.agent]
            for row in rows
        ]
        people = np.array([row.agent for row in rows], np.int64)
        came = np.array([row.at for row in rows], np.int64)
        moments = self._returns.after(people, came, np.array(satisfaction))
        self.next |= zip(rows, self.agenda.returning(people, moments), strict=True)

    def returns(self, rows: Sequence[Appointment]) -> list[Appointment]:
        """Return the next visits of the visitors of a closed window."""
        if kept := [row for row in rows if (row.rank, row.agent) in self.kept]:
            self._plan(kept)
        return [after for row in rows if (after := self.next.pop(row)) is not None]

    def _may_run_ahead(self) -> bool:
        sim = self.sim
        assert sim.stage is not None
        own = sim.in_waves and not isinstance(sim.stage.ranker, AsyncRanker)
        return own and (sim.control is None or sim.control.is_free)

    def _holds(self, row: Appointment) -> bool:
        """Return True if a visit is in the log, or was run with the person as they are."""
        draft = self.visits.get(row)
        if draft is None:
            return (row.rank, row.agent) in self.kept
        return draft.basis == self.now(row.agent)

    def _done(self, stale: Sequence[Appointment], last: Appointment) -> Done[Visited]:
        """Keep visits as they end, and write those before the last of the window down at once."""

        def done(ended: list[tuple[int, Visited]]) -> None:
            for place, visited in ended:
                row = stale[place]
                self.visits[row] = DraftVisit.of(self.sim.world, self.now(row.agent), visited)
                if row is not last:
                    self.sim.keeper.append(self._chapter(row, visited.entries))
                    self._written.add(row)
            self.sim.keeper.commit()

        return done

    def _chapter(self, row: Appointment, entries: Sequence[e.Entry]) -> e.Chapter:
        return e.Chapter(self.sim.world.round, e.VISITS, row.rank, row.agent, tuple(entries))

    async def _run(self, forecast: _Forecast) -> None:
        """Run the visits and conversations that a forecast misses."""
        visits, meetings = forecast.visits, forecast.meetings
        strands: list[Strand[Any]] = [begun(self.sim, row, basis) for row, basis in visits]
        strands += [meeting.begun(self.sim) for meeting in meetings]

        def done(ended: list[tuple[int, Any]]) -> None:
            for place, result in ended:
                if place < len(visits):
                    row, basis = visits[place]
                    self.visits[row] = DraftVisit.of(self.sim.world, basis, result)
                else:
                    meeting = meetings[place - len(visits)]
                    self.talks[meeting.key] = (meeting, result)

        await self._drive(self.sim, strands, done)
        if visits:
            self._plan([row for row, _ in visits])

    async def close(self, rows: Sequence[Appointment]) -> None:
        """Let the visits of a window happen, then what they lead to at its end."""
        world, at = self.sim.world, self.agenda.closes(rows[0].window)
        for row in rows[:-1]:
            self._happen(row)
        last = rows[-1]
        if (before := self.kept.get((last.rank, last.agent))) is not None:
            self.sim.apply(before)
        else:
            entries = [*self._absorb(last), *await self._conversations(at)]
            for post in delivered(world, world.outbox):
                world.apply(post)
                entries.append(e.Entry(post))
            chapter = self._chapter(last, entries)
            self.sim.keeper.append(chapter)
            self.sim.tell(chapter)
        world.outbox.clear()
        world.wishes.clear()
        if not self._is_ahead:
            self.sim.keeper.commit()

    def _happen(self, row: Appointment) -> None:
        if (before := self.kept.get((row.rank, row.agent))) is not None:
            self.sim.apply(before)
            return
        chapter = self._chapter(row, self._absorb(row))
        if row not in self._written:
            self.sim.keeper.append(chapter)
        self.sim.tell(chapter)

    def _absorb(self, row: Appointment) -> Sequence[e.Entry]:
        visited = self.visits.pop(row).visited
        self.sim.world.absorb(visited.me, visited.entries)
        self.sim.decisions += visited.decisions
        return visited.entries

    async def _conversations(self, at: int) -> list[e.Entry]:
        """Let people talk who wished to, sitting after sitting; what cannot be is refused."""
        world = self.sim.world
        if not world.wishes:
            return []
        while (forecast := _Forecast(self)).talk(world.wishes, at):
            if self._is_ahead:
                forecast.deliver(delivered(world, world.outbox))
                forecast.follow(self.agenda.upto(self.horizon))
            await self._run(forecast)
        entries: list[e.Entry] = []
        for talked in forecast.talks:
            self.sim.decisions += talked.decisions
            entries += talked.entries
            for entry in talked.entries:
                world.apply(entry.event)
        self.talks = {key: run for key, run in self.talks.items() if key[0] > at}
        unmet = refused(sittings(world, world.wishes).unmet)
        return entries + [entry for some in unmet.values() for entry in some]


class _Forecast:
    """How people will be in the next windows, as far as these were run, and what is missing."""

    def __init__(self, drafts: _Drafts) -> None:
        self.visits: list[tuple[Appointment, Basis]] = []
        self.meetings: list[Meeting] = []
        """What is to be run, since it was not, or with other people than it will have."""
        self.talks: list[Talked] = []
        self._drafts = drafts
        self._world = drafts.sim.world
        self._after: dict[int, Agent] = {}
        self._unknown: set[int] = set()
        """People of whom nothing can be said before what is missing was run."""

    def follow(self, coming: list[Appointment]) -> None:
        """Foresee visits and what they lead to, window after window."""
        while coming:
            count = within_window(coming)
            rows, coming = coming[:count], coming[count:]
            drafts = [draft for row in rows if (draft := self._draft(row, coming)) is not None]
            wishes = [wish for draft in drafts for wish in draft.wishes]
            self.talk(wishes, self._drafts.agenda.closes(rows[0].window))
            self.deliver([post for draft in drafts for post in draft.mail])

    def _draft(self, row: Appointment, coming: list[Appointment]) -> DraftVisit | None:
        """Return a visit that was run as it will be; the next of its person is added."""
        drafts, who = self._drafts, row.agent
        if who in self._unknown or (row.rank, who) in drafts.kept:
            self._unknown.add(who)
            return None
        basis, draft = self._then(who), drafts.visits.get(row)
        if draft is None or draft.basis != basis:
            self._unknown.add(who)
            # A visit also reads what its person thinks of topics, which is not foreseen.
            if not (who in self._after and self._world.spread.topics):
                self.visits.append((row, basis))
            return None
        self._after[who] = draft.visited.me
        again = drafts.next[row]
        if again is not None and again.rank <= drafts.horizon:
            insort(coming, again)
        return draft

    def _then(self, who: int) -> Basis:
        return self._after.get(who) or self._drafts.now(who)

    def talk(self, wishes: Sequence[e.Wished], at: int) -> list[Meeting]:
        """Foresee the conversations of a window; return all that are missing."""
        for sitting in sittings(self._world, wishes).granted if wishes else ():
            for rank, wish in sitting:
                self._talk(rank, wish, at)
        return self.meetings

    def deliver(self, mail: Sequence[e.Delivered]) -> None:
        """Foresee the deliveries at the end of a window."""
        for post in mail:
            if post.topic >= 0:
                self._unknown.update(post.to)
                continue
            letter = letter_of(post)
            for who in post.to:
                if who not in self._unknown:
                    self._after[who] = with_letter(self._before(who), *letter)

    def _talk(self, rank: int, wish: e.Wished, at: int) -> None:
        pair = (wish.agent, wish.to)
        if not self._unknown.isdisjoint(pair):
            self._unknown.update(pair)
            return
        meeting = Meeting(rank, wish, at, self._then(wish.agent), self._then(wish.to))
        run = self._drafts.talks.get(meeting.key)
        if run is None or run[0] != meeting:
            self.meetings.append(meeting)
            self._unknown.update(pair)
            return
        self.talks.append(run[1])
        for entry in run[1].entries:
            event: Any = entry.event
            if type(event) in FOLDS:
                who = event.to if isinstance(event, e.Said) else event.agent
                self._after[who] = FOLDS[type(event)](self._before(who), event, self._world.laws)

    def _before(self, who: int) -> Agent:
        return self._after.get(who) or self._world.agents[who]


def _stretch(people: int) -> int:
    """Return how many visits are run ahead."""
    return max(_FEWEST, int(_AHEAD * sqrt(people)))
