"""What people like, drawn from how tags occur in a catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from audience.world.rng import Floats, Ints, rng

MOST = 5
LIKED_TAGS = 400
"""Interests come from this many of the commonest tags at most."""

AGE_LEANING = {
    "Action": -0.6,
    "Animation": -0.9,
    "Biography": 0.6,
    "Children": -0.9,
    "Classic": 0.7,
    "Documentary": 0.5,
    "Essay": 0.5,
    "Fantasy": -0.7,
    "Historical": 0.6,
    "History": 0.8,
    "Horror": -0.8,
    "Literary": 0.4,
    "Noir": 0.7,
    "Science Fiction": -0.5,
    "War": 0.6,
    "Western": 1.0,
}
"""Which tags the older (above 0) or the younger (below 0) like more; others know no age."""

_POPULARITY = 0.7
_AFFINITY = 0.6
_AGE = 0.45
_CELLS = 2_000_000


class Liking:
    """The tags of a catalogue with their popularity and how much one goes with another."""

    def __init__(self, tags_of_items: Iterable[tuple[str, ...]]) -> None:
        rows = [tuple(dict.fromkeys(tags)) for tags in tags_of_items]
        counts = Counter(tag for tags in rows for tag in tags)
        liked = sorted(counts, key=lambda tag: (-counts[tag], tag))[:LIKED_TAGS]
        self.tags = tuple(sorted(liked))
        number = {tag: place for place, tag in enumerate(self.tags)}
        single = np.array([counts[tag] for tag in self.tags], np.float64)
        both = np.zeros((len(self.tags), len(self.tags)))
        for tags in rows:
            known = [number[tag] for tag in tags if tag in number]
            for tag in known:
                both[tag, known] += 1.0
        self.popularity: Floats = single**_POPULARITY
        expected = single[:, None] * single[None, :] / max(1, len(rows))
        self.affinity: Floats = ((both + 1.0) / (expected + 1.0)) ** _AFFINITY
        np.fill_diagonal(self.affinity, 0.0)
        self.leaning: Floats = np.array([AGE_LEANING.get(tag, 0.0) for tag in self.tags])


def draw_interests(
    liking: Liking, ages: Ints, openness: Floats, seed: int
) -> list[tuple[str, ...]]:
    """Return two to five tags per person, the dearest first; fewer when there are fewer tags.

    The first is drawn by popularity and age; each next one is likelier the more often items carry
    it together with those before. Open people like more things.
    """
    draws = rng(seed, "population", "interests").random((len(ages), MOST + 1))
    breadth = draws[:, MOST] + 0.1 * openness
    counts = 2 + (breadth > 0.3).astype(np.int64) + (breadth > 0.7) + (breadth > 0.95)
    counts = np.minimum(counts, len(liking.tags))
    rows = max(1, _CELLS // max(1, len(liking.tags)))
    interests: list[tuple[str, ...]] = []
    for begin in range(0, len(ages), rows):
        part = slice(begin, begin + rows)
        picked = _picked(liking, ages[part], draws[part]).tolist()
        pairs = zip(picked, counts[part].tolist(), strict=True)
        interests.extend(tuple([liking.tags[tag] for tag in row[:count]]) for row, count in pairs)
    return interests


def _picked(liking: Liking, ages: Ints, draws: Floats) -> Ints:
    steps = min(MOST, len(liking.tags))
    picked = np.zeros((len(ages), steps), np.int64)
    older = np.clip((ages - 42) / 18.0, -2.0, 2.0)
    weights = liking.popularity * np.exp(_AGE * older[:, None] * liking.leaning)
    for step in range(steps):
        heaped = np.cumsum(weights, axis=1)
        goal = draws[:, step, None] * heaped[:, -1:]
        picked[:, step] = np.minimum((heaped <= goal).sum(axis=1), len(liking.tags) - 1)
        # An affinity of 0 with itself keeps a tag from being drawn twice.
        weights *= liking.affinity[picked[:, step]]
    return picked
