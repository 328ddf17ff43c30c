"""People completed by a model: as a table, or for a scenario before it runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from copy import deepcopy
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec

from audience.agents.language import WrittenPeople, complete, write_tastes
from audience.datasets import (
    TASTE,
    Draft,
    Mixture,
    draft,
    finish,
    keep,
    kept_at,
    people_folder,
    split_options,
)
from audience.engine import run_sync
from audience.llm import Counts
from audience.runs.jobs import variants
from audience.scenario import (
    Models,
    Part,
    Scenario,
    SpendingOptions,
    door_of,
    from_tree,
    made,
    name_of,
)
from audience.world import Clock, Genesis

log = logging.getLogger(__name__)
BATCH = 5
"""How many people a call is about, at first."""
Told = Callable[[int], None]


class PeopleTable(msgspec.Struct, frozen=True, eq=False):
    """A table of people, ready to be saved."""

    genesis: Genesis
    written: WrittenPeople | None
    """How well a model answered, if one was asked."""
    has_keys: bool
    has_history: bool


class CompletedPeople(msgspec.Struct, frozen=True):
    """What models wrote for a scenario."""

    written: tuple[WrittenPeople, ...]
    left: SpendingOptions
    """What may still be spent."""


def write_people(
    part: Part,
    mixture: Mixture,
    agents: int,
    models: Models,
    spending: SpendingOptions,
    *,
    seed: int,
    store: Path,
    batch: int = BATCH,
    progress: Told = lambda done: None,
) -> PeopleTable:
    """Return people of a dataset; a model is asked for the fields that it fills."""
    begun = draft(made("datasets", part), mixture, agents, seed, Clock())
    written = None
    if begun.asked:
        written, _ = _ask(begun, models, spending, store, batch, progress)
    genesis = finish(begun, written.people if written else ())
    origin = begun.origin
    return PeopleTable(genesis, written, origin.has_keys, origin.training is not None)


def settle_people(
    scenario: Scenario,
    spending: SpendingOptions | None = None,
    *,
    progress: Told = lambda done: None,
) -> CompletedPeople:
    """Let a model write what `fill` and `taste` ask for, in every arm and for every seed, once.

    What it wrote is cached for every run that asks the same; a scenario without
    such people is left alone.
    """
    left = spending or SpendingOptions()
    found: list[WrittenPeople] = []
    for variant in variants(scenario).values():
        mixture, options = split_options(variant.dataset.options)
        if mixture is None or not mixture.asked:
            continue
        dataset = made("datasets", Part(variant.dataset.kind, options))
        for seed in range(scenario.seed, scenario.seed + scenario.seeds):
            begun = draft(dataset, mixture, variant.agents, seed, variant.clock)
            path = kept_at(begun, name_of(variant.llm))
            if begun.asked and not path.exists():
                calls = people_folder() / "calls.db"
                calls.parent.mkdir(parents=True, exist_ok=True)
                written, spent = _ask(begun, variant.llm, left, calls, BATCH, progress)
                keep(path, written.people)
                _tell(written)
                found.append(written)
                left = left.after(spent)
    return CompletedPeople(tuple(found), left)


def drawn_instead(scenario: Scenario) -> Scenario:
    """Return a scenario in which people are drawn instead of written by a model."""
    asking = (split_options(variant.dataset.options)[0] for variant in variants(scenario).values())
    if not any(mixture and mixture.asked for mixture in asking):
        return scenario
    tree: dict[str, Any] = msgspec.to_builtins(scenario)
    tree["dataset"] = _drawn(tree["dataset"])
    for arm in tree["arms"].values():
        if isinstance(arm.get("dataset"), dict):
            arm["dataset"] = _drawn(arm["dataset"])
    return from_tree(tree)


def _drawn(dataset: dict[str, Any]) -> dict[str, Any]:
    dataset = deepcopy(dataset)
    options = dataset.get("options", dataset)
    for key in ("fill", "traits"):
        if options.get(key) == "llm":
            options[key] = "drawn"
    options.pop(TASTE, None)
    if isinstance(options.get("fill"), dict):
        fill = options["fill"]
        options["fill"] = {key: "drawn" if by == "llm" else by for key, by in fill.items()}
    return dataset


def _ask(
    begun: Draft, models: Models, spending: SpendingOptions, store: Path, batch: int, progress: Told
) -> tuple[WrittenPeople, Counts]:
    door = door_of(models, spending, store.parent, store=store)
    genesis = begun.origin.genesis
    fields = tuple(field for field in begun.asked if field != TASTE)
    written: list[WrittenPeople] = []

    async def work() -> None:
        try:
            name, seed = name_of(models), begun.seed
            if fields:
                written.append(
                    await complete(
                        begun.rows,
                        len(begun.known),
                        door,
                        tags=genesis.catalogue.tags,
                        plural=genesis.domain.plural,
                        model=name,
                        seed=seed,
                        fields=fields,
                        batch=batch,
                        progress=progress,
                    )
                )
            if TASTE in begun.asked:
                written.append(
                    await write_tastes(genesis, door, model=name, seed=seed, progress=progress)
                )
        finally:
            await door.close()

    run_sync(work)
    return reduce(_beside, written), door.meter.total()


def _beside(first: WrittenPeople, second: WrittenPeople) -> WrittenPeople:
    """Return two accounts of the same people as one."""
    return WrittenPeople(
        [one | other for one, other in zip(first.people, second.people, strict=True)],
        first.unfilled + second.unfilled,
        first.asked + second.asked,
        first.malformed + second.malformed,
        first.unfit + second.unfit,
        first.taken + second.taken,
    )


def _tell(written: WrittenPeople) -> None:
    if written.malformed or written.unfit or written.unfilled:
        log.warning(
            "people by a model: %d of %d replies malformed, %d fields unfit, %d people incomplete",
            written.malformed,
            written.asked,
            written.unfit,
            len(written.unfilled),
        )
