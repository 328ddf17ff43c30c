"""The experiment behind a table of verdicts: which recommenders, before which audience."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from audience.datasets import Loaded, public
from audience.errors import BadInput
from audience.experiments.build import made
from audience.experiments.scenario import Options, Part, Scenario, from_tree, is_address, label
from audience.plugins import find

_EXTRAS = {"recbole": "model", "implicit": "method", "lenskit": "scorer"}
"""Kinds of other packages, and the option that names a method of theirs."""


class Skipped(msgspec.Struct, frozen=True):
    """A recommender that could not be made here, and what to do about it."""

    recommender: str
    why: str


def arms_for(
    kinds: Sequence[str], recbole_python: str = ""
) -> tuple[dict[str, Options], tuple[Skipped, ...]]:
    """Return an arm for each recommender that can be made, and those of packages that lack.

    `recbole:LightGCN` is RecBole's LightGCN; so with `implicit:METHOD` and `lenskit:SCORER`.
    """
    arms: dict[str, Options] = {}
    skipped = []
    for kind in kinds:
        name, part = _part(kind, recbole_python)
        if name in arms:
            raise BadInput(f"--recommender: two are called {name}; name each once")
        if part.kind in _EXTRAS:
            try:
                made("recommenders", part)
            except BadInput as error:
                flag = " (here with --recbole-python)" if part.kind == "recbole" else ""
                skipped.append(Skipped(name, f"{error}{flag}"))
                continue
        arms[name] = {"recommender": {"kind": part.kind, **part.options}}
    if not arms:
        raise BadInput("--recommender: none of them can be made; give kinds such as random,popular")
    return arms, tuple(skipped)


def _part(kind: str, recbole_python: str) -> tuple[str, Part]:
    package, _, method = kind.partition(":")
    if package not in _EXTRAS or is_address(kind):
        return label(kind), Part(kind)
    options: Options = {_EXTRAS[package]: method} if method else {}
    if package == "recbole" and recbole_python:
        options["python"] = recbole_python
    return method or package, Part(package, options)


def scenario_for(
    dataset: str | Mapping[str, Any],
    mind: str,
    arms: Mapping[str, Options],
    *,
    agents: int,
    rounds: int,
    seed: int = 1,
    seeds: int = 5,
    apart: bool = True,
    llm: Options | None = None,
) -> Scenario:
    """Return the experiment: everybody comes in every round to pages of four, at most five of them.

    `llm+evidence` is mind `llm` with `evidence = true`; `apart`: see docs/how-to/verdicts.md.
    """
    source = {"kind": dataset} if isinstance(dataset, str) else dict(dataset)
    kind, _, extra = mind.partition("+")
    tree: Options = {
        "title": "Recommender verdicts",
        "dataset": source | ({"apart": True} if apart else {}),
        "mind": {"kind": kind} | ({extra: True} if extra else {}),
        "agents": agents,
        "rounds": rounds,
        "seed": seed,
        "seeds": seeds,
        "platform": {"page_size": 4, "max_pages": 5},
        "activation": {"method": "random", "share": 1.0, "loyalty": 0.0},
        "arms": dict(arms),
        "llm": llm or {},
    }
    return from_tree(tree, "verdicts")


def can_be_apart(dataset: str | Mapping[str, Any]) -> bool:
    """Say whether the people of a dataset can be halved: it is read from published files."""
    kind = dataset if isinstance(dataset, str) else str(dataset["kind"])
    found = find("datasets", kind)
    return found is public or (isinstance(found, type) and issubclass(found, Loaded))
