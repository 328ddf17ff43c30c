"""Generation cut into pieces: one who walks, on one number of steps, is a task of a pool.

Minds that compute answer what is asked besides, and the mixes need what all baselines answer there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from threadpoolctl import threadpool_limits

from audience.engine import run_sync
from audience.errors import BadInput
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.contest import AnswerStore, Entrant, StoredAnswers, grounds_for, play
from audience.lab.evaluation.contest_pieces import (
    COMPUTING,
    Computed,
    ContestSource,
    add_to,
    done_by,
    done_in,
    minds_that_compute,
    rules_without_model,
)
from audience.lab.evaluation.contestants import baseline_contestants
from audience.lab.evaluation.generation import (
    STEPS,
    GeneratedSteps,
    Path as Walk,
    paths_of,
    way_of,
    with_mixes,
)
from audience.lab.evaluation.language import STEP
from audience.lab.evaluation.source import read_real
from audience.runs import Attendant, Counted, Pool, Stopping, packed, unpacked
from audience.world import Floats

MIXES = "mixes"


class ComputedWalk(msgspec.Struct, frozen=True):
    """What a piece answered and walked."""

    steps: int
    computed: Computed
    ways: dict[str, list[Floats]]


class _Setting(msgspec.Struct, frozen=True, eq=False):
    path: Walk
    ground: Ground
    minds: tuple[Entrant, ...]


def walk_pieces(source: ContestSource) -> list[tuple[int, str]]:
    """Return the pieces, the longest first: a number of steps, and who walks."""
    minds = [kind for kind in COMPUTING if kind in source.kinds]
    baselines = [entry.name for entry in baseline_contestants() if entry.kind == "baseline"]
    return [(steps, who) for steps in sorted(STEPS)[::-1] for who in (MIXES, *minds, *baselines)]


def walked_by(
    pool: Pool, source: ContestSource, counted: Counted, stopping: Stopping
) -> list[ComputedWalk]:
    """Return what the processes of a pool walk; nothing where it is this process alone."""
    call = f"{__name__}:{perform_walk.__name__}"
    pieces = {f"{who}, N={n}": {"steps": n, "who": who} for n, who in walk_pieces(source)}
    ended = done_by(pool, source, call, pieces, counted, stopping)
    return [unpacked(body, ComputedWalk) for body in ended]


def steps_done(path: Walk, pieces: Sequence[ComputedWalk]) -> GeneratedSteps:
    """Return what was answered and walked of one path."""
    mine = [piece for piece in pieces if piece.steps == path.steps]
    played = done_in(path.arena, [piece.computed for piece in mine])
    ways = {name: StoredAnswers(rows) for piece in mine for name, rows in piece.ways.items()}
    return GeneratedSteps(path, played, ways)


def perform_walk(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Return what is answered and walked in one piece, as bytes."""
    del root, attendant  # nothing is written
    setting = _setting(msgspec.convert(given["source"], ContestSource), given["steps"])
    found = ComputedWalk(given["steps"], Computed({}, {}), {})

    async def work() -> None:
        for entry in await _walkers(setting, given["who"], found.computed):
            try:
                way = await way_of(entry, setting.path, setting.ground)
            except BadInput:
                continue  # it steps aside, and the table says why
            found.ways[entry.name] = list(way.scores)

    with threadpool_limits(limits=1):
        run_sync(work)
    return packed(found)


async def _walkers(setting: _Setting, who: str, found: Computed) -> list[Entrant]:
    """Return those who walk in a piece, once what is asked besides has been answered."""
    baselines = baseline_contestants()
    if who not in (MIXES, *COMPUTING):
        return [entry for entry in baselines if entry.name == who]
    entries = baselines if who == MIXES else [one for one in setting.minds if one.name == who]
    arena, store = setting.path.arena, AnswerStore(None)
    played = await play(arena, entries, store, mixes=who == MIXES, grounds=grounds_for(arena))
    add_to(found, played)
    if who != MIXES:
        return entries
    names = {entry.name for entry in baselines}
    return [one for one in with_mixes(baselines, baselines, played) if one.name not in names]


@lru_cache(maxsize=1)
def _setting(source: ContestSource, steps: int) -> _Setting:
    real = read_real(Path(source.data), least=source.least)
    (path,) = paths_of(real, agents=source.agents, seed=source.seed, only=steps)
    minds = minds_that_compute(source.kinds, rules_without_model(STEP, real, source.seed))
    return _Setting(path, Ground(path.arena.lives, source.seed), tuple(minds))
