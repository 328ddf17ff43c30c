from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest

from audience.agents.rule.parameters import RuleParameters, check_parameters
from audience.errors import BadInput
from audience.plugins import find, known, singular
from audience.ranges import PARTS, RULES, SECTIONS
from audience.scenario import Part, from_tree, made, parse
from audience.scenario.schema import _TABLES, Scenario
from audience.scenario.spread import TopicTable

Cli = Callable[..., CompletedProcess[str]]
_NUMBERS = ("int", "float")


def _numeric(kind: type) -> set[str]:
    return {one.name for one in msgspec.structs.fields(kind) if one.type in (int, float)}


def test_every_number_of_every_table_has_a_range() -> None:
    assert _numeric(Scenario) == set(SECTIONS[""])
    for name, table in _TABLES.items():
        extra = {"spread": _numeric(TopicTable), "llm": {"weight"}}.get(name, set())
        assert _numeric(table) | extra == set(SECTIONS[name]), name


@pytest.mark.parametrize("group", ["minds", "memories", "recommenders", "datasets"])
def test_every_number_of_every_built_in_part_has_a_range(group: str) -> None:
    for kind, point in known(group).items():
        if not point.value.startswith("audience."):
            continue
        make: Any = find(group, kind)
        signatures = [inspect.signature(make), inspect.signature(make.__init__)]
        for signature in signatures:
            for name, option in signature.parameters.items():
                if option.annotation in _NUMBERS and option.kind is not option.VAR_KEYWORD:
                    assert name in PARTS[singular(group)], (kind, name)


def test_what_is_given_by_default_is_within() -> None:
    parse("")
    check_parameters(msgspec.to_builtins(RuleParameters()), "rules")
    assert set(RULES) <= {field.name for field in msgspec.structs.fields(RuleParameters)}


@pytest.mark.parametrize("name", [name for name in SECTIONS if name not in ("", "clock")])
def test_numbers_out_of_range_are_refused_by_name(name: str) -> None:
    table = _TABLES[name]
    for key in _numeric(table):
        least, most = SECTIONS[name][key]
        whole = key in {one.name for one in msgspec.structs.fields(table) if one.type is int}
        for number in (least - 1, most + 1):
            value = int(number) if whole else float(number)
            with pytest.raises(BadInput, match=f"{key}: "):
                from_tree({name: {key: value}})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("agents = 1000000000000", "agents: 1000000000000 is not between 1 and 10,000,000"),
        ("agents = -1", "agents"),
        ("rounds = 9223372036854775807", "run: rounds"),
        ("seed = 9223372036854775807", "seed"),
        ("seeds = 0", "seeds"),
        ("[llm]\ndeadline = -1", "llm: deadline"),
        ("[run]\nmax_lines = -1", "run: max_lines"),
        ("[[llm.endpoints]]\nurl = 'http://h'\nweight = -1.0", "weight"),
    ],
)
def test_senseless_numbers_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        parse(text)


@pytest.mark.parametrize(
    ("group", "kind", "options"),
    [
        ("recommenders", "multvae", {"dropout": 2}),
        ("recommenders", "multvae", {"dropout": 1.0}),
        ("recommenders", "als", {"factors": -1}),
        ("recommenders", "als", {"factors": 10**12}),
        ("recommenders", "bpr", {"rate": 0.0}),
        ("recommenders", "bpr", {"batch": 0}),
        ("recommenders", "markov", {"fading": 1.5}),
        ("recommenders", "popular", {"half_life_days": -1.0}),
        ("recommenders", "ease", {"min_stars": 9}),
        ("recommenders", "mix", {"parts": [{"kind": "multvae", "dropout": 2}]}),
        ("recommenders", "explained", {"of": {"kind": "als", "factors": 0}}),
        ("minds", "rule", {"save": 2.0}),
        ("minds", "rule", {"most_picks": -1}),
        ("minds", "rule", {"taste": 1e9}),
        ("minds", "touched", {"share": 2.0}),
        ("memories", "recagent", {"decay": 2.0}),
        ("memories", "recagent", {"budget": -1}),
        ("datasets", "recsim", {"items": 10**12}),
        ("datasets", "films", {"degree": -1.0}),
    ],
)
def test_senseless_options_are_refused(group: str, kind: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        made(group, Part(kind, options))


def test_options_of_other_peoples_parts_are_theirs(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "  def __init__(self, factors=0): self.factors = factors\n"
        "  def fit(self, interactions, rng): return self\n"
    )
    assert made("recommenders", Part(f"{tmp_path}/mine.py:Mine", {"factors": -7})).factors == -7
