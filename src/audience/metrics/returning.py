"""Whether people come back."""

from __future__ import annotations

import numpy as np

from audience.metrics.formulas import NAN, ratio, ratios, resized
from audience.world.events import Record, RoundEnded, Woke
from audience.world.rng import Bools, Floats
from audience.world.world import View

NOBODY: Bools = np.zeros(0, np.bool_)


class Returning:
    """Compares who was seen in each round with who was seen in others. Unended rounds do not count.

    S_r is the set of people seen in round r, and c the first round that saw anybody.
    return_rate  sum over r of |S_r and S_(r+1)| / sum over r of |S_r|, r before the last round;
                 of a round alone: |S_(r-1) and S_r| / |S_(r-1)|
    retention    |S_c and S_r| / |S_c|, r the newest round; by round this is the retention curve
    """

    watches = (Woke, RoundEnded)

    def __init__(self) -> None:
        self._seen: list[int] = []
        self._first = self._last = NOBODY
        self._chances: Floats = np.zeros(0)
        self._returns: Floats = np.zeros(0)
        self._newest = (NAN, NAN)

    def update(self, record: Record, world: View) -> None:
        event = record.event
        if isinstance(event, Woke):
            self._seen.append(event.agent)
        else:
            agents = np.array(self._seen, np.int64)
            self._turn(np.bincount(agents, minlength=len(world.agents)) > 0)
            self._seen.clear()

    def _turn(self, seen: Bools) -> None:
        first, last = (self._first if self._first.any() else seen), self._last
        back = seen[: len(last)] & last
        self._chances = resized(self._chances, len(seen))
        self._returns = resized(self._returns, len(seen))
        self._chances[: len(last)] += last
        self._returns[: len(last)] += back
        self._newest = (_share(seen, last), _share(seen, first))
        self._first, self._last = first, seen

    def value(self) -> dict[str, float]:
        rate = ratio(float(self._returns.sum()), float(self._chances.sum()))
        return {"return_rate": rate, "retention": self._newest[1]}

    def close(self) -> dict[str, float]:
        return {"return_rate": self._newest[0], "retention": self._newest[1]}

    def per_agent(self) -> dict[str, Floats]:
        return {"return_rate": ratios(self._returns, self._chances)}


def _share(seen: Bools, among: Bools) -> float:
    return ratio(int((seen[: len(among)] & among).sum()), int(among.sum()))
