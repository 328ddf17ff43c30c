"""All models fitted to all curves of a path; the shapes they try are tasks of a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.lab.spread.cascades import CascadeFits, RealCascade, cascades_in
from audience.lab.spread.real import (
    FITTING,
    Asked,
    Society,
    SpreadModel,
    models_on,
    scored,
    truth_of,
    unmoved,
)
from audience.lab.spread.reference_curves import reference_fits
from audience.runs import Attendant, Here, Pool, PoolTask, Stopping, packed, unpacked
from audience.world import Floats

AT_ONCE = 9 * len(FITTING)
"""The most shapes that are tried at once: the longest grid of a parameter, with each seed."""
Told = Callable[[str, int, int], None]
"""Called with what is being fitted, how many fits are done, and how many there are."""


class CurveSource(msgspec.Struct, frozen=True):
    """Where curves are, and on which graphs models spread that have none of their own."""

    data: str
    people: int
    graph: str


@lru_cache(maxsize=1)
def curves_at(where: CurveSource) -> tuple[tuple[RealCascade, ...], tuple[str, ...]]:
    """Return the curves, and notes on what was left out."""
    cascades, notes = cascades_in(Path(where.data), where.people)
    return tuple(cascades), tuple(notes)


@lru_cache(maxsize=1)
def models_for(where: CurveSource, place: int) -> tuple[SpreadModel, ...]:
    """Return the models of one curve."""
    cascade = curves_at(where)[0][place]
    second = truth_of(cascade.curve).second
    return models_on(cascade.where or Society(where.people, where.graph), second)


def fit_curves(
    where: CurveSource,
    testing: Sequence[int],
    most: int | None = None,
    *,
    pool: Pool | None = None,
    told: Told = lambda name, done, total: None,
    stopping: Stopping = lambda: False,
) -> list[CascadeFits]:
    """Return all models fitted to the first curves; the same with any pool."""
    cascades = curves_at(where)[0][:most]
    fits = []
    for place, cascade in enumerate(cascades):
        truth = truth_of(cascade.curve)
        rows = [unmoved(truth), *reference_fits(truth)]
        models = models_for(where, place)
        for number, model in enumerate(models):
            name = f"{cascade.name}: {model.name}"
            told(name, place * len(models) + number, len(cascades) * len(models))
            given = {"where": msgspec.to_builtins(where), "place": place, "model": number}
            shapes = partial(_shapes, name, given, pool or Here(), stopping)
            rows.append(scored(model, truth, testing=testing, shapes=shapes))
        fits.append(CascadeFits(cascade.name, truth, tuple(rows)))
    return fits


def _shapes(
    name: str,
    given: dict[str, Any],
    pool: Pool,
    stopping: Stopping,
    model: SpreadModel,
    asked: Sequence[Asked],
) -> list[Floats]:
    del model  # a process makes its own
    call = f"{__name__}:{perform_shape.__name__}"
    tasks = [PoolTask(f"{name} {one}", call, {**given, "asked": one}, ".") for one in asked]
    ended = pool.work(tasks, lambda rounds, runs: None, stopping)
    made = {task.name: unpacked(body, np.ndarray) for task, body in ended}
    return [made[task.name] for task in tasks]


def perform_shape(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Return one shape of a model, as bytes."""
    del root, attendant  # nothing is written
    where = msgspec.convert(given["where"], CurveSource)
    values, steps, seed = given["asked"]
    return packed(models_for(where, given["place"])[given["model"]].shape(values, steps, seed))
