"""The page on memory leaves nothing out."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from audience.lab.evaluation import KINDS, OFTEN, OLD, RECENT
from audience.lab.evaluation.planted_facts import REPEATS, ages_of
from audience.memory import Agent4RecMemory, RecAgentMemory
from audience.plugins import known

PAGE = (Path(__file__).parent.parent / "docs" / "reference" / "memory.md").read_text("utf-8")


@pytest.mark.parametrize("memory", [RecAgentMemory, Agent4RecMemory])
def test_every_option_is_there_with_its_default(memory: type) -> None:
    for one in inspect.signature(memory).parameters.values():
        if one.kind is one.KEYWORD_ONLY:
            row = f"| `{one.name}` | `{json.dumps(one.default)}` |"
            assert row in PAGE, row


def test_every_kind_and_embedder_is_there() -> None:
    for kind in (*known("memories"), *known("embedders")):
        assert f"| `{kind}` |" in PAGE
    for kind in KINDS:
        assert f"| {kind} |" in PAGE


def test_what_is_planted_is_as_the_page_says() -> None:
    assert len(ages_of(30)) * 2 * len(REPEATS) == 32
    assert REPEATS == (0, 1, 3, 5)
    assert (OFTEN, RECENT, OLD) == (3, 2, 5)
