"""What friends enjoyed."""

from __future__ import annotations

import numpy as np

from audience.recommenders.kinds import Context, Ranker
from audience.recommenders.matrix import Sparse, lived_matrix, packed
from audience.recommenders.scored import Scored, Scores
from audience.recommenders.simple import Popular
from audience.world.graph import SocialGraph
from audience.world.interactions import Interactions
from audience.world.rng import Generator, Ints


class Social:
    """An item's score is how much of it was lived by those a user listens to, the closer the more.

    What they rated below `min_stars` does not count. Ties are those of the moment of ranking:
    whoever follows somebody new sees what that one enjoyed without a new fit.
    """

    def __init__(self, min_stars: int = 4) -> None:
        self.min_stars = min_stars

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        del rng
        lived = lived_matrix(interactions, self.min_stars)
        return Scored(FriendScorer(lived, interactions.ties), Popular().order(interactions))


class FriendScorer:
    """Adds up what the people whom a user listens to lived."""

    def __init__(self, lived: Sparse, ties: SocialGraph | None) -> None:
        self.lived = lived
        self.ties = ties

    def learnt(self) -> bytes:
        return packed(self.lived)

    def score(self, users: Ints, context: Context) -> Scores:
        from scipy.sparse import csr_array

        owners, friends, closeness = [], [], []
        for row, user in enumerate(users.tolist()):
            for tie in self.ties.ties(user) if self.ties is not None and user >= 0 else ():
                if tie.other < self.lived.shape[0] - 1:
                    owners.append(row)
                    friends.append(tie.other)
                    closeness.append(tie.closeness)
        shape = (len(users), self.lived.shape[0])
        cells = (np.array(owners, np.int64), np.array(friends, np.int64))
        heard = csr_array((np.array(closeness, np.float32), cells), shape)
        heard.sort_indices()
        scores: Scores = (heard @ self.lived).toarray()
        return scores
