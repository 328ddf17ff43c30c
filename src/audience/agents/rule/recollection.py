"""What rule minds remember when they read a page, as one number per item.

A thought concerns an item that it names fully, and one of the same kind by half the share of tags
in common, from `RELATED` on. It speaks for or against as the person judges what it names: by having
watched it, else by what others said of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.agents.rule.social import stance_on
from audience.world import Agent, Catalogue, Floats, Ints, Observation

RELATED = 0.5
"""The share of tags in common from which two items are of the same kind."""
_DOUBT = 0.5
"""The weight of having no memory at all; it keeps a single faint thought from deciding."""
Recalled = list[tuple[int, ...]]
"""The thoughts that came to mind, by agent."""


def remembered(seen: Sequence[Observation], slates: Ints) -> tuple[Floats, Recalled]:
    """Return [agents, positions] what memories say of each item, -1 to 1, and what came to mind."""
    said = np.zeros(slates.shape)
    came: Recalled = [()] * len(seen)
    for row, view in enumerate(seen):
        if view.me.thoughts:
            values, came[row] = _of_page(view.me, view.catalogue)
            said[row, : len(values)] = values
    return said, came


def is_remembering(seen: Sequence[Observation]) -> bool:
    """Return True if somebody among these agents has thoughts."""
    return any(view.me.thoughts for view in seen)


def _of_page(me: Agent, catalogue: Catalogue) -> tuple[list[float], tuple[int, ...]]:
    slate = [(item, frozenset(catalogue.tags_of[item])) for item in me.situation.slate]
    total, sums = [0.0] * len(slate), [0.0] * len(slate)
    came: list[int] = []
    opinions = _opinions(me)
    for thought in me.thoughts:
        is_recalled = False
        for about in thought.items:
            opinion, tags = opinions.get(about, 0.0), catalogue.tags_of[about]
            for place, (item, others) in enumerate(slate):
                near = 1.0 if item == about else _kinship(tags, others)
                if near:
                    weight = near * thought.weight / len(thought.items)
                    total[place] += weight
                    sums[place] += weight * opinion
                    is_recalled = True
        if is_recalled:
            came.append(thought.id)
    values = [said / (_DOUBT + weight) for said, weight in zip(sums, total, strict=True)]
    return values, tuple(came)


def _kinship(tags: Sequence[int], others: frozenset[int]) -> float:
    common = len(others.intersection(tags))
    share = common / (len(tags) + len(others) - common) if common else 0.0
    return 0.5 * share if share >= RELATED else 0.0


def _opinions(me: Agent) -> dict[int, float]:
    """Return what an agent thinks of items, -1 to 1: as watched, else as heard on average."""
    told: dict[int, list[float]] = {}
    for heard in me.heard:
        told.setdefault(heard.item, []).append(heard.stance)
    opinions = {item: sum(stances) / len(stances) for item, stances in told.items()}
    for lived in me.history:
        opinions[lived.item] = stance_on(lived)
    return opinions
