"""Whether minds and recommenders know the same things: a verdict on one's own evidence is none."""

from __future__ import annotations

from audience.experiments.scenario import Part
from audience.parts import learns_from_others
from audience.plugins import find

CIRCULAR, ALIKE, SHARED, NONE = "circular", "alike", "shared", ""
_LEARN_NOTHING = ("random",)
_NOT_COLLABORATIVE = ("random", "popular", "content", "social")
"""What does not learn from who lived what together with what. Anything unknown may."""

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
        "shared ({names}): learnt from the interactions from which these minds know how good items "
        "are. No collaborative evidence is shared, but popular and well rated items may gain."
    ),
}


def is_collaborative_mind(part: Part) -> bool:
    """Return whether a mind decides by what others did, as its class declares."""
    return learns_from_others(find("minds", part.kind), part.options)


def is_collaborative(part: Part) -> bool:
    """Say whether a recommender learns from what people have in common; unknown ones count so."""
    return part.kind not in _NOT_COLLABORATIVE


def mark(recommender: Part, mind: Part, *, apart: bool) -> str:
    """Return how a recommender's verdict is flagged: circular, alike, shared or not at all."""
    if recommender.kind in _LEARN_NOTHING:
        return NONE
    if is_collaborative_mind(mind) and is_collaborative(recommender):
        return ALIKE if apart else CIRCULAR
    return NONE if apart else SHARED


def sentences(marks: dict[str, str]) -> list[str]:
    """Return what the marks of a table mean, each with those who bear it."""
    found = []
    for kind, words in SENTENCES.items():
        names = [name for name, one in marks.items() if one == kind]
        if names:
            found.append(words.format(names=", ".join(names)))
    return found
