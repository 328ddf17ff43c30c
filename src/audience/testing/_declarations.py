"""What the class of a part declares, before there is a part: checked by every suite."""

from __future__ import annotations

from typing import Any

from audience.memory import Idle
from audience.parts import (
    AsksModels,
    Consolidates,
    PartContext,
    SuitsMemory,
    UsesGrounds,
    builds,
)
from audience.recommenders import Learnt, SelfChecking

WAYS = ("fused", "faithful", "rule")


def check_declarations(part: object) -> None:
    """Raise AssertionError unless what a part and its class declare is of the right type."""
    make: Any = type(part)
    name = make.__name__
    if builds(make):
        _check_build(make, name)
    if isinstance(make, AsksModels):
        _check_truth(f"{name}.asks_models", make.asks_models({}, "rule"))
    if isinstance(make, UsesGrounds):
        _check_truth(f"{name}.uses_grounds", make.uses_grounds({}))
    if isinstance(make, SuitsMemory):
        way = make.consolidation
        assert way in WAYS, f"{name}.consolidation is {way!r}; give one of {', '.join(WAYS)}"
    if isinstance(make, Consolidates):
        for way in WAYS:
            own = make.way_with({"consolidation": way}, "rule")
            assert own == way, f"{name}.way_with gave {own!r} where the option says {way!r}"
    if isinstance(part, Idle):
        _check_truth(f"{name}.idle", part.idle)


def check_ranker_declarations(ranker: object) -> None:
    """Raise AssertionError unless what a ranker declares is of the right type."""
    name = type(ranker).__name__
    if isinstance(ranker, Learnt):
        assert callable(ranker.learnt), f"{name}.learnt is no method; rename it, or return bytes"
        learnt = ranker.learnt()
        assert isinstance(learnt, bytes), f"{name}.learnt gave {type(learnt).__name__}, not bytes"
    if isinstance(ranker, SelfChecking):
        _check_truth(f"{name}.checks_itself", ranker.checks_itself)


def _check_truth(what: str, said: object) -> None:
    assert isinstance(said, bool), f"{what} gave {said!r}; give True or False"


def _check_build(make: Any, name: str) -> None:  # noqa: ANN401
    """Build without a gateway: a part that needs one, or options, says so and nothing worse."""
    try:
        built = make.build(PartContext())
    except (TypeError, ValueError):
        return
    assert isinstance(built, make), f"{name}.build gave a {type(built).__name__}; return a {name}"
