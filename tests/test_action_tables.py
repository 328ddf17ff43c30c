"""Every table that an action or an event must be in knows it; a forgotten one is named here."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from audience.agents.human.mind import _VIEWS as HUMAN_VIEWS
from audience.agents.language.mind import BEHAVIOURS
from audience.agents.rule.mind import _PART as RULE_PARTS
from audience.engine.rules import _RULES as RULES
from audience.metrics import LABELS, builtin
from audience.runs import Teller
from audience.testing import tiny_genesis
from audience.world import FOLDS, MENUS, actions as a, events as e
from audience.world.world import _SHARED as SHARED_FOLDS

PAGE = (Path(__file__).parents[1] / "ui" / "src" / "fold" / "events.ts").read_text("utf-8")
NAMES = {event.__name__: event for event in e.EVENTS}
OF_ACTIONS = sorted({name for action in a.ACTIONS for name in action.events})
UNTOLD = {"Picked", "Entered", "Wished", "TasteShifted", "SlateAnnotated"}
"""Events of actions that stories leave out: another line says them, or they are inward."""
UNFOLDED = {"Refused", "Failed", "Unfounded"}
"""Events of actions that change nothing: a second event does, or they are only told."""
VALUES = {int: 0, float: 0.5, str: "words", bool: True}


def made(kind: type[msgspec.Struct]) -> msgspec.Struct:
    """Return a struct with plain values in the fields that it must have."""
    required = [field for field in msgspec.structs.fields(kind) if field.required]
    return kind(*(VALUES.get(field.type, ()) for field in required))


@pytest.mark.parametrize("action", a.ACTIONS, ids=lambda action: action.__name__)
def test_an_action_is_declared_whole(action: type[a.Action]) -> None:
    assert action.__doc__, "say what it does"
    assert set(action.surfaces) <= set(MENUS), "on surfaces there are"
    assert action.surfaces, "somewhere it can be attempted"
    assert action.events, "something comes of it"
    assert set(action.events) <= set(NAMES), "events there are"
    for surface in action.surfaces:
        assert action.__name__ in MENUS[surface]


@pytest.mark.parametrize("action", a.ACTIONS, ids=lambda action: action.__name__)
def test_an_action_has_a_rule_or_turns_a_page(action: type[a.Action]) -> None:
    assert (action in RULES) != (action in a.PAGE_TURNS)


@pytest.mark.parametrize("name", OF_ACTIONS)
def test_an_event_of_an_action_is_folded(name: str) -> None:
    event = NAMES[name]
    folded = event in FOLDS or event in SHARED_FOLDS
    assert folded != (name in UNFOLDED), "fold it in world/agent.py, or name it in UNFOLDED"


@pytest.mark.parametrize("name", OF_ACTIONS)
def test_an_event_of_an_action_is_told_by_stories(name: str) -> None:
    teller = Teller(tiny_genesis())
    teller.topics.append("a topic")
    line = teller.line(made(NAMES[name]))  # type: ignore[arg-type]
    assert bool(line) != (name in UNTOLD), "give it a phrase, or name it in UNTOLD"


@pytest.mark.parametrize("name", OF_ACTIONS)
def test_an_event_of_an_action_is_told_by_the_page(name: str) -> None:
    own = re.search(rf"^  {name}: \(", PAGE, re.MULTILINE)
    silent = name in {"SlateShown", "SlateAnnotated", "Entered", "TasteShifted"}
    assert bool(own or NAMES[name].phrase) != silent


@pytest.mark.parametrize("name", OF_ACTIONS)
def test_an_event_of_an_action_has_a_channel_of_export(name: str) -> None:
    assert NAMES[name].channel in {"STATE", "RECOMMENDER", "CHAT", "POST"}


def test_what_is_counted_is_measured_and_labelled() -> None:
    measured = {name for metric in builtin() for name in metric.value()}
    for name, label in e.COUNTED.values():
        assert name in measured
        assert LABELS[name][0] == label


@pytest.mark.parametrize("surface", a.PAGE_SURFACES)
def test_every_mind_knows_every_page(surface: str) -> None:
    assert surface in RULE_PARTS
    assert surface in HUMAN_VIEWS
    assert BEHAVIOURS[surface] == "page"
