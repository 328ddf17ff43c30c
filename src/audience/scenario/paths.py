"""The files that a scenario names: relative paths start from its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from audience.errors import BadInput
from audience.outside import file_options
from audience.plugins import find
from audience.scenario.spread import is_file

Tree = dict[str, Any]
PARTS = {
    "dataset": "datasets",
    "mind": "minds",
    "memory": "memories",
    "recommender": "recommenders",
}
"""Keys of a scenario that name a part by its kind, and the group of each."""


def anchored(tree: Tree, folder: Path) -> Tree:
    """Return a scenario's tree with absolute paths of plugins and datasets."""
    tree = deepcopy(tree)
    arms = tree.get("arms")
    for scope in (tree, *(arms.values() if isinstance(arms, dict) else ())):
        if isinstance(scope, dict):
            _anchor(scope, folder)
    return tree


def _anchor(scope: Tree, folder: Path) -> None:
    for part, group in PARTS.items():
        if part in scope:
            scope[part] = _found_from(scope[part], folder)
            _anchor_options(scope[part], group, folder)
    dataset = scope.get("dataset")
    options = dataset.get("options", dataset) if isinstance(dataset, dict) else {}
    if isinstance(options, dict) and isinstance(options.get("path"), str):
        options["path"] = os.path.abspath(folder / options["path"])
    _anchor_files(options, ("profiles",), folder)
    _anchor_files(scope.get("llm"), ("prices", "ca"), folder)
    _anchor_files(scope, ("validated",), folder)
    spread = scope.get("spread")
    if isinstance(spread, dict) and is_file(spread.get("graph")):
        _anchor_files(spread, ("graph",), folder)
    for key in ("metrics", "interventions"):
        if isinstance(scope.get(key), (list, tuple)):
            scope[key] = [_found_from(one, folder) for one in scope[key]]


def _anchor_options(part: object, group: str, folder: Path) -> None:
    """Resolve the options of a part that name files from the folder."""
    options = part.get("options", part) if isinstance(part, dict) else {}
    kind = part.get("kind", "") if isinstance(part, dict) else ""
    if not isinstance(options, dict) or set(options) <= {"kind"}:
        return
    with suppress(BadInput):  # an unknown kind is reported where parts are made
        _anchor_files(options, file_options(find(group, kind)), folder)


def _anchor_files(table: object, keys: Sequence[str], folder: Path) -> None:
    for key in keys:
        if isinstance(table, dict) and isinstance(table.get(key), str) and table[key]:
            table[key] = os.path.abspath(folder / table[key])


def _found_from(part: Any, folder: Path) -> Any:  # noqa: ANN401
    if isinstance(part, dict):
        return {**part, "kind": _found_from(part["kind"], folder)} if "kind" in part else part
    path, colon, name = part.rpartition(":") if isinstance(part, str) else ("", "", "")
    return f"{os.path.abspath(folder / path)}:{name}" if colon and path.endswith(".py") else part
