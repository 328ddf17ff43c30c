"""A TOML writer, as the standard library only reads it, and changes of a log's scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from audience.engine import Timetable
from audience.log import Log
from audience.scenario.schema import Played, Scenario, from_tree, parse

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dump(tree: Mapping[str, Any]) -> str:
    """Return a tree of tables, lists and plain values as TOML; None is left out."""
    return "\n".join(_table(tree, ())).strip() + "\n"


def _table(tree: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines, later = [], []
    for key, value in tree.items():
        if isinstance(value, Mapping):
            later += _inner(value, (*path, key))
        elif _is_tables(value):
            for one in value:
                later += ["", f"[[{_name((*path, key))}]]", *_table(one, (*path, key))]
        elif value is not None:
            lines.append(f"{_key(key)} = {_value(value)}")
    return lines + later


def _is_tables(value: object) -> bool:
    listed = isinstance(value, (list, tuple)) and bool(value)
    return listed and all(isinstance(one, Mapping) for one in value)  # type: ignore[attr-defined]


def _inner(tree: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain = any(not isinstance(value, Mapping) for value in tree.values())
    header = ["", f"[{_name(path)}]"] if plain or not tree else []
    return header + _table(tree, path)


def _name(path: tuple[str, ...]) -> str:
    return ".".join(_key(key) for key in path)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    return _text(str(value))


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def text_of(scenario: Scenario) -> str:
    """Return a scenario as TOML."""
    tree = msgspec.to_builtins(scenario)
    for part in ("dataset", "mind", "memory", "recommender"):
        tree[part] = {"kind": tree[part]["kind"], **tree[part]["options"]}
    for key in ("played", "validated"):
        if not tree[key]:
            del tree[key]
    if scenario.time == Timetable():
        del tree["time"]
    return dump(tree)


def write_played(log: Log, played: Sequence[Played]) -> None:
    """Store in the scenario of a log who was played in which rounds."""
    scenario = parse(log.scenario, str(log.folder))
    log.set_scenario(text_of(msgspec.structs.replace(scenario, played=tuple(played))))


def intervene(log: Log, written: Sequence[dict[str, Any]]) -> None:
    """Add interventions, as a scenario writes them, to the scenario of a log."""
    if not written:
        return
    set_interventions(log, [*parse(log.scenario, str(log.folder)).interventions, *written])


def set_interventions(log: Log, written: Sequence[dict[str, Any]]) -> None:
    """Replace the interventions in the scenario of a log."""
    tree: dict[str, Any] = msgspec.to_builtins(parse(log.scenario, str(log.folder)))
    tree["interventions"] = list(written)
    log.set_scenario(text_of(from_tree(tree, str(log.folder))))
