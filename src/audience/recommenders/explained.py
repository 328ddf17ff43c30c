"""Another recommender's pages, with a reason for what resembles what the reader lived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.recommenders.kinds import Context, Ranked, Ranker, learnt_by
from audience.recommenders.mix import Part, part_of
from audience.world.interactions import Interactions
from audience.world.items import Catalogue
from audience.world.rng import Generator, Ints


class Explained:
    """Ranks as `of` does, and says why.

    An item whose tag is among the `most` that its reader lived most often comes with the reason
    "Because you like TAG"; the others come without one.
    """

    def __init__(self, of: Part = "ease", most: int = 2) -> None:
        self.of = part_of(of)
        self.most = most

    def fit(self, interactions: Interactions, rng: Generator) -> Explaining:
        ranker = self.of.fit(interactions, rng)
        lived: dict[int, list[int]] = {}
        columns = (interactions.agents.tolist(), interactions.items.tolist())
        for agent, item in zip(*columns, strict=True):
            lived.setdefault(agent, []).append(item)
        return Explaining(ranker, interactions.catalogue, lived, self.most)


class Explaining:
    """A ranker that says why."""

    def __init__(
        self, ranker: Ranker, catalogue: Catalogue, lived: dict[int, list[int]], most: int
    ) -> None:
        self.ranker = ranker
        self.catalogue = catalogue
        self.lived = lived
        self.most = most

    def learnt(self) -> bytes:
        return learnt_by(self.ranker)

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        ranked = self.ranker.rank(users, k, context)
        items = np.asarray(ranked)
        reasons = []
        for row, user in enumerate(users.tolist()):
            lived = context.lived[row] if context.lived is not None else self.lived.get(user, [])
            reasons.append(self._reasons(items[row].tolist(), lived))
        if isinstance(ranked, Ranked):
            return msgspec.structs.replace(ranked, reasons=reasons)
        return Ranked(items, reasons=reasons)

    def _reasons(self, items: Sequence[int], lived: Sequence[int]) -> list[str]:
        tags_of, tags = self.catalogue.tags_of, self.catalogue.tags
        counts = Counter(tag for item in lived for tag in tags_of[item])
        liked = sorted(counts, key=lambda tag: (-counts[tag], tag))[: self.most]
        found = []
        for item in items:
            shared = [tag for tag in liked if item >= 0 and tag in tags_of[item]]
            found.append(f"Because you like {tags[shared[0]]}" if shared else "")
        return found
