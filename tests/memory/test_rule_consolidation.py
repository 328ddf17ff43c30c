from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, strategies as st

from audience.memory import RecAgentMemory
from audience.memory.consolidation import UNIT, Observed
from audience.memory.rule_consolidation import MARKS, features, importance, marks, weights
from audience.memory.sentences import KINDS
from audience.world import Agent, Catalogue, Item, Profile

CATALOGUE = Catalogue((Item(0, "Heat", tags=("Crime",)), Item(1, "Up", tags=("Family",))))
ME = Agent(Profile(0, "Me", interests=("Crime",)), b"")
ROOT = Path(__file__).parents[2]


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "fit_importance", ROOT / "tools" / "fit_importance.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()
EXAMPLES = TOOL.read()
FITTED = [one for one in EXAMPLES if not one.held]
HELD = [one for one in EXAMPLES if one.held]


def test_the_examples_are_many_and_of_every_kind() -> None:
    assert len(FITTED) >= 240
    assert len(HELD) >= 60
    counts = {kind: sum(one.seen.kind == kind for one in FITTED) for kind in KINDS}
    assert min(counts.values()) >= 6, counts
    assert {one.label for one in FITTED} == set(range(1, 11))
    assert len({(one.seen.text, one.seen.kind) for one in FITTED}) >= 0.9 * len(FITTED)


def test_the_shipped_weights_are_those_of_the_examples() -> None:
    again, shipped = TOOL.fit(FITTED), weights()
    assert shipped.start == pytest.approx(again.start, abs=2e-4)
    assert shipped.kinds == pytest.approx(again.kinds, abs=2e-4)
    assert shipped.marks == pytest.approx(again.marks, abs=2e-4)
    assert tuple(shipped.kinds) == KINDS
    assert tuple(shipped.marks) == MARKS


def test_weights_do_well_on_examples_they_do_not_know() -> None:
    across = TOOL.validate(FITTED)
    assert across.error < 0.8
    assert across.agreement > 0.85
    assert across.agreement_from > across.always
    held = TOOL.measured(HELD, TOOL.predict(weights(), HELD))
    assert held.error < 0.9
    assert held.agreement > 0.75
    assert held.agreement > held.always


def test_what_is_kept_begins_at_a_pleasant_hour() -> None:
    keep = inspect.signature(RecAgentMemory).parameters["keep"].default
    assert UNIT * (TOOL.KEPT - 1) < keep < UNIT * TOOL.KEPT


def seen(kind: str, text: str = "", **fields: object) -> Observed:
    return Observed(kind, text, text, 0, **fields)  # type: ignore[arg-type]


def test_feelings_and_griefs_matter_more_and_opening_a_page_does_not() -> None:
    loved = seen("watched", items=(0,), stars=5, fraction=1.0, feeling="It will stay with me.")
    assert importance(loved, ME, CATALOGUE) >= 7
    grief = seen("talked", "I talked with Ann. Ann said: I am so sad, my dear father has died.")
    greeting = seen("talked", "I talked with Ann. Ann said: Hello.")
    assert importance(grief, ME, CATALOGUE) >= importance(greeting, ME, CATALOGUE) + 2
    assert importance(seen("entered", "I opened it."), ME, CATALOGUE) <= 2
    assert importance(seen("browsed", items=(0, 1)), ME, CATALOGUE) <= 3


def test_an_interest_counts() -> None:
    crime, family = (seen("watched", items=(item,), fraction=1.0) for item in (0, 1))
    assert weights().marks["liked"] > 0
    assert importance(crime, ME, CATALOGUE) >= importance(family, ME, CATALOGUE)
    assert marks(crime, True) != marks(crime, False)


def test_the_words_of_a_title_do_not_count() -> None:
    named = seen("posted", "I wrote a post: See <I Hate and Love Terrible Tears>.", items=(0,))
    plain = seen("posted", "I wrote a post: See <It>.", items=(0,))
    assert marks(named, False) == marks(plain, False)


def test_the_tool_and_the_memory_count_alike() -> None:
    people = {
        True: Agent(Profile(0, interests=("Crime",)), b""),
        False: Agent(Profile(0, interests=("War",)), b""),
    }
    crime = Catalogue(tuple(Item(place, "Heat", tags=("Crime",)) for place in range(9)))
    ours = [one for one in EXAMPLES if one.seen.items or not one.liked]
    got = [importance(one.seen, people[one.liked], crime) for one in ours]
    assert got == TOOL.predict(weights(), ours).tolist()


@given(
    st.sampled_from((*KINDS, "dreamt")),
    st.text(max_size=200),
    st.integers(0, 5),
    st.floats(0, 1),
    st.none() | st.floats(0, 1),
)
def test_it_is_always_one_of_ten(
    kind: str, text: str, stars: int, fraction: float, told: float | None
) -> None:
    one = seen(kind, text, stars=stars, fraction=fraction, feeling=text, satisfaction=told)
    assert 1 <= importance(one, ME, CATALOGUE) <= 10
    assert all(0.0 <= mark <= 1.0 for mark in features(one, True))
