"""The loop over rounds: opening, visits, groups, conversations, delivery, memory, closing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial

from audience.engine.activation import awake
from audience.engine.consolidation import consolidate
from audience.engine.conversations import (
    Talked,
    ranked_after,
    refused,
    sittings,
    talk,
)
from audience.engine.drivers import (
    VISITS,
    Done,
    Strand,
    T,
    as_coroutines,
    in_waves,
    uncollected,
)
from audience.engine.groups import companies
from audience.engine.harvest import Harvest, Told, bring_in
from audience.engine.interventions import opened, reached
from audience.engine.own_clock import OWN
from audience.engine.plans import GatheringPlan, Row, TalkPlan, VisitPlan, begun
from audience.engine.platform import delivered
from audience.engine.shards import Shard
from audience.engine.simulation import Simulation
from audience.engine.ties import rewired
from audience.engine.visit import Visited, visit
from audience.engine.windows import in_windows
from audience.world import Floats, Ints, events as e, keys


class Paused(Exception):
    """The run was asked to stop, after committing what is done."""


async def drive(sim: Simulation, strands: Sequence[Strand[T]], done: Done[T]) -> None:
    """Drive strands in waves or as coroutines; raise `Paused` if asked to stop."""
    assert sim.stage is not None
    if not strands:
        return
    if sim.stopping():
        raise Paused
    if sim.in_waves:
        await _in_waves(sim, strands, done)
        return
    rules = sim.rules
    await as_coroutines(
        sim.stage,
        strands,
        done,
        concurrency=rules.concurrency or VISITS,
        deadline=0.0 if sim.is_played else rules.deadline,
        stopping=sim.stopping,
        allowed=sim.control.allowed if sim.control else None,
    )
    if sim.stopping():
        raise Paused


async def _in_waves(sim: Simulation, strands: Sequence[Strand[T]], done: Done[T]) -> None:
    """Drive strands in one wave, or in groups as large as the control allows."""
    assert sim.stage is not None
    if sim.control is None:
        in_waves(sim.stage, strands, done)
        return
    start = 0
    while start < len(strands):
        count = await sim.control.allowed(len(strands) - start)
        if not count:
            raise Paused
        some = partial(_done_from, start, done)
        in_waves(sim.stage, strands[start : start + count], some)
        start += count


def _done_from(start: int, done: Done[T], ended: list[tuple[int, T]]) -> None:
    done([(start + place, result) for place, result in ended])


async def run(sim: Simulation, found: Sequence[e.Chapter] = ()) -> None:
    """Run the remaining rounds; `found` are the logged chapters of an unfinished round."""
    sim.refit()
    while sim.world.round < sim.rules.rounds or found:
        await one_round(sim, found)
        found = ()


async def one_round(sim: Simulation, found: Sequence[e.Chapter] = ()) -> None:
    """Run one round; the chapters in `found` have already happened."""
    kept = {_place(chapter.phase, chapter.agent, chapter.rank): chapter for chapter in found}
    if not kept and sim.control and not await sim.control.may_open():
        raise Paused
    _open(sim, kept)
    sim.seat()
    if sim.parts.time.kind == OWN:
        with uncollected() if sim.in_waves else nullcontext():
            await in_windows(sim, found, drive)
            await _gather(sim, kept)
    else:
        await _visits(sim, kept)
    _deliver(sim)
    await consolidate(sim)
    _close(sim)


async def _visits(sim: Simulation, kept: Kept) -> None:
    """Run the visits, evenings and conversations of a round in the order of its rules."""
    world = sim.world
    visited = {agent for phase, agent, _ in kept if phase == e.VISITS}
    came = awake(world, sim.parts.activation, sim.parts.present | visited)
    chosen, places, briefly = reached(world, sim.parts.activation, *came)
    sim.progress(world.round, 0, len(chosen))
    if sim.rules.order == "one-by-one":
        await _one_by_one(sim, chosen, places, kept, briefly)
        await _gather(sim, kept)
    else:
        with uncollected() if sim.in_waves else nullcontext():
            await _together(sim, chosen, places, kept, briefly)
            await _gather(sim, kept)
            await _converse(sim, kept)


Kept = dict[tuple[int, int, int], e.Chapter]
"""The chapters of an unfinished round by phase, agent and, for meetings, rank."""
_VISIT = 4
"""Meetings that take as long as a visit."""
_UNMET = 2**63 - 1
"""The rank of refused wishes to talk: after all meetings."""


def _place(phase: int, agent: int, rank: int = 0) -> tuple[int, int, int]:
    """Return what tells a chapter of a round from the others: one person may meet several."""
    return phase, agent, rank if phase == e.CONVERSATIONS else 0


def _open(sim: Simulation, kept: Kept) -> None:
    opening = kept.get(_place(e.OPENING, -1))
    if opening is not None:
        sim.apply(opening)
        sim.refit()
        if sim.control:
            sim.control.reopen(sim.world.round)
        return
    world = sim.world
    round_ = world.round + 1
    entries: list[e.Entry] = []
    if round_ == 1:
        started = e.RunStarted(sim.seed, world.genesis.digest, sim.rules.drift)
        entries.append(e.Entry(started))
        world.apply(started)
        ties = sim.parts.ties
        if ties.grow or ties.fade:
            enlivened = e.TiesEnlivened(ties.grow, ties.fade)
            entries.append(e.Entry(enlivened))
            world.apply(enlivened)
    for event in opened(sim, round_):
        entries.append(e.Entry(event))
    chapter = e.Chapter(round_, e.OPENING, 0, -1, tuple(entries))
    sim.keeper.append(chapter)
    sim.keeper.commit()
    sim.tell(chapter)


def _ranked(sim: Simulation, chosen: Ints) -> list[tuple[int, int, int]]:
    """Return (rank, agent, place in `chosen`) in the order of the log."""
    ranks = (keys(sim.seed, "visit", chosen, sim.world.round) >> 1).tolist()
    return sorted(zip(ranks, chosen.tolist(), range(len(ranks)), strict=True))


async def _together(
    sim: Simulation, chosen: Ints, places: Floats, kept: Kept, briefly: frozenset[int]
) -> None:
    """Run all visits against the world as of the start of the round."""
    order = _ranked(sim, chosen)
    begin, end = (sim.world.genesis.clock.at(sim.world.round, f) for f in (0.0, 1.0))
    moments = (begin + places * (end - begin)).astype(int).tolist()
    rows = [
        (rank, agent, VisitPlan(agent, moments[place], agent in briefly))
        for rank, agent, place in order
    ]
    if sim.in_shards(len(rows)):
        _in_shards(sim, e.VISITS, rows, kept)
        return
    size = sim.rules.wave if sim.in_waves else max(len(rows), 1)
    for start in range(0, len(rows), size):
        await _wave(sim, rows[start : start + size], kept)
        sim.progress(sim.world.round, min(start + size, len(rows)), len(rows))


def _in_shards(sim: Simulation, phase: int, rows: Sequence[Row], kept: Kept) -> None:
    """Live visits or meetings in several processes, and apply their chapters in order."""
    assert sim.crew is not None
    before = [kept.get(_place(phase, agent, rank)) for rank, agent, _ in rows] if kept else []
    fresh = [row for row, done in zip(rows, before, strict=True) if not done] if kept else rows
    kept_first = _kept_first(sim, before)
    count, in_columns = 0, not kept and sim.is_harvest(phase)
    for block in sim.crew.lived(sim, phase, fresh, in_columns=in_columns):
        if sim.stopping():
            raise Paused
        if isinstance(block, Harvest):
            bring_in(sim, block)
        else:
            for chapter, told in _committed(sim, phase, block, fresh[count : count + len(block)]):
                next(kept_first, None)
                _happen(sim, chapter, told)
        count += len(block)
        if phase == e.VISITS:
            sim.progress(sim.world.round, len(rows) - len(fresh) + count, len(rows))
    next(kept_first, None)


def _kept_first(sim: Simulation, before: Sequence[e.Chapter | None]) -> Iterator[None]:
    """Apply what was kept of a phase; yield wherever something else comes first."""
    for chapter in before:
        if chapter is None:
            yield
        else:
            sim.apply(chapter)


def _committed(
    sim: Simulation, phase: int, block: Sequence[Told], rows: Sequence[Row]
) -> list[tuple[e.Chapter, Told]]:
    """Return the chapters of what was lived, once they are in the log."""
    round_, append = sim.world.round, sim.keeper.append
    chapters = []
    for told, (rank, agent, _) in zip(block, rows, strict=False):
        chapter = e.Chapter(round_, phase, rank, agent, told.entries)
        append(chapter, told.body if isinstance(told, Shard) else b"")
        chapters.append((chapter, told))
    sim.decisions += sum(told.decisions for told in block)
    sim.keeper.commit()
    return chapters


def _happen(sim: Simulation, chapter: e.Chapter, told: Told) -> None:
    """Apply a chapter; a visit has its agent folded already."""
    if isinstance(told, (Visited, Shard)) and told.me is not None:
        sim.world.absorb(told.me, told.entries)
        sim.tell(chapter)
    else:
        sim.apply(chapter)


async def _wave(sim: Simulation, rows: Sequence[Row], kept: Kept) -> None:
    world = sim.world
    fresh = [row for row in rows if _place(e.VISITS, row[1]) not in kept]
    results: dict[int, tuple[e.Chapter, Visited]] = {}

    def done(ended: list[tuple[int, Visited]]) -> None:
        for at, visited in ended:
            rank, agent, _ = fresh[at]
            chapter = e.Chapter(world.round, e.VISITS, rank, agent, visited.entries)
            sim.keeper.append(chapter)
            results[agent] = (chapter, visited)
            sim.decisions += visited.decisions
        sim.keeper.commit()
        sim.progress(world.round, len(results), len(rows))

    await drive(sim, [begun(sim, plan) for _, _, plan in fresh], done)
    for _, agent, _ in rows:
        if (before := kept.get(_place(e.VISITS, agent))) is not None:
            sim.apply(before)
        else:
            _happen(sim, *results[agent])


async def _gather(sim: Simulation, kept: Kept) -> None:
    """Let groups watch items together."""
    meetings = [
        (ranked_after(0, hashed), members[0], GatheringPlan(members))
        for hashed, members in companies(sim.world, sim.parts.groups, sim.parts.present)
    ]
    await _meet(sim, kept, meetings)


async def _converse(sim: Simulation, kept: Kept) -> None:
    """Let people talk who wished to, sitting after sitting; what cannot be is refused."""
    world = sim.world
    planned = sittings(world, tuple(world.wishes))
    for sitting in planned.granted:
        await _meet(sim, kept, [(rank, wish.agent, TalkPlan(wish)) for rank, wish in sitting])
    for agent, entries in refused(planned.unmet).items():
        if (before := kept.get(_place(e.CONVERSATIONS, agent, _UNMET))) is not None:
            sim.apply(before)
        else:
            sim.emit(e.CONVERSATIONS, _UNMET, agent, entries)


async def _meet(sim: Simulation, kept: Kept, meetings: Sequence[Row]) -> None:
    """Run independent meetings and apply their outcomes."""
    if sim.in_shards(len(meetings) // _VISIT):
        _in_shards(sim, e.CONVERSATIONS, meetings, kept)
        return
    world = sim.world
    fresh = [
        meeting
        for meeting in meetings
        if _place(e.CONVERSATIONS, meeting[1], meeting[0]) not in kept
    ]
    results: dict[int, e.Chapter] = {}

    def done(ended: list[tuple[int, Talked]]) -> None:
        for at, talked in ended:
            rank, agent, _ = fresh[at]
            chapter = e.Chapter(world.round, e.CONVERSATIONS, rank, agent, talked.entries)
            sim.keeper.append(chapter)
            results[agent] = chapter
            sim.decisions += talked.decisions
        sim.keeper.commit()

    await drive(sim, [begun(sim, plan) for _, _, plan in fresh], done)
    for rank, agent, _ in meetings:
        sim.apply(kept.get(_place(e.CONVERSATIONS, agent, rank)) or results[agent])


def _deliver(sim: Simulation) -> None:
    posts = delivered(sim.world, sim.world.outbox)
    if posts:
        sim.emit(e.DELIVERY, 0, -1, [e.Entry(post) for post in posts])


async def _one_by_one(
    sim: Simulation, chosen: Ints, places: Floats, kept: Kept, briefly: frozenset[int]
) -> None:
    """Run each visit as a small round of its own, at its moment, delivered before the next."""
    assert sim.stage is not None
    world, rules = sim.world, sim.rules
    order = _by_moment(sim, chosen, places)
    for count, (rank, agent, at) in enumerate(order):
        if (before := kept.get(_place(e.VISITS, agent))) is not None:
            sim.apply(before)
            world.outbox.clear()
            continue
        life = visit(
            world, sim.stage.platform, agent, at, rules.max_turns, briefly=agent in briefly
        )
        visited = await _alone(sim, life)
        world.absorb(visited.me, visited.entries)
        sim.decisions += visited.decisions
        entries = [*visited.entries, *await _talks_of(sim, visited, at)]
        for post in delivered(world, world.outbox):
            world.apply(post)
            entries.append(e.Entry(post))
        world.outbox.clear()
        chapter = e.Chapter(world.round, e.VISITS, rank, agent, tuple(entries))
        sim.keeper.append(chapter)
        sim.keeper.commit()
        sim.tell(chapter)
        sim.progress(world.round, count + 1, len(order))


def _by_moment(sim: Simulation, chosen: Ints, places: Floats) -> list[tuple[int, int, int]]:
    """Return (rank, agent, moment) of visits in the order of their moments.

    The rank is the place within the round, so that the log holds this order too.
    """
    clock, round_ = sim.world.genesis.clock, sim.world.round
    rows = zip(chosen.tolist(), places.tolist(), strict=True)
    return sorted((int(place * 2.0**62), agent, clock.at(round_, place)) for agent, place in rows)


async def _talks_of(sim: Simulation, visited: Visited, at: int) -> list[e.Entry]:
    """Let a visitor talk with those they wished to, right after the visit."""
    world = sim.world
    wishes = [entry.event for entry in visited.entries if isinstance(entry.event, e.Wished)]
    planned = sittings(world, wishes)
    entries: list[e.Entry] = []
    for _, wish in (meeting for sitting in planned.granted for meeting in sitting):
        spoken = talk(world, wish, sim.rules.max_lines, joint=sim.joint(wish), at=at)
        talked = await _alone(sim, spoken)
        entries += talked.entries
        sim.decisions += talked.decisions
        for entry in talked.entries:
            world.apply(entry.event)
    return entries + [entry for some in refused(planned.unmet).values() for entry in some]


async def _alone(sim: Simulation, strand: Strand[T]) -> T:
    found: list[T] = []
    await drive(sim, [strand], lambda ended: found.extend(result for _, result in ended))
    return found[0]


def _close(sim: Simulation) -> None:
    """Refit if due and end the round; delivery, memory and closing are one transaction."""
    world, rules = sim.world, sim.rules
    entries: list[e.Entry] = []
    if rules.refit and world.round % rules.refit == 0:
        entries.append(e.Entry(sim.fit()))
    entries += rewired(world, sim.parts.ties)
    entries.append(e.Entry(e.RoundEnded(world.round)))
    sim.emit(e.CLOSING, 0, -1, entries)
    sim.after_round()
    sim.keeper.commit()
    if sim.control:
        sim.control.close(world.round)
