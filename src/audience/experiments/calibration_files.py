"""A calibration as a file of parameters, which also holds how it was found and how it did."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from audience.experiments.calibrating import Calibration
from audience.experiments.toml import dump
from audience.results import replace_all

_HEAD = """\
# Parameters fitted to {source}: [mind] parameters = "{name}" uses them. Pages were of {size} items,
# {pages} at most: set page_size = {size} and max_pages = {pages} under [platform], and max_turns
# = {turns} under [run], for visits as long as those. All tables but [mind] say how this was found.
"""


def write_parameters(found: Calibration, path: Path) -> Path:
    """Write the parameters of a calibration as TOML, with all that is known of them."""
    said: dict[str, Any] = msgspec.to_builtins(found)
    tree = {"mind": said.pop("parameters"), "calibration": said}
    head = _HEAD.format(
        source=found.source,
        name=path.name,
        size=found.page_size,
        pages=found.max_pages,
        turns=found.max_pages + 4,
    )
    return replace_all({path: f"{head}{dump(tree)}".encode()})[0]


def read_calibration(path: Path) -> Calibration | None:
    """Return the calibration that a file of parameters holds; nothing where it holds none."""
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
        found = {**tree["calibration"], "parameters": tree["mind"]}
        return msgspec.convert(found, Calibration)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    except (KeyError, TypeError, msgspec.ValidationError):
        return None


def calibrations_in(scenario: str) -> list[Calibration]:
    """Return those behind the minds of a scenario, each once: for its report."""
    try:
        tree = tomllib.loads(scenario)
    except tomllib.TOMLDecodeError:
        return []
    arms = tree.get("arms", {})
    scopes = (tree, *(arms.values() if isinstance(arms, dict) else ()))
    paths: dict[str, None] = {}
    for scope in scopes:
        mind = scope.get("mind") if isinstance(scope, dict) else None
        options = mind.get("options", mind) if isinstance(mind, dict) else {}
        if isinstance(options.get("parameters"), str):
            paths[options["parameters"]] = None
    found = [read_calibration(Path(path)) for path in paths]
    return [one for one in found if one is not None]
