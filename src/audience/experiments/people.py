"""Tables of people written by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from audience.agents.population import Row, complete
from audience.engine import run_sync
from audience.experiments.build import made
from audience.experiments.models import Models, Spending, door_of, name_of
from audience.experiments.scenario import Part
from audience.world import Clock


def write_people(
    rows: Sequence[Row],
    wanted: int,
    models: Models,
    spending: Spending,
    *,
    dataset: str,
    seed: int,
    store: Path,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[list[Row], list[str]]:
    """Return `wanted` people, the given completed and the rest alike, and what is missing."""
    part = Part("folder", {"path": dataset}) if Path(dataset).is_dir() else Part(dataset)
    genesis = made("datasets", part).genesis(1, seed, Clock())
    door = door_of(models, spending, store.parent, store=store)
    found: list[tuple[list[Row], list[str]]] = []

    async def work() -> None:
        try:
            found.append(
                await complete(
                    rows,
                    wanted,
                    door,
                    tags=genesis.catalogue.tags,
                    plural=genesis.domain.plural,
                    model=name_of(models),
                    seed=seed,
                    progress=progress,
                )
            )
        finally:
            await door.close()

    run_sync(work)
    return found[0]
