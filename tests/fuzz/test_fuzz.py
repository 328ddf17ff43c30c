"""A little of what `make fuzz` does for long, and everything that it ever found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.fuzz.corpus import kept, load
from tests.fuzz.targets import TARGETS

_FEW = {"runs": 15, "data": 30, "scenarios": 40}


@pytest.mark.parametrize("name", TARGETS)
def test_a_little_of_everything(name: str) -> None:
    strategy, target = TARGETS[name]
    settings(max_examples=_FEW.get(name, 60))(given(strategy)(target))()


@pytest.mark.parametrize("path", kept(), ids=lambda path: path.stem)
def test_what_crashed_once_is_told(path: Path) -> None:
    name, value = load(path)
    TARGETS[name][1](value)
