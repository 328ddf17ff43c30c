"""A scenario as text, and what is written into a log's own while it is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audience.experiments import toml
from audience.experiments.played import Played
from audience.experiments.scenario import Scenario, from_tree, parse
from audience.log import Log


def text_of(scenario: Scenario) -> str:
    """Return a scenario as TOML."""
    tree = msgspec.to_builtins(scenario)
    for part in ("dataset", "mind", "memory", "recommender"):
        tree[part] = {"kind": tree[part]["kind"], **tree[part]["options"]}
    if not scenario.played:
        del tree["played"]
    return toml.dump(tree)


def write_played(log: Log, played: Sequence[Played]) -> None:
    """Write down in the scenario of a log who was played in which rounds."""
    scenario = parse(log.scenario, str(log.folder))
    log.set_scenario(text_of(msgspec.structs.replace(scenario, played=tuple(played))))


def intervene(log: Log, written: Sequence[dict[str, Any]]) -> None:
    """Add interventions, as a scenario writes them, to the scenario of a log."""
    if not written:
        return
    tree: dict[str, Any] = msgspec.to_builtins(parse(log.scenario, str(log.folder)))
    tree["interventions"] = [*tree["interventions"], *written]
    log.set_scenario(text_of(from_tree(tree, str(log.folder))))
