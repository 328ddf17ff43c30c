"""What models wrote about people, kept for every scenario that asks the same of them."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import msgspec

from audience.datasets.corpus import Dataset
from audience.datasets.mixture import TASTE, Draft, Mixture, Row, draft, finish
from audience.errors import BadInput
from audience.files import kept_folder, replace_all
from audience.world import Clock, Genesis


def people_folder() -> Path:
    """Return the folder of tables written by models, with the calls behind them."""
    return kept_folder("people")


def kept_at(begun: Draft, model: str) -> Path:
    """Return the path of the table for these people."""
    genesis = begun.origin.genesis
    asked: list[object] = [
        begun.rows,
        begun.asked,
        genesis.catalogue.tags,
        genesis.domain.plural,
    ]
    if TASTE in begun.asked:
        asked += [genesis.past, [item.title for item in genesis.catalogue.items]]
    name = blake2b(msgspec.json.encode([*asked, model, begun.seed]), digest_size=12).hexdigest()
    return people_folder() / f"{name}.json"


def keep(path: Path, people: list[Row]) -> None:
    """Write a table atomically."""
    replace_all({path: msgspec.json.encode(people)})


def mixed_genesis(
    dataset: Dataset, mixture: Mixture, agents: int, seed: int, clock: Clock, model: str
) -> Genesis:
    """Return a genesis of mixed people from the cache, without asking a model."""
    begun = draft(dataset, mixture, agents, seed, clock)
    if not begun.asked:
        return finish(begun)
    path = kept_at(begun, model)
    try:
        written = msgspec.json.decode(path.read_bytes(), type=list[Row])
    except FileNotFoundError:
        raise BadInput(
            f"fill = 'llm': no model has written {', '.join(begun.asked)} of these {agents} people "
            "yet; `audience run` lets it, so does audience.runs.settle_people(scenario)"
        ) from None
    except msgspec.MsgspecError:
        raise BadInput(f"{path} is damaged; delete it, and it is written again") from None
    return finish(begun, written)
