"""Driving strands as fast as rules, control and a wish to stop allow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from audience.engine.drive import Done, Strand, T, as_coroutines, in_waves
from audience.engine.simulation import Simulation


class Paused(Exception):
    """The run was asked to stop and has committed what is done."""


async def drive(sim: Simulation, strands: Sequence[Strand[T]], done: Done[T]) -> None:
    """Drive strands in waves or as coroutines; raise `Paused` when asked to stop."""
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
        concurrency=rules.concurrency,
        deadline=0.0 if sim.is_played else rules.deadline,
        stopping=sim.stopping,
        allowed=sim.control.allowed if sim.control else None,
    )
    if sim.stopping():
        raise Paused


async def _in_waves(sim: Simulation, strands: Sequence[Strand[T]], done: Done[T]) -> None:
    """Drive strands in one wave, or in as many as the control lets begin at a time."""
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
