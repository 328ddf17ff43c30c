"""A study as a TOML file that can be read and changed: a scenario with a `[study]` table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from audience.errors import BadInput, shell_command, unknown
from audience.lab.studies.study import DRAWN, RULE, Study
from audience.plugins import find as find_part, known
from audience.scenario import Options, Scenario, changed, dump, parse, part_of, text_of
from audience.toml_reader import read_toml, text_file

NAMES = (
    "cocoon",
    "conformity",
    "word-of-mouth",
    "drift",
    "filter-bubble",
    "homogenisation",
    "popularity",
    "cold-start",
    "intervention",
    "emergency",
    "advertisement",
    "explanation",
    "human-touch",
    "recommender-ab",
    "spread",
    "feedback",
    "causal",
)
"""The studies of this package, in the order of `audience study all`."""
STUDY_FILE = "study.toml"
"""The file that marks a folder as a study's: the whole study as it runs there."""
QUICK = {"agents": 60, "rounds": 4, "seeds": 3}
_COMMON = ("kind", "question", "method")
HELD_OUT = "held-out"


class Recipe(msgspec.Struct, frozen=True):
    """A study ready to be run."""

    study: Study
    question: str
    method: tuple[str, ...]
    options: Mapping[str, Any]
    scenario: Scenario

    @property
    def text(self) -> str:
        """The whole as TOML."""
        table = {"kind": self.study.name, "question": self.question, "method": self.method}
        return text_of(self.scenario) + "\n" + dump({"study": {**table, **self.options}})


def study_of(kind: str, where: str = "study") -> Study:
    """Return a study by its name."""
    if kind not in known("studies"):
        raise BadInput(f"{where}: {unknown('study', kind, study_names())}")
    study = find_part("studies", kind)
    if not isinstance(study, Study):
        raise BadInput(f"{where}: study {kind!r} is not a Study; its entry point must name one")
    return study


def study_names() -> tuple[str, ...]:
    """Return the names of all studies: those of this package in order, then plugins'."""
    return (*NAMES, *sorted(set(known("studies")) - set(NAMES)))


def shipped(kind: str) -> str:
    """Return the file of a study as shipped."""
    study = study_of(kind)
    if kind not in NAMES:
        return study.recipe
    return (files("audience.lab.studies") / f"{kind}.toml").read_text("utf-8")


def find(source: str) -> Recipe:
    """Return the study given by a name or the path of a file."""
    if not source.endswith(".toml"):
        return read(shipped(source), f"{source}.toml")
    path = Path(source)
    if not path.is_file():
        raise BadInput(
            f"{path} does not exist; write one with: "
            f"{shell_command('study', 'cocoon', '--write', path)}"
        )
    return read(text_file(path), str(path), path.parent)


def read(text: str, where: str, folder: Path | None = None) -> Recipe:
    """Return the study in a TOML text; its relative paths start from `folder`."""
    scenario = parse(text, where, folder)
    table = read_toml(text, where).get("study")
    if not isinstance(table, dict):
        raise BadInput(f'{where}: has no table [study]; add one, e.g. with kind = "cocoon"')
    study = study_of(str(table.get("kind", "")), f"{where}: study")
    for key in table:
        if key not in (*_COMMON, *study.options):
            raise BadInput(f"{where}: study: {unknown('key', key, (*_COMMON, *study.options))}")
    question, method = table.get("question", ""), table.get("method", [])
    if not isinstance(question, str) or not question.strip():
        raise BadInput(f'{where}: study: has no question; give question = "…"')
    if not isinstance(method, list) or not all(isinstance(line, str) for line in method):
        raise BadInput(f'{where}: study: method: give a list of sentences, as in ["First …"]')
    if len(scenario.arms) < 2:
        raise BadInput(f"{where}: a study needs two or more arms; give tables [arms.NAME]")
    options = {key: value for key, value in table.items() if key not in _COMMON}
    return Recipe(study, question, tuple(method), options, scenario)


def with_changes(recipe: Recipe, changes: Mapping[str, Any], *, quick: bool = False) -> Recipe:
    """Return the study with the flags of a command line applied; `quick` makes it small."""
    flags = {key: value for key, value in changes.items() if value is not None}
    if quick:
        flags = {**_small(recipe.scenario), **flags}
    scenario = recipe.scenario
    if "mind" in flags:
        scenario = _with_mind(scenario, str(flags.pop("mind")))
    if "dataset" in flags:
        scenario = _with_dataset(scenario, part_of(flags.pop("dataset"), "dataset"))
    scenario = changed(scenario, **flags) if flags else scenario
    return msgspec.structs.replace(recipe, scenario=scenario)


def _small(scenario: Scenario) -> dict[str, int]:
    now = {"agents": scenario.agents, "rounds": scenario.rounds, "seeds": scenario.seeds}
    return {key: min(now[key], small) for key, small in QUICK.items()}


def _with_mind(scenario: Scenario, kind: str) -> Scenario:
    """Return the scenario with other minds; options of rule minds do not fit others."""
    if kind == RULE:
        return scenario
    arms = {name: _minded(arm, kind) for name, arm in scenario.arms.items()}
    return changed(scenario, mind=kind, arms=arms)


def _with_dataset(scenario: Scenario, dataset: Options) -> Scenario:
    """Return the scenario with other data, without arms that need what they lack."""
    kind, options = dataset["kind"], dataset["options"]
    if scenario.dataset.kind == HELD_OUT != kind:
        dataset = {"kind": HELD_OUT, "options": {"of": kind, **options}}
    arms: dict[str, Options] = {}
    for name, arm in scenario.arms.items():
        own = arm.get("dataset")
        if not isinstance(own, dict):
            arms[name] = arm
        elif kind in DRAWN:
            arms[name] = {**arm, "dataset": {**own, "kind": kind}}
    return changed(scenario, dataset=dataset, arms=arms)


def _minded(arm: Options, kind: str) -> Options:
    mind = arm.get("mind")
    current = mind.get("kind") if isinstance(mind, dict) else mind
    return {**arm, "mind": kind} if current == RULE else arm
