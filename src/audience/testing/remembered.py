"""A log in which one person's thoughts do all that thoughts can do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from audience.log import Log
from audience.testing.worlds import tiny_genesis
from audience.world import Genesis
from audience.world import events as e
from audience.world.changes import Remind

WHO = 1
SCENARIO = 'agents = 4\nmemory = {kind = "recagent", enhancements = 2, reflect_at = 4.0}\n'
Told = tuple[int, int, Sequence[e.AnyEvent]]


def _felt(id_: int, at: int, weight: float = 0.72, store: str = "short") -> e.Remembered:
    return e.Remembered(WHO, id_, f"I loved thing {id_}.", weight, at, store=store, items=(id_,))


def _rounds(genesis: Genesis) -> list[list[Told]]:
    noon = [genesis.clock.at(round_, 0.5) for round_ in range(8)]
    end = [genesis.clock.at(round_, 1.0) for round_ in range(8)]
    fresh: list[e.AnyEvent] = [
        _felt(0, noon[1]),
        _felt(1, noon[1], 0.18, "sensory"),
        _felt(2, noon[1], 0.81),
    ]
    settled: list[e.AnyEvent] = [
        _felt(3, noon[2]),
        e.Enhanced(WHO, 0, 3),
        _felt(4, noon[2]),
        e.Enhanced(WHO, 0, 4),
        e.Enhanced(WHO, 0, 4),
        e.Reflected(WHO, 5, "I love things.", 0.72, end[2], (0, 3, 4), "insight"),
        e.Settled(WHO, 0),
        e.Forgot(WHO, 3, "crowded"),
    ]
    reflected: list[e.AnyEvent] = [
        e.Remembered(2, 0, "Mine.", 0.9, noon[3], store="short"),
        e.Failed(WHO, "memory: too few memories"),
    ]
    merged: list[e.AnyEvent] = [
        _felt(7, noon[4], 0.9, "long"),
        e.Reflected(WHO, 8, "I am easily pleased.", 0.9, end[4], (5, 7), "reflection"),
        e.Merged(WHO, 9, "I love things.", 0.72, end[4], (0, 5)),
    ]
    reminder = e.Intervened(Remind(WHO, "You were asked.", 0.5))
    visit: list[e.AnyEvent] = [e.Woke(WHO, noon[1]), e.Left(WHO, 0.5)]
    return [
        [(e.VISITS, WHO, visit), (e.MEMORY, WHO, fresh)],
        [(e.MEMORY, WHO, settled)],
        [(e.OPENING, -1, [reminder]), (e.VISITS, WHO, [e.Recalled(WHO, (0, 2), noon[3], 1)]),
         (e.MEMORY, WHO, reflected)],
        [(e.MEMORY, WHO, merged)],
        [(e.MEMORY, WHO, [e.Forgot(WHO, 7, "faded")])],
    ]  # fmt: skip


def remembered(folder: Path) -> Path:
    """Write the log and return its folder."""
    genesis = tiny_genesis(4, 12)
    with Log.create(folder, genesis, SCENARIO, 1) as log:
        for round_, told in enumerate(_rounds(genesis), 1):
            opening = [e.Entry(e.RoundStarted(round_, genesis.clock.at(round_)))]
            for phase, agent, events in told:
                entries = [e.Entry(event) for event in events]
                if phase == e.OPENING:
                    opening += entries
                else:
                    log.append(e.Chapter(round_, phase, agent, agent, tuple(entries)))
            log.append(e.Chapter(round_, e.OPENING, 0, -1, tuple(opening)))
            closing = (e.Entry(e.RoundEnded(round_)),)
            log.append(e.Chapter(round_, e.CLOSING, 0, -1, closing))
        log.commit()
        log.set_state("finished")
    return folder
