"""What may be learnt from: the interactions of a training part, and nothing else."""

from __future__ import annotations

import msgspec
import numpy as np

from audience.world.interactions import Interactions
from audience.world.items import Catalogue
from audience.world.rng import Floats, Ints


class Lives(msgspec.Struct, frozen=True, eq=False):
    """Training interactions in the order of time, as columns of one length."""

    catalogue: Catalogue
    people: int
    users: Ints
    items: Ints
    at: Ints
    stars: Floats
    """0.5 to 5; 0 where nothing was given."""

    @classmethod
    def of(cls, interactions: Interactions) -> Lives:
        """Return what a recommender may learn from as lives."""
        order = np.argsort(interactions.at, kind="stable")
        return cls(
            interactions.catalogue,
            interactions.people,
            interactions.agents[order],
            interactions.items[order],
            interactions.at[order],
            interactions.stars[order].astype(np.float64),
        )

    def __len__(self) -> int:
        return len(self.users)
