from __future__ import annotations

from pathlib import Path

import pytest

from audience.runs.marks import is_collaborative_mind, mark, sentences
from audience.scenario import Part

GROUNDED = """
class Grounded:
    def __init__(self, grounds=None): ...
class Hinted:
    def __init__(self, grounds=None, evidence=False): ...
"""


@pytest.fixture
def grounded(tmp_path: Path) -> str:
    (tmp_path / "minds.py").write_text(GROUNDED, "utf-8")
    return f"{tmp_path}/minds.py:Grounded"


def test_collaborative_minds_are_known_by_what_they_ask_for(grounded: str) -> None:
    assert is_collaborative_mind(Part(grounded))
    assert not is_collaborative_mind(Part("rule"))
    hinted = grounded.replace(":Grounded", ":Hinted")
    assert not is_collaborative_mind(Part(hinted))
    assert is_collaborative_mind(Part(hinted, {"evidence": True}))


@pytest.mark.parametrize(
    ("kind", "by_grounded", "by_rule"),
    [
        ("random", ("", ""), ("", "")),
        ("popular", ("shared", ""), ("shared", "")),
        ("content", ("shared", ""), ("shared", "")),
        ("ease", ("circular", "alike"), ("shared", "")),
        ("recbole", ("circular", "alike"), ("shared", "")),
        ("own.py:Mine", ("circular", "alike"), ("shared", "")),
    ],
)
def test_marks(
    kind: str, by_grounded: tuple[str, str], by_rule: tuple[str, str], grounded: str
) -> None:
    for mind, wanted in ((grounded, by_grounded), ("rule", by_rule)):
        found = [mark(Part(kind), Part(mind), apart=apart) for apart in (False, True)]
        assert tuple(found) == wanted


def test_every_mark_is_explained_with_those_who_bear_it() -> None:
    marks = {"random": "", "popular": "shared", "ease": "circular", "bpr": "circular"}
    circular, shared = sentences(marks)
    assert circular.startswith("circular (ease, bpr): a collaborative recommender judged by coll")
    assert "no verdict" in circular
    assert shared.startswith("shared (popular): learnt")
    assert sentences({"random": ""}) == []
