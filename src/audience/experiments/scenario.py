"""A scenario: one run's recipe as typed TOML. An unknown key names the nearest known one."""

from __future__ import annotations

import math
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec

from audience.engine import ORDERS, Activation, Rules
from audience.errors import BadInput, unknown
from audience.world import Clock

Options = dict[str, Any]


class Part(msgspec.Struct, frozen=True):
    """A part by its kind; every other key is an option of that kind."""

    kind: str
    options: Options = {}


class Pages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the platform shows items."""

    page_size: int = 5
    max_pages: int = 5
    repeat: bool = False
    """Whether what somebody lived already may be shown again."""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a run is made from, besides code and outside files."""

    title: str = "A simulated audience"
    seed: int = 1
    seeds: int = 1
    """How many seeds each arm runs with: seed, seed + 1, …"""
    agents: int = 1000
    dataset: Part = Part("films")
    clock: Clock = Clock()
    mind: Part = Part("rule")
    memory: Part = Part("none")
    recommender: Part = Part("popular")
    platform: Pages = Pages()
    activation: Activation = Activation()
    run: Rules = Rules()
    metrics: tuple[str, ...] = ()
    """Metrics of your own by kind, besides the built-in ones."""
    arms: dict[str, Options] = {}
    """Variants: any of the keys above, by name. The first is the reference."""
    interventions: tuple[Options, ...] = ()

    @property
    def rounds(self) -> int:
        return self.run.rounds


_PARTS = ("dataset", "mind", "memory", "recommender")
_TABLES: dict[str, type] = {
    "clock": Clock,
    "platform": Pages,
    "activation": Activation,
    "run": Rules,
}


def load(path: Path) -> Scenario:
    """Return the scenario that a TOML file holds."""
    if not path.is_file():
        raise BadInput(f"scenario {path} does not exist; `audience init` writes one to start from")
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    return parse(text, str(path))


def parse(text: str, where: str = "scenario") -> Scenario:
    """Return the scenario that a TOML text holds."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{where}: {error}") from None
    try:
        return from_tree(tree, where)
    except BadInput as error:
        raise BadInput(_with_line(str(error), text)) from None


def from_tree(tree: Options, where: str = "scenario") -> Scenario:
    """Return the scenario that a nested dictionary describes."""
    tree = deepcopy(tree)
    if "rounds" in tree:
        tree.setdefault("run", {})["rounds"] = tree.pop("rounds")
    _check_keys(tree, where)
    for part in _PARTS:
        if part in tree:
            tree[part] = _part(tree[part], f"{where}: {part}")
    try:
        scenario = msgspec.convert(tree, Scenario)
    except msgspec.ValidationError as error:
        raise BadInput(_readable(error, where)) from None
    check(scenario, where)
    for name in scenario.arms:
        arm(scenario, name)
    return scenario


def _check_keys(tree: Options, where: str) -> None:
    _known(tree, Scenario, where, extra=("rounds",))
    for name, table in _TABLES.items():
        if isinstance(tree.get(name), dict):
            _known(tree[name], table, f"{where}: {name}")
    _finite(tree, where)


def _known(tree: Options, kind: type, where: str, extra: tuple[str, ...] = ()) -> None:
    fields: tuple[str, ...] = kind.__struct_fields__  # type: ignore[attr-defined]
    for key in tree:
        if key not in fields and key not in extra:
            raise BadInput(f"{where}: {unknown('key', key, (*fields, *extra))}")


def _finite(value: object, where: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"{where}: {value} is not a finite number")
    if isinstance(value, dict):
        for key, inner in value.items():
            _finite(inner, f"{where}: {key}")
    if isinstance(value, list):
        for inner in value:
            _finite(inner, where)


def _part(value: object, where: str) -> Options:
    if isinstance(value, str):
        return {"kind": value, "options": {}}
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise BadInput(f'{where}: give a kind, as in kind = "popular"')
    if isinstance(value.get("options"), dict):
        return value
    return {"kind": value["kind"], "options": {k: v for k, v in value.items() if k != "kind"}}


def _readable(error: msgspec.ValidationError, where: str) -> str:
    what, _, place = str(error).partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    return f"{where}: {key + ': ' if key else ''}{what[:1].lower()}{what[1:]}".replace("`", "'")


def _with_line(message: str, text: str) -> str:
    """Return a message with the line of the key it complains of, where that can be found."""
    words = [word for part in message.split(": ")[1:] for word in (part.strip("'"), _quoted(part))]
    for number, line in enumerate(text.splitlines(), 1):
        key = line.split("=")[0].strip().strip("[]\"'")
        if key and key.split(".")[-1] in words and "=" in line:
            return f"{message} (line {number})"
    return message


def _quoted(text: str) -> str:
    parts = text.split("'")
    return parts[1] if len(parts) > 1 else ""


def check(scenario: Scenario, where: str) -> None:
    """Raise when numbers make no sense, each with its remedy."""
    rules, pages, waking = scenario.run, scenario.platform, scenario.activation
    if rules.order not in ORDERS:
        raise BadInput(f"{where}: run: {unknown('order', rules.order, ORDERS)}")
    wholes = {
        "agents": scenario.agents,
        "seeds": scenario.seeds,
        "rounds": rules.rounds,
        "page_size": pages.page_size,
        "max_pages": pages.max_pages,
        "max_turns": rules.max_turns,
        "concurrency": rules.concurrency,
        "wave": rules.wave,
    }
    for key, number in wholes.items():
        if number < 1:
            raise BadInput(f"{where}: {key}: {number} is too small; give at least 1")
    bounds = {"refit": rules.refit, "deadline": rules.deadline, "at_most": waking.at_most}
    for key, bound in bounds.items():
        if bound < 0:
            raise BadInput(f"{where}: {key}: {bound} is negative; 0 means none")
    for key, share in {
        "share": waking.share,
        "loyalty": waking.loyalty,
        "drift": rules.drift,
    }.items():
        if not 0.0 <= share <= 1.0:
            raise BadInput(f"{where}: {key}: {share} is not between 0 and 1")


def arm(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario of one arm: the whole with the arm's keys laid over it."""
    tree: Options = msgspec.to_builtins(scenario)
    tree.pop("arms")
    changes = deepcopy(scenario.arms[name])
    for part in _PARTS:
        if part in changes:
            tree[part] = _part(changes.pop(part), f"arm {name!r}: {part}")
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(tree.get(key), dict)
        tree[key] = {**tree[key], **value} if both else value
    return from_tree(tree, f"arm {name!r}")


def changed(scenario: Scenario, **changes: object) -> Scenario:
    """Return the scenario with some keys replaced, checked again."""
    tree: Options = msgspec.to_builtins(scenario)
    rounds = changes.pop("rounds", None)
    if rounds is not None:
        tree["run"]["rounds"] = rounds
    order = changes.pop("order", None)
    if order is not None:
        tree["run"]["order"] = order
    tree.update(changes)
    return from_tree(tree, "command line")
