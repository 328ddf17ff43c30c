from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.lab.judging.memory_cases import Behaviour, recalled, scores
from audience.lab.judging.tasks import VARIANTS
from audience.log import Log
from audience.memory import RecAgentMemory
from audience.runs import start
from audience.scenario import parse
from audience.world import Agent, Profile, Thought

THOUGHTS = (
    Thought(0, "I liked Heat.", 0.5, 100, store="short"),
    Thought(1, "I loved Alien.", 0.6, 90, store="long"),
    Thought(2, "Films with monsters matter to me.", 0.9, 95, "reflection", "long"),
)
MOMENT = Behaviour(
    "choosing", Agent(Profile(0, "Ann"), b"", thoughts=THOUGHTS), "Heat Alien", (), 200, (0, 0)
)


@pytest.mark.parametrize(
    ("variant", "kept"),
    [
        ("full", {0, 1, 2}),
        ("no-short", {1, 2}),
        ("no-long", {0}),
        ("no-reflection", {0, 1}),
    ],
)
def test_what_comes_to_mind_without_a_part(variant: str, kept: set[int]) -> None:
    memory = RecAgentMemory(consolidation="rule")
    texts = {one.text for one in THOUGHTS if one.id in kept}
    assert set(recalled(memory, MOMENT, variant)) == texts


def test_behaviours_of_a_run_with_every_variant(mindful: Path) -> None:
    with Log.open(mindful) as log:
        found = list(scores(log, cases=6, seed=1))
    cases: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for seen, seal in found:
        cases[seal.case][seal.variant] = seen.memories
        assert seen.behaviour
        assert seal.variant not in " ".join((*seen.behaviour, seen.person))
    assert len(cases) == 6
    assert len({case.partition("-")[0] for case in cases}) == 6
    assert {case.rpartition("-")[2] for case in cases} >= {"choosing", "posting"}
    for variants in cases.values():
        assert set(variants) == set(VARIANTS)
        assert set(variants["no-long"]) <= set(variants["full"])
    assert any(one["no-short"] != one["full"] for one in cases.values())
    assert any(one["no-long"] != one["full"] for one in cases.values())
    assert any(one["no-reflection"] != one["full"] for one in cases.values())


def test_another_memory_has_no_such_parts(tmp_path: Path) -> None:
    start(parse("agents = 3\nrounds = 1\n"), 1, tmp_path / "run")
    with (
        Log.open(tmp_path / "run") as log,
        pytest.raises(BadInput, match=r"its memory is 'none'.*--memory recagent"),
    ):
        list(scores(log, cases=2, seed=1))
