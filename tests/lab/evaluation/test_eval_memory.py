from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.lab.evaluation import KINDS, Evaluation, evaluate, memory_values
from audience.lab.evaluation.memory import memory_of
from audience.memory import Fading, NoMemory
from audience.runs import pool_of


@pytest.fixture(scope="module")
def found() -> Evaluation:
    kinds = ("recagent", "recagent-no-long", "none", "everything", "last")
    return evaluate(kinds, people=4, rounds=18, seeds=1)


def test_the_baselines_are_what_they_are(found: Evaluation) -> None:
    by_kind = {one.kind: one for one in found.scores}
    none, everything, last = (by_kind[kind] for kind in ("none", "everything", "last"))
    assert (none.lasting.mean, none.fading.mean, none.tokens.mean) == (0.0, 1.0, 0.0)
    assert everything.lasting.mean > 0.9
    assert everything.fading.mean < 0.2
    assert last.fading.mean == 1.0
    assert everything.thoughts.mean == last.thoughts.mean > 100
    assert all(one.recalled.mean == 0.0 for one in last.cells if one.age > 5)


def test_recagent_keeps_what_repeats_and_loses_what_passes_by(found: Evaluation) -> None:
    full, short = (
        next(one for one in found.scores if one.kind == kind)
        for kind in ("recagent", "recagent-no-long")
    )
    assert full.fading.mean > 0.9
    assert full.lasting.mean > 0.2
    assert short.thoughts.mean <= 10
    often = [one.recalled.mean for one in full.cells if one.important and one.often]
    seldom = [one.recalled.mean for one in full.cells if not one.important and not one.often]
    assert sum(often) > sum(seldom)


def test_lives_are_equal_and_so_are_evaluations_in_other_processes(found: Evaluation) -> None:
    with pool_of(2) as pool:
        again = evaluate(("everything", "recagent"), people=4, rounds=18, seeds=1, pool=pool)
    assert {one.kind: one for one in again.scores}.items() <= {
        one.kind: one for one in found.scores
    }.items()


def test_a_memory_of_ones_own_is_evaluated(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from audience.memory import NoMemory as Mine")
    (score,) = evaluate((f"{tmp_path}/mine.py:Mine",), people=2, rounds=16, seeds=1).scores
    assert score.balance.mean == 0.5


def test_kinds() -> None:
    for kind in KINDS:
        memory_of(kind)
    assert isinstance(memory_of("recagent-no-short"), Fading)
    assert memory_of("recagent-no-short").short is False  # type: ignore[attr-defined]
    assert isinstance(memory_of("none"), NoMemory)
    for kind in ("recagnt", "recagent-no-end", "none-no-short"):
        with pytest.raises(BadInput, match=f"'{kind}' is unknown|option 'short' is unknown"):
            memory_of(kind)
    with pytest.raises(BadInput, match="--seeds 0"):
        evaluate(("none",), seeds=0)


def test_plain_values_are_json(found: Evaluation) -> None:
    tree = json.loads(json.dumps(memory_values(found), allow_nan=False))
    assert tree["scores"][0]["kind"] == "recagent"
    assert tree["facts"] == 4 * 32
    assert not math.isnan(tree["scores"][0]["cells"][0]["recalled"]["mean"])
