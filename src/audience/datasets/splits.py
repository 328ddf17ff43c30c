"""Splits of interactions into a training and a test part, so that nothing of the test leaks."""

from __future__ import annotations

import msgspec
import numpy as np

from audience.datasets.corpus import Columns, Corpus
from audience.datasets.training import Training
from audience.errors import BadInput
from audience.world.rng import Bools, Ints


class Split(msgspec.Struct, frozen=True, eq=False):
    """Both parts of a corpus."""

    corpus: Corpus
    """With the training interactions only."""
    test: Columns
    repeats: int = 0
    """Test interactions left out, since the person lived the item in the training part already."""

    @property
    def train(self) -> Columns:
        return self.corpus.lived

    @property
    def training(self) -> Training:
        """What may be learnt: everything in it comes from the training part."""
        return Training(self.corpus)


def leave_last(corpus: Corpus, count: int = 1) -> Split:
    """Hold out the last `count` interactions of each person who has more than that."""
    if count < 1:
        raise BadInput(f"leave the last {count}: hold out at least one interaction")
    place, sizes = _places(corpus.lived.users, len(corpus.people))
    many = sizes[corpus.lived.users]
    return _split(corpus, (place >= many - count) & (many > count))


def by_ratio(corpus: Corpus, share: float = 0.2) -> Split:
    """Hold out the latest `share` of each person's interactions, rounded down."""
    if not 0.0 < share < 1.0:
        raise BadInput(f"a test share of {share} is not between 0 and 1")
    place, sizes = _places(corpus.lived.users, len(corpus.people))
    many = sizes[corpus.lived.users]
    return _split(corpus, place >= many - np.floor(many * share + 1e-9))


def by_time(corpus: Corpus, moment: int) -> Split:
    """Hold out everybody's interactions from a moment on (seconds since 1970)."""
    if not corpus.dated:
        raise BadInput(
            f"{corpus.name} has no moments of its own, so it cannot be split in time; "
            "leave out the last interactions of each person, or a share of them"
        )
    held = corpus.lived.at >= moment
    if not len(held):
        raise BadInput(f"{corpus.name} has no interactions; there is nothing to split")
    if held.all() or not held.any():
        first, last = int(corpus.lived.at.min()), int(corpus.lived.at.max())
        raise BadInput(f"moment {moment} splits nothing off; take one from {first + 1} to {last}")
    return _split(corpus, held)


def _places(users: Ints, people: int) -> tuple[Ints, Ints]:
    """Return how many interactions of the same person come before each, and how many it has."""
    order = np.argsort(users, kind="stable")
    sizes = np.bincount(users, minlength=people)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(users), np.int64)
    place[order] = np.arange(len(users)) - starts[users[order]]
    return place, sizes


def _split(corpus: Corpus, held: Bools) -> Split:
    lived = corpus.lived
    train, test = lived.rows(~held), lived.rows(held)
    many = len(corpus.items)
    again = np.isin(test.users * many + test.items, train.users * many + train.items)
    return Split(corpus.having(train), test.rows(~again), int(again.sum()))
