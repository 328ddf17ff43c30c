"""Reliability of predictions: what happened on held-out data, by what was predicted."""

from __future__ import annotations

import numpy as np

from audience.datasets import Split
from audience.grounding import (
    LEAST,
    Bin,
    Lives,
    fit_grounds,
    fit_ratings,
    recalibrate,
    reliability,
)
from audience.world import Catalogue, Ints, keys

KINDS = ("any", "as popular")
LIKED = 4
"""Stars from which on an item was liked."""
_WINDOW = 50


def choices_held(split: Split, seed: int) -> dict[str, tuple[Bin, ...]]:
    """Return the reliability of choices between everybody's next item and another, by its kind.

    Evidence and weights come from the training part; the chances are recalibrated on half of the
    people and checked on the other half.
    """
    train, corpus, lives = split.train, split.corpus, _lives(split)
    grounds = fit_grounds(lives, seed=seed)
    people, first = np.unique(split.test.users, return_index=True)
    taken = split.test.items[first]
    histories = _histories(train.users, train.items, len(corpus.people))
    known = [histories[person] for person in people.tolist()]
    fitted = keys(seed, "calibrate", "choice", people) % np.uint64(2) == 0
    reliabilities = {}
    for kind in KINDS:
        others = _others(split, people, taken, kind, seed)
        pairs = np.stack([taken, others], axis=1)
        scores = np.array(grounds.log_odds(known, pairs.tolist()))
        outcome = np.tile([1.0, 0.0], (len(people), 1))
        slope, shift = recalibrate(scores[fitted].ravel(), outcome[fitted].ravel())
        chances = 1.0 / (1.0 + np.exp(-(slope * scores[~fitted] + shift)))
        bins = reliability(chances.ravel(), outcome[~fitted].ravel())
        reliabilities[f"choice, {kind} beside"] = tuple(bins)
    return reliabilities


def ratings_held(split: Split, seed: int) -> dict[str, tuple[Bin, ...]]:
    """Return the reliability of expected stars, and of the chance of four or more."""
    rated = split.test.rows(split.test.stars > 0)
    if not len(rated) or int((split.train.stars > 0).sum()) < LEAST:
        return {}
    rater = fit_ratings(_lives(split), seed)
    expected = rater.predict(rated.users, rated.items)
    liked = rater.chances(rated.users, rated.items)[:, LIKED - 1 :].sum(axis=1)
    happened = (np.floor(rated.stars + 0.5) >= LIKED).astype(np.float64)
    return {
        "stars": tuple(reliability(expected, rated.stars)),
        "four stars or more": tuple(reliability(liked, happened)),
    }


def _lives(split: Split) -> Lives:
    train, corpus = split.train, split.corpus
    columns = (train.users, train.items, train.at, train.stars)
    return Lives(Catalogue(corpus.items), len(corpus.people), *columns)


def _histories(users: Ints, items: Ints, people: int) -> list[tuple[int, ...]]:
    order = np.argsort(users, kind="stable")
    ends = np.cumsum(np.bincount(users, minlength=people))[:-1]
    return [tuple(history.tolist()) for history in np.split(items[order], ends)]


def _others(split: Split, people: Ints, taken: Ints, kind: str, seed: int) -> Ints:
    """Return an item for each person that they never consumed, in training or later."""
    many = len(split.corpus.items)
    columns = (split.train, split.test)
    lived = np.concatenate([part.users * many + part.items for part in columns])
    counts = np.bincount(split.train.items, minlength=many)
    order = np.argsort(-counts, kind="stable")
    order = order[: max(1, int((counts > 0).sum()))]
    place = np.zeros(many, np.int64)
    place[order] = np.arange(len(order))
    others, missing = np.zeros(len(people), np.int64), np.ones(len(people), np.bool_)
    for attempt in range(200):
        drawn = keys(seed, "calibrate", "beside", kind, people, attempt)
        if kind == "any":
            at = (drawn % np.uint64(len(order))).astype(np.int64)
        else:
            # The window is placed at random, so that the item taken is not always in its middle.
            start = keys(seed, "calibrate", "window", people) % np.uint64(_WINDOW)
            begin = place[taken] - start.astype(np.int64)
            at = begin + (drawn % np.uint64(_WINDOW)).astype(np.int64)
            at = np.clip(at if attempt < 100 else at + attempt, 0, len(order) - 1)
        others[missing] = order[at][missing]
        missing = np.isin(people * many + others, lived)
        if not missing.any():
            break
    return others
