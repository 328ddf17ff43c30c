"""A short run with memories, and a tiny dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.runs import start
from audience.scenario import parse
from audience.world import rng

MINDFUL = """
agents = 14
recommender = "popular"
[memory]
kind = "recagent"
reflect_at = 1.5
enhancements = 1
keep = 0.3
[run]
rounds = 12
"""


@pytest.fixture(scope="session")
def mindful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose people remember, understand and reflect."""
    folder = tmp_path_factory.mktemp("mindful") / "run"
    start(parse(MINDFUL), 1, folder)
    return folder


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Interactions of 24 people with 300 items, in an order of time."""
    folder = tmp_path_factory.mktemp("real")
    draw = rng(1, "judging tests")
    items = [f"i{n},Film {n} & <b>,Drama|Comedy,{1900 + n % 120}" for n in range(300)]
    lived = ["person,item,at,stars"]
    for person in range(24):
        for place, item in enumerate(draw.permutation(300)[:14].tolist()):
            lived.append(f"p{person},i{item},{1_000_000 + 100 * place + person},{1 + item % 5}")
    (folder / "items.csv").write_text("id,title,tags,year\n" + "\n".join(items) + "\n")
    people = "id,name\n" + "\n".join(f"p{n},Person {n}" for n in range(24)) + "\n"
    (folder / "people.csv").write_text(people)
    (folder / "interactions.csv").write_text("\n".join(lived) + "\n")
    return folder
