"""The RecSim-style mind: parity with the published environment, and its batched speed."""

from __future__ import annotations

import numpy as np

from audience.agents import RecSimMind
from audience.agents.recsim import LENGTH
from audience.datasets import RecSimTopics
from audience.runs import start
from audience.world import Clock, Observation, SlateShown, Woke, World, dice, fold_agent, observe
from benchmarks.measuring import clock, one_core, place, row, scenario, tell

PARITY = {"click rate": 0.575, "episode length": 70.8, "return": 161.1}


SEEDS = 5


def episodes() -> dict[str, float]:
    """Return visits, pages and picks summed over seeds, each with a catalogue of its own."""
    wanted = scenario(
        agents=1_000,
        rounds=1,
        dataset="recsim",
        mind="recsim",
        recommender="random",
        platform={"page_size": 3, "max_pages": 600, "repeat": True},
        activation={"method": "random", "share": 1.0, "loyalty": 0.0},
        run={"max_turns": 700, "drift": 0.0},
    )
    sums = {"visits": 0.0, "pages": 0.0, "picks": 0.0}
    for seed in range(1, SEEDS + 1):
        with place() as folder:
            totals = start(wanted, seed, folder / "run").measured.totals
        sums = {name: value + totals[name] for name, value in sums.items()}
    return sums


def speed() -> float:
    users = 10_000
    genesis = RecSimTopics().genesis(users, 1, Clock())
    world, mind = World(genesis), RecSimMind()
    slates = dice(1, "slate", np.arange(users)).integers("item", 3) % np.uint64(2000)
    seen: list[Observation] = []
    for who, items in enumerate(slates.tolist()):
        me = fold_agent(world.agents[who], Woke(who, 0), world.laws)
        me = fold_agent(me, SlateShown(who, tuple(items), 0), world.laws)
        seen.append(observe(world, me, 1))
    steps, began = 0, clock()
    while clock() - began < 2.0:
        steps += len(mind.decide_many(seen, dice(1, "decide", np.arange(users), steps)))
    return steps / (clock() - began)


def main() -> None:
    one_core()
    totals = episodes()
    visits = totals["visits"]
    found = {
        "click rate": totals["picks"] / totals["pages"],
        "episode length": totals["pages"] / visits,
        "return": LENGTH * totals["picks"] / visits,
    }
    rows = []
    for name, value in found.items():
        off = value / PARITY[name] - 1.0
        rows.append(
            row(
                f"RecSim-style mind, {visits:,.0f} episodes: {name}",
                f"{value:.4g} ({off:+.1%})",
                f"{PARITY[name]} within 2 %",
                abs(off) <= 0.02,
            )
        )
    rate = speed()
    told = f"{rate:,.0f} user-steps/s"
    kept = ("recsim", rate, "user-steps/s")
    rows.append(row("RecSim-style mind, batched", told, "100,000/s", rate >= 100_000, kept=kept))
    tell(*rows)


if __name__ == "__main__":
    main()
