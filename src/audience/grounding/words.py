"""Evidence in plain words, for those who read: language models and people."""

from __future__ import annotations

from collections.abc import Sequence

from audience.world.rng import Floats

HIGH, LOW = 0.7, -0.9
"""How many spreads above or below the others of a list something is worth a word."""
SAYINGS = (
    ("next fading 0.85", "people with your history often went on to this", ""),
    ("collaborative", "people who share your past took it up", "few with your past took it up"),
    ("genre kept 10", "much like what you took up lately", "unlike what you took up lately"),
    ("popularity", "very popular", "known to few"),
)
"""What stands out in a list is said: the name of the evidence, words for much and for little."""
MOST = 2


def words_of(names: Sequence[str], evidence: Floats) -> list[str]:
    """Return what the evidence [candidates, names] says of each candidate beside the others.

    Only what stands out is said, the strongest first; most candidates get nothing.
    """
    told: list[list[tuple[float, str]]] = [[] for _ in evidence]
    for name, much, little in SAYINGS:
        values = evidence[:, list(names).index(name)]
        spread = float(values.std())
        if len(values) < 2 or spread < 1e-9:
            continue
        for row, place in enumerate(((values - values.mean()) / spread).tolist()):
            words = much if place >= HIGH else little if place <= LOW else ""
            if words:
                told[row].append((abs(place), words))
    return ["; ".join(words for _, words in sorted(one, reverse=True)[:MOST]) for one in told]
