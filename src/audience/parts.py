"""What a run offers its parts, and how a kind of part declares what it needs and does.

A mind, memory, recommender, dataset, metric or embedder is a class that takes its options. One
that needs something of the run besides has a `build` and is given a `PartContext`. Whatever else
matters before a part exists, such as whether it asks models, its class declares as one of the
protocols below; a class that declares nothing is plain.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec

from audience import outside
from audience.llm import Gateway
from audience.world import Floats, Genesis

Options = Mapping[str, Any]
"""The options of a part in a scenario."""


FilePath: TypeAlias = outside.FilePath
"""The type of an option that names a file; `audience.outside` has the types of other options."""


class ChoiceEvidence(Protocol):
    """Evidence from real people about what a person picks next."""

    def log_odds(
        self, histories: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]
    ) -> Sequence[Floats]:
        """Return, for each history (oldest first), the log-odds that each candidate is taken."""
        ...

    def words(self, history: Sequence[int], candidates: Sequence[int]) -> Sequence[str]:
        """Return what stands out about each candidate, in plain words."""
        ...


class StarEvidence(Protocol):
    """What stars people give."""

    def predict_for(
        self,
        histories: Sequence[Sequence[tuple[int, float]]],
        items: Sequence[Sequence[int]],
    ) -> Sequence[Floats]:
        """Return the stars expected for each item from somebody who gave these stars before."""
        ...


class PartContext(msgspec.Struct, frozen=True):
    """What a run offers its parts."""

    gateway: Gateway | None = None
    """The gateway to language models; None if none may be asked."""
    model: str = ""
    """The name to ask for; empty: the endpoint's own."""
    genesis: Genesis | None = None
    suited: str = "rule"
    """The consolidation that suits the minds, if the scenario names none."""
    run: str = ""
    """The name of the run, for services that keep runs apart."""
    fit_grounds: Callable[[], ChoiceEvidence | None] = lambda: None
    """Learns what others did, when first called; None if there is no past to learn from."""
    fit_ratings: Callable[[], StarEvidence | None] = lambda: None
    """Learns what stars they gave, in the same way."""

    @property
    def door(self) -> Gateway:
        """The gateway of a part that needs one; raise if there is none."""
        if self.gateway is None:
            raise ValueError("it asks language models, and there is no gateway here")
        return self.gateway


def required_options(make: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the options without which a dataset or a recommender cannot be made."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind in named and p.default is p.empty)


@runtime_checkable
class Built(Protocol):
    """A kind of part that takes something of the run: it is made by `build`."""

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> Any:  # noqa: ANN401
        """Return a part with these options, which take precedence over the context."""
        ...


@runtime_checkable
class AsksModels(Protocol):
    """A kind of mind or memory that asks language models, always or with some of its options."""

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        """Return whether a part with these options asks; `suited` as in `PartContext`."""
        ...


@runtime_checkable
class UsesGrounds(Protocol):
    """A kind of mind that decides by what others did, always or with some of its options."""

    @staticmethod
    def uses_grounds(options: Options) -> bool:
        """Return whether a mind with these options does."""
        ...


@runtime_checkable
class SuitsMemory(Protocol):
    """A kind of mind that names the consolidation that suits it."""

    consolidation: str


@runtime_checkable
class Consolidates(Protocol):
    """A kind of memory with several ways to consolidate, which its option `consolidation` names."""

    @staticmethod
    def way_with(options: Options, suited: str) -> str:
        """Return the way of a memory with these options; `suited` as in `PartContext`."""
        ...


def builds(make: Any) -> bool:  # noqa: ANN401
    """Return whether parts of this kind are made by `build`.

    Not so where a subclass has an `__init__` of its own and the `build` of its parent, which
    knows nothing of it.
    """
    if not isinstance(make, Built) or not isinstance(make, type):
        return isinstance(make, Built)
    build, init = (
        next(one for one in make.__mro__ if name in vars(one)) for name in ("build", "__init__")
    )
    return issubclass(build, init)


def asks(make: Any, options: Options, suited: str) -> bool:  # noqa: ANN401
    """Return whether a mind or memory of this kind asks language models."""
    if isinstance(make, AsksModels):
        return make.asks_models(options, suited)
    return "gateway" in by_name(make, options)


def learns_from_others(make: Any, options: Options) -> bool:  # noqa: ANN401
    """Return whether a mind of this kind decides by what others did."""
    if isinstance(make, UsesGrounds):
        return make.uses_grounds(options)
    return "grounds" in by_name(make, options)


def by_name(make: Any, options: Options) -> dict[str, Callable[[PartContext], Any]]:  # noqa: ANN401
    """Return what a mind or memory without `build` takes by the names of its parameters.

    Deprecated: a class that needs something of the run declares a `build`.
    """
    if builds(make):
        return {}
    asked = inspect.signature(make).parameters
    wanted = {name: offer for name, offer in _OFFERS.items() if name in asked}
    if "evidence" in asked and not options.get("evidence"):
        wanted.pop("grounds", None)
    if not options.get("stars"):
        wanted.pop("ratings", None)
    return wanted


_OFFERS: dict[str, Callable[[PartContext], Any]] = {
    "gateway": lambda context: context.gateway,
    "model": lambda context: context.model,
    "genesis": lambda context: context.genesis,
    "suited": lambda context: context.suited,
    "grounds": lambda context: context.fit_grounds(),
    "ratings": lambda context: context.fit_ratings(),
}
OFFERED = frozenset((*_OFFERS, "run"))
"""Parameters of parts that are not options: the run supplies them."""
