"""What the classes of parts declare is checked for authors, and true of our own parts."""

from __future__ import annotations

from typing import Any

import pytest

from audience.agents.rule import RuleMind
from audience.errors import BadInput
from audience.llm import Reply, Request
from audience.memory import NoMemory
from audience.parts import (
    AsksModels,
    Built,
    Options,
    PartContext,
    UsesGrounds,
    asks,
    by_name,
    learns_from_others,
)
from audience.plugins import find, known
from audience.recommenders import Popular
from audience.scenario import Part, context_of, made
from audience.testing import check_memory, check_mind, check_recommender, tiny_genesis


class Door:
    async def ask(self, request: Request) -> Reply:
        raise AssertionError(request.purpose)

    async def close(self) -> None: ...


class Plain(RuleMind):
    """Options alone."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)


class Named(RuleMind):
    """Takes the gateway by the name of a parameter, as plugins did before there was a context."""

    def __init__(self, gateway: Any, model: str = "mine", grounds: Any = None) -> None:
        super().__init__()
        self.given = (gateway, model, grounds)


class Declared(RuleMind):
    """Says what it takes."""

    def __init__(self, gateway: Any = None, *, model: str = "", sober: bool = False) -> None:
        super().__init__()
        self.given = (gateway, model, sober)

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> Declared:
        return cls(context.gateway, **{"model": context.model, **options})

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        return not options.get("sober")


@pytest.fixture
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    make = request.param
    monkeypatch.setattr("audience.scenario.build.find", lambda group, kind: make)
    return "mine"


@pytest.mark.parametrize("kind", [Declared], indirect=True)
def test_a_part_that_declares_a_build_is_given_the_context(kind: str) -> None:
    door = Door()
    context = context_of(tiny_genesis(3, 5), door, "m")
    assert made("minds", Part(kind), context).given == (door, "m", False)
    options = {"sober": True, "model": "other"}
    assert made("minds", Part(kind, options), context).given == (door, "other", True)
    with pytest.raises(BadInput, match=r"option 'sobre' is unknown .*'sober'") as refused:
        made("minds", Part(kind, {"sobre": 1}), context)
    assert "gateway" not in str(refused.value)


@pytest.mark.parametrize("kind", [Named], indirect=True)
def test_a_part_that_names_the_gateway_is_still_given_it(kind: str) -> None:
    door = Door()
    assert made("minds", Part(kind), PartContext(door)).given == (door, "mine", None)
    assert made("minds", Part(kind), PartContext(door, "m")).given == (door, "m", None)


@pytest.mark.parametrize("kind", [Plain], indirect=True)
def test_a_part_with_options_alone_needs_nothing(kind: str) -> None:
    assert made("minds", Part(kind, {"taste": 0.5})).parameters.taste == 0.5


class Heir(Declared):
    """Has an `__init__` of its own, which the inherited `build` knows nothing of."""

    def __init__(self, calm: bool = True) -> None:
        super().__init__(sober=calm)


class NamingHeir(Declared):
    def __init__(self, gateway: Any, calm: bool = True) -> None:
        super().__init__(gateway, sober=calm)


@pytest.mark.parametrize(("kind", "gives"), [(Heir, False), (NamingHeir, True)], indirect=["kind"])
def test_a_subclass_with_an_init_of_its_own_is_made_by_it(kind: str, gives: bool) -> None:
    door = Door()
    mind = made("minds", Part(kind, {"calm": False}), PartContext(door, "m"))
    assert mind.given == (door if gives else None, "", False)
    check_mind(mind, limit=3)


def test_what_asks_is_known_before_it_is_made() -> None:
    assert asks(Declared, {}, "rule")
    assert not asks(Declared, {"sober": True}, "rule")
    assert asks(Named, {}, "rule")
    assert not asks(Plain, {}, "rule")
    assert learns_from_others(Named, {})
    assert not learns_from_others(Declared, {})


def test_an_option_may_be_called_context() -> None:
    part = Part("llm", {"context": ["weekday", "mood"]})
    mind = made("minds", part, context_of(tiny_genesis(3, 5), Door()))
    assert mind.context == ("weekday", "mood")


@pytest.mark.parametrize("group", ["minds", "memories"])
def test_our_own_parts_declare_what_they_take(group: str) -> None:
    for name in known(group):
        make = find(group, name)
        assert not by_name(make, {"stars": True}), f"{name} is wired by names of parameters"
        if isinstance(make, AsksModels | UsesGrounds):
            assert isinstance(make, Built), name


def test_wrong_declarations_are_named() -> None:
    class Unsure(RuleMind):
        @staticmethod
        def asks_models(options: Options, suited: str) -> Any:
            return "sometimes"

    class Odd(RuleMind):
        consolidation = "slowly"

    class Lazy(NoMemory):
        idle = "yes"  # type: ignore[assignment]

    with pytest.raises(AssertionError, match=r"Unsure.asks_models gave 'sometimes'"):
        check_mind(Unsure(), limit=3)
    with pytest.raises(AssertionError, match=r"Odd.consolidation is 'slowly'; give one of fused"):
        check_mind(Odd(), limit=3)
    with pytest.raises(AssertionError, match=r"Lazy.idle gave 'yes'"):
        check_memory(Lazy(), rounds=1)


def test_a_wrong_build_is_named() -> None:
    class Stranger(RuleMind):
        @classmethod
        def build(cls, context: PartContext) -> Any:
            return object()

    with pytest.raises(AssertionError, match=r"Stranger.build gave a object"):
        check_mind(Stranger(), limit=3)


def test_a_ranker_that_learnt_words_is_named() -> None:
    class Wordy(Popular):
        def fit(self, interactions: Any, rng: Any) -> Any:
            ranker: Any = super().fit(interactions, rng)
            ranker.learnt = lambda: "a lot"
            return ranker

    with pytest.raises(AssertionError, match=r"learnt gave str, not bytes"):
        check_recommender(Wordy())
