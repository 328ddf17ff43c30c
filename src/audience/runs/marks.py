"""Marks of arms whose minds and recommender share evidence: circular, alike, shared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audience.datasets import Loaded
from audience.datasets.loaders import Folder, public
from audience.errors import BadInput
from audience.parts import learns_from_others
from audience.plugins import find
from audience.results import ALIKE, CIRCULAR, SHARED
from audience.scenario import Part, Scenario

NONE = ""
_LEARN_NOTHING = ("random",)
_NOT_COLLABORATIVE = ("random", "popular", "content", "social")
"""Kinds that do not learn from what people have in common. Unknown ones may."""

SENTENCES = {
    CIRCULAR: (
        "circular ({names}): a collaborative recommender judged by collaborative minds that know "
        "the same interactions. The audience rewards its own evidence: this is no verdict."
    ),
    ALIKE: (
        "alike ({names}): a collaborative recommender judged by collaborative minds. They know the "
        "interactions of different people, but reason alike, which may favour it."
    ),
    SHARED: (
        "shared ({names}): learnt from the same interactions from which these minds know how good "
        "items are. No collaborative evidence is shared, but popular and well-rated items may gain."
    ),
}


def is_collaborative_mind(part: Part) -> bool:
    """Return True if a mind decides by what others did, as its class declares."""
    return learns_from_others(find("minds", part.kind), part.options)


def is_collaborative(part: Part) -> bool:
    """Return True if a recommender learns from what people have in common, or may."""
    return part.kind.lower() not in _NOT_COLLABORATIVE


def mark(recommender: Part, mind: Part, *, apart: bool) -> str:
    """Return how a recommender's verdict is flagged: circular, alike, shared or not at all."""
    if recommender.kind.lower() in _LEARN_NOTHING:
        return NONE
    if is_collaborative_mind(mind) and is_collaborative(recommender):
        return ALIKE if apart else CIRCULAR
    return NONE if apart else SHARED


def sentences(marks: dict[str, str]) -> list[str]:
    """Return what the marks of a table mean, each with the recommenders that have it."""
    lines = []
    for kind, words in SENTENCES.items():
        names = [name for name, own in marks.items() if own == kind]
        if names:
            lines.append(words.format(names=", ".join(names)))
    return lines


def marks_of(variants: Mapping[str, Scenario]) -> dict[str, str]:
    """Return the marks of arms that have one, by their names.

    Where interactions do not say how good items are, as with drawn people, nothing is shared.
    """
    marks = {}
    for name, scenario in variants.items():
        apart = bool(scenario.dataset.options.get("apart"))
        try:
            own = mark(scenario.recommender, scenario.mind, apart=apart)
            drawn = own == SHARED and not _is_published(scenario.dataset.kind)
        except BadInput:  # a part that is not here cannot be asked; its log is still read
            continue
        if own and not drawn:
            marks[name] = own
    return marks


def as_tree(part: Part) -> dict[str, Any]:
    """Return a part as a scenario writes it."""
    return {"kind": part.kind, **part.options}


def can_be_apart(dataset: str | Mapping[str, Any]) -> bool:
    """Return True if the people of a dataset can be halved.

    It is read from published files, or is your own folder with people and their interactions.
    """
    tree = {"kind": dataset} if isinstance(dataset, str) else dataset
    if find("datasets", str(tree["kind"])) is Folder:
        path = Path(str(tree.get("path", "")))
        return (path / "people.csv").is_file() and (path / "interactions.csv").is_file()
    return _is_published(str(tree["kind"]))


def _is_published(kind: str) -> bool:
    """Return True if how good items are is learnt from the interactions of a dataset."""
    dataset = find("datasets", kind)
    return dataset is public or (isinstance(dataset, type) and issubclass(dataset, Loaded))
