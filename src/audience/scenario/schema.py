"""The schema of a scenario: its keys, their checks, and arms laid over it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any

import msgspec

from audience.address import split_address
from audience.engine import (
    DIALOGUES,
    FEEDS,
    ORDERS,
    OWN,
    Activation,
    Groups,
    Rules,
    TieRules,
    Timetable,
)
from audience.errors import BadInput, unknown
from audience.llm import key_in, refuse_keys, scrub
from audience.outside import FilePath, KindOf, PartOf
from audience.ranges import check_section
from audience.scenario.models import Models
from audience.scenario.paths import PARTS, anchored
from audience.scenario.preset import PRESETS, preset_text
from audience.scenario.spread import SpreadTable
from audience.toml_reader import read_toml, text_file
from audience.world import INBOX, Clock

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def readable(error: msgspec.ValidationError, where: str) -> str:
    """Return in words which key has a value of the wrong type."""
    what, _, place = str(error).partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    what = re.sub(r"`(\w+)`", lambda found: _WORDS.get(found[1], repr(found[1])), what)
    return f"{where}: {key + ': ' if key else ''}{what[:1].lower()}{what[1:]}"


def with_line(message: str, text: str) -> str:
    """Return a message with the line of the key it is about, if that can be found."""
    complaint = message.partition("; ")[0].partition(" (did")[0]
    words = set(re.findall(r"[\w-]+", complaint))
    best, section = (0, 0), 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            section = len(words & set(re.findall(r"[\w-]+", line.partition("]")[0])))
        key, equals, _ = line.partition("=")
        if equals and key.strip().strip("\"'").split(".")[-1] in words and best[0] <= section:
            best = (section + 1, number)
    return f"{message} (line {best[1]})" if best[1] else message


FILE = "human.db"
"""The file of moves that people typed, stored at once and never asked for twice."""
TERMINAL, PAGE = "terminal", "page"
WAYS = (TERMINAL, PAGE)


class Played(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent that was played from one round to another; the moves are in `human.db`."""

    agent: int
    first: int
    last: int
    way: str

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise BadInput(f"played: {unknown('way', self.way, WAYS)}")
        if self.agent < 0 or not 1 <= self.first <= self.last:
            raise BadInput(
                f"played: person {self.agent}, rounds {self.first} to {self.last}: "
                "give an id and two rounds, the first not after the last"
            )


def seated(played: Sequence[Played], round_: int) -> dict[int, str]:
    """Return who was played in a round, and how."""
    return {one.agent: one.way for one in played if one.first <= round_ <= one.last}


def with_round(
    played: Sequence[Played], round_: int, agents: Collection[int], way: str
) -> tuple[Played, ...]:
    """Return the same with a round in which these were played."""
    spans = list(played)
    for agent in sorted(agents):
        if seated(spans, round_).get(agent) == way:
            continue
        before = [span for span in spans if span.agent == agent and span.way == way]
        if before and before[-1].last == round_ - 1:
            place = spans.index(before[-1])
            spans[place] = msgspec.structs.replace(before[-1], last=round_)
        else:
            spans.append(Played(agent, round_, round_, way))
    return tuple(spans)


Options = dict[str, Any]
_ARM = re.compile(r"\w[\w .+-]*")


class Part(msgspec.Struct, frozen=True):
    """A part by its kind; every other key is an option of that kind."""

    kind: str
    options: Options = {}


class PageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the platform shows items."""

    page_size: int = 5
    max_pages: int = 5
    repeat: bool = False
    """Whether items that a person has already picked may be shown again."""
    random_k: int = 0
    """How many items of each page are uniformly random ones; see engine/random_slots.py."""
    explain: bool = True
    """Whether the reasons that a recommender gives are shown and logged."""
    feed: str = "time"
    """How messages of others are ordered: by `time`, or `ranked`; see engine/feed.py."""
    feed_length: int = INBOX
    """Maximum number of messages in a feed."""

    def __post_init__(self) -> None:
        if self.feed not in FEEDS:
            raise BadInput(f"platform: {unknown('feed', self.feed, FEEDS)}")
        if not 1 <= self.feed_length <= INBOX:
            raise BadInput(
                f"platform: feed_length: {self.feed_length} is not between 1 and {INBOX}, "
                "which is how many messages an inbox keeps"
            )


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a run is made from, besides code and outside files."""

    title: str = "A simulated audience"
    seed: int = 1
    seeds: int = 1
    """How many seeds each arm runs with: seed, seed + 1, …"""
    agents: int = 1000
    dataset: Annotated[Part, PartOf("datasets")] = Part("films")
    clock: Clock = Clock()
    mind: Annotated[Part, PartOf("minds")] = Part("rule")
    memory: Annotated[Part, PartOf("memories")] = Part("none")
    recommender: Annotated[Part, PartOf("recommenders")] = Part("popular")
    platform: PageSettings = PageSettings()
    activation: Activation = Activation()
    time: Timetable = Timetable()
    run: Rules = Rules()
    ties: TieRules = TieRules()
    groups: Groups = Groups()
    llm: Models = Models()
    metrics: tuple[Annotated[str, KindOf("metrics")], ...] = ()
    """Metrics of your own by kind, besides the built-in ones."""
    arms: dict[str, Options] = {}
    """Variants: any of the keys above, by name. The first is the reference."""
    interventions: tuple[Options, ...] = ()
    spread: SpreadTable = SpreadTable()
    played: tuple[Played, ...] = ()
    """Who was played, and when: written by a run, so that it can be replayed."""
    validated: FilePath = ""
    """The validation.json of a backtest on real people, told by every report."""

    @property
    def rounds(self) -> int:
        return self.run.rounds


_TABLES: dict[str, type] = {
    "clock": Clock,
    "platform": PageSettings,
    "activation": Activation,
    "time": Timetable,
    "run": Rules,
    "ties": TieRules,
    "groups": Groups,
    "llm": Models,
    "spread": SpreadTable,
}


def load(path: Path) -> Scenario:
    """Return the scenario in a TOML file, or the preset of that name.

    Relative paths of a file start from its folder.
    """
    if not path.exists():
        if str(path) in PRESETS:
            return parse(preset_text(str(path)), str(path))
        raise BadInput(
            f"scenario {path} does not exist; `audience init` writes one to start from, and "
            f"presets are {', '.join(PRESETS)}"
        )
    scenario = parse(text_file(path), str(path), path.parent)
    check_secrets(scenario, str(path))
    if scenario.validated and not Path(scenario.validated).is_file():
        raise BadInput(
            f"{path}: validated: {scenario.validated} does not exist; name the validation.json "
            "that `audience eval backtest` wrote, or leave the key out"
        )
    return scenario


def parse(text: str, where: str = "scenario", folder: Path | None = None) -> Scenario:
    """Return the scenario in a TOML text; its relative paths start from `folder`."""
    tree = read_toml(text, where)
    try:
        return from_tree(tree if folder is None else anchored(tree, folder), where)
    except BadInput as error:
        raise BadInput(with_line(str(error), text)) from None


def from_tree(tree: Options, where: str = "scenario") -> Scenario:
    """Return the scenario that a nested dictionary describes."""
    tree = deepcopy(tree)
    tree.pop("study", None)  # the [study] table belongs to lab/studies
    if "rounds" in tree:
        tree.setdefault("run", {})["rounds"] = tree.pop("rounds")
    if "time" in tree:
        tree["time"] = time_of(tree["time"], f"{where}: time")
    _check_keys(tree, where)
    if "activation" not in tree and _only_spreads(tree):
        tree["activation"] = {"method": "reached"}
    for part in PARTS:
        if part in tree:
            tree[part] = part_of(tree[part], f"{where}: {part}")
    try:
        scenario = msgspec.convert(tree, Scenario)
    except msgspec.ValidationError as error:
        raise BadInput(readable(error, where)) from None
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    check(scenario, where)
    for name in scenario.arms:
        if not _ARM.fullmatch(name):
            raise BadInput(f"{where}: arm {name!r} names a folder; use letters, digits, - and _")
        arm(scenario, name, where)
    return scenario


def is_address(kind: str) -> bool:
    """Return whether a kind is the URL of a service."""
    return kind.startswith(("http://", "https://"))


def label(kind: str) -> str:
    """Return the label of a kind: its class if it names one, the host of an address."""
    if is_address(kind):
        parts = split_address(kind, "the recommender service")
        host = parts.netloc.rpartition("@")[2]
        return re.sub(r"[^\w.+]+", "-", f"{host}{parts.path}").strip("-.") or "http"
    return kind.rpartition(":")[2] or kind


def arms_of(kinds: Sequence[str]) -> dict[str, Options]:
    """Return an arm for each recommender, named after it; the first is the reference."""
    arms = {label(kind): {"recommender": kind} for kind in kinds}
    if len(arms) < len(kinds):
        raise BadInput(
            f"recommenders {', '.join(kinds)}: duplicate name; "
            "name each once, or write arms with names of your own into a scenario"
        )
    return dict(arms)


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
        raise BadInput(f"{where}: {value} is not a finite number; give one that is")
    if isinstance(value, dict):
        for key, inner in value.items():
            _finite(inner, f"{where}: {key}")
    if isinstance(value, list):
        for inner in value:
            _finite(inner, where)


def part_of(value: object, where: str) -> Options:
    """Return a part as its kind and its options, whichever way it was written."""
    if isinstance(value, str):
        return {"kind": value, "options": {}}
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise BadInput(f'{where}: give a kind, as in kind = "popular"')
    if isinstance(value.get("options"), dict):
        return value
    return {"kind": value["kind"], "options": {k: v for k, v in value.items() if k != "kind"}}


def _only_spreads(tree: Options) -> bool:
    """Return True if people come for news of a topic alone: a spread wakes those it reaches."""
    spread, times = tree.get("spread"), tree.get("time", {})
    return isinstance(spread, dict) and bool(spread.get("topics")) and times.get("kind") != OWN


def time_of(value: object, where: str) -> Options:
    """Return when people come as a table, whichever way it was written."""
    if isinstance(value, str):
        return {"kind": value}
    if not isinstance(value, dict):
        raise BadInput(f'{where}: give a table, as in [time], or time = "own"')
    return {"kind": OWN, **value}


def _check_own_clocks(scenario: Scenario, where: str) -> None:
    """Raise for what does not combine with own clocks."""
    activation = scenario.activation
    if activation.method not in ("sample", "random"):
        raise BadInput(
            f"{where}: activation: method {activation.method!r} chooses who comes in a round; with "
            'own clocks use "sample" or "random", or leave time out'
        )
    if activation.at_most:
        raise BadInput(
            f"{where}: activation: at_most limits rounds; with own clocks leave it out, and give "
            "fewer visits in [time]"
        )
    if scenario.run.order != ORDERS[0]:
        raise BadInput(
            f"{where}: run: order {scenario.run.order!r} is for rounds; own clocks have an order "
            "of their own: leave it out"
        )


def check(scenario: Scenario, where: str) -> None:
    """Raise if a number is out of range, with the remedy."""
    rules, pages = scenario.run, scenario.platform
    if rules.order not in ORDERS:
        raise BadInput(f"{where}: run: {unknown('order', rules.order, ORDERS)}")
    if rules.dialogue not in DIALOGUES:
        raise BadInput(f"{where}: run: {unknown('dialogue', rules.dialogue, DIALOGUES)}")
    if scenario.time.kind == OWN:
        _check_own_clocks(scenario, where)
    if not 0 <= pages.random_k <= pages.page_size:
        raise BadInput(
            f"{where}: random_k: {pages.random_k} of {pages.page_size} items of a page cannot be "
            "random; give a number from 0 to page_size"
        )
    check_section("", msgspec.structs.asdict(scenario), where)
    for name in _TABLES:
        check_section(name, msgspec.structs.asdict(getattr(scenario, name)), where)
    for topic in scenario.spread.topics:
        check_section("spread", msgspec.structs.asdict(topic), f"{where}: topic {topic.name!r}")


def arm(scenario: Scenario, name: str, where: str = "scenario") -> Scenario:
    """Return the scenario of one arm: the whole with the arm's keys laid over it."""
    tree: Options = msgspec.to_builtins(scenario)
    tree.pop("arms")
    changes = deepcopy(scenario.arms[name])
    for part in PARTS:
        if part in changes:
            tree[part] = part_of(changes.pop(part), f"{where}: arm {name!r}: {part}")
    if "time" in changes:
        changes["time"] = time_of(changes["time"], f"{where}: arm {name!r}: time")
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(tree.get(key), dict)
        tree[key] = {**tree[key], **value} if both else value
    return from_tree(tree, f"{where}: arm {name!r}")


def changed(scenario: Scenario, **changes: object) -> Scenario:
    """Return the scenario with some keys replaced, checked again; paths start from here."""
    return overlaid(scenario, anchored(changes, Path()), "command line")


def overlaid(scenario: Scenario, changes: Options, where: str = "scenario") -> Scenario:
    """Return the scenario with some keys replaced, checked again; no part is loaded for that."""
    tree: Options = msgspec.to_builtins(scenario)
    changes = dict(changes)
    rounds = changes.pop("rounds", None)
    if rounds is not None:
        tree["run"]["rounds"] = rounds
    order = changes.pop("order", None)
    if order is not None:
        tree["run"]["order"] = order
    tree["llm"] |= changes.pop("llm", None) or {}
    tree.update(changes)
    changed_scenario = from_tree(tree, where)
    check_secrets(changed_scenario, where)
    return changed_scenario


def check_secrets(scenario: Scenario, where: str = "scenario") -> None:
    """Raise if a new scenario holds a key: a run would store it."""
    _check_secrets(msgspec.to_builtins(scenario), where)


def _check_secrets(value: object, where: str) -> None:
    if isinstance(value, str) and is_address(value) and (what := key_in(value)):
        raise BadInput(
            f"{scrub(where)}: this address holds {what}; put it into the environment, as in "
            '`export MY_KEY=…`, and name the variable: key_env = "MY_KEY"'
        )
    if isinstance(value, dict):
        if "headers" in value or "url" in value:
            refuse_keys(value, scrub(where))
        for key, inner in value.items():
            _check_secrets(inner, f"{where}: {key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_secrets(inner, where)
