"""Sequences for blind judging: what minds went on to, beside what people really did."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.experiments.evaluation.generation import Walked
from audience.experiments.evaluation.reading import Real

FILE = "sequences.json"
HISTORY = 30
"""The newest items of a history that judges see."""


def exported(real: Real, found: Sequence[Walked], names: Sequence[str]) -> bytes:
    """Return the file that `audience eval people make` and `judge` take: named minds and truth."""
    from audience.experiments.judging.choosing import shown_item
    from audience.experiments.judging.kinds import Shown
    from audience.experiments.judging.pairing import TRUTH, Walk
    from audience.experiments.judging.pairing import Sequences as Exported

    stars = _stars(real)

    def shown(user: int, item: int, *, rated: bool) -> Shown:
        return shown_item(real.catalogue, item, stars.get((user, item), 0.0) if rated else 0.0)

    walks = []
    for one in found:
        for place, (user, history) in enumerate(one.path.histories.items()):
            ways = {
                name: one.ways[name].scores[place].astype(np.int64).tolist()
                for name in names
                if name in one.ways
            }
            ways[TRUTH] = list(one.path.truth[user])
            last = reversed(history[-HISTORY:])
            walks.append(
                Walk(
                    user,
                    one.path.steps,
                    tuple(shown(user, item, rated=True) for item in last),
                    {
                        name: tuple(shown(user, item, rated=False) for item in way)
                        for name, way in ways.items()
                    },
                )
            )
    return msgspec.json.encode(Exported(tuple(walks), real.domain.plural)) + b"\n"


def _stars(real: Real) -> dict[tuple[int, int], float]:
    rated = real.stars > 0
    pairs = zip(real.users[rated].tolist(), real.items[rated].tolist(), strict=True)
    return dict(zip(pairs, real.stars[rated].tolist(), strict=True))
