"""The gate of docs/how-to/compare-and-report.md over 40 repetitions: false alarms, and power.

A/A: the candidate is the live recommender with other draws. Loss: it shows worse items so often
that satisfaction falls by 5 %; the fall is measured over all repetitions and printed.
`python -m benchmarks.gate 8` makes eight repetitions.
"""

from __future__ import annotations

import sys

import numpy as np

from audience.recommenders import Context
from audience.results import t_interval, wilson
from audience.runs import condition, conduct, failed_in, power_estimates, ruled
from audience.world import Floats, Generator, Interactions, Ints
from benchmarks.measuring import place, row, scenario, tell

REPETITIONS = 40
AGENTS, ROUNDS, SEEDS = 300, 6, 5
CONDITION = "satisfaction < -2%"
LOSS = 0.05
FALSE_ALARMS, POWER = 0.05, 0.8


class Shelf:
    """Pages drawn by popularity: each item with a chance of its picks to the power `sharpness`.

    `draws` names the draws, so that two shelves differ by nothing else; a lower sharpness shows
    worse items.
    """

    def __init__(self, draws: str = "live", sharpness: float = 2.0) -> None:
        self.draws, self.sharpness = draws, sharpness

    def fit(self, interactions: Interactions, rng: Generator) -> ShelfRanker:
        del rng
        picks = np.bincount(interactions.items, minlength=len(interactions.catalogue))
        return ShelfRanker(self.sharpness * np.log1p(picks), self.draws)


class ShelfRanker:
    """Ranks by the logarithm of the chance plus Gumbel noise, which draws without replacement."""

    def __init__(self, scores: Floats, draws: str) -> None:
        self.scores, self.draws = scores, draws

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        noise = context.dice.uniforms(self.draws, len(self.scores))
        scores = self.scores - np.log(-np.log(np.clip(noise, 1e-12, 1.0 - 1e-12)))
        for place_, items in enumerate(context.exclude):
            scores[place_, list(items)] = -np.inf
        return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def main() -> None:
    repetitions = int(sys.argv[1]) if sys.argv[1:] else REPETITIONS
    here = "benchmarks.gate:Shelf"
    candidates = {
        "A/A": {"kind": here, "draws": "candidate"},
        "loss": {"kind": here, "draws": "candidate", "sharpness": 1.18},
    }
    rows = []
    for name, candidate in candidates.items():
        failed, changes = 0, []
        for repetition in range(repetitions):
            arms = {"live": {"recommender": here}, "candidate": {"recommender": candidate}}
            wanted = scenario(
                agents=AGENTS,
                rounds=ROUNDS,
                seeds=SEEDS,
                seed=1 + SEEDS * repetition,
                arms=arms,
            )
            with place() as folder:
                found = conduct(wanted, folder / "gate").findings
            failed += bool(failed_in(ruled([condition(CONDITION)], found)))
            head = next(each for each in found.differences if each.metric == "satisfaction")
            changes.append(head.percent)
            print(f"{name} {repetition}: {head.percent:+.2f} %, {failed} failed", file=sys.stderr)
            if repetition == 0:
                for estimate in power_estimates([condition(CONDITION)], found, LOSS):
                    print(estimate.needs, estimate.noise, file=sys.stderr)
        rows.append(_row(name, failed, np.array(changes)))
    tell(*rows)


def _row(name: str, failed: int, changes: Floats) -> dict[str, object]:
    share, many = failed / len(changes), len(changes)
    low, high = wilson(share, many)
    change = t_interval(changes)
    told = f"{failed} of {many} [{low:.0%}, {high:.0%}], change {change.mean:+.2f} %"
    is_alike = name == "A/A"
    bar = f"at most {FALSE_ALARMS:.0%}" if is_alike else f"at least {POWER:.0%}"
    met = share <= FALSE_ALARMS if is_alike else share >= POWER
    return row(f"gate {CONDITION}, {AGENTS} people, {SEEDS} seeds, {name}: failed", told, bar, met)


if __name__ == "__main__":
    main()
