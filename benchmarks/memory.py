"""Memory: recall in a batch, its footprint, and what fused consolidation asks over many rounds."""

from __future__ import annotations

import asyncio
from contextlib import closing
from statistics import mean, median

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.llm import FILE, CallStore, open_embedder
from audience.log import Log
from audience.memory import tokens
from audience.memory.recall import LINE, Recaller, Want
from audience.memory.similarity import Rates, pairs, rates, similarities, thresholds_of
from audience.runs import start
from audience.testing import tiny_genesis
from audience.world import Agent, Thought, World, rng
from audience.world.events import Recalled
from benchmarks.asking import server
from benchmarks.measuring import clock, one_core, peak_gigabytes, place, row, scenario, tell

NOW = 10**9
LATE = 10
"""The last rounds, which the figures of round 100 are over."""
SEEDS = (1, 2, 3, 4)
"""Runs of people who ask a model; the worst is judged, for each chooses differently."""
WORDS = (
    "I watched loved hated <Heat> <Casino> <Alien> <Fargo> with Ann and Ben because its ending was "
    "sad funny slow brilliant we talked about posted it again crime drama space story music actors"
).split()


def people(count: int, each: int) -> list[Agent]:
    """Return people with long-term thoughts of fourteen words."""
    profile = tiny_genesis(2, 2).profiles[0]
    made = []
    for agent in range(count):
        draw = rng(1, "thoughts", agent)
        words = draw.integers(0, len(WORDS), (each, 14)).tolist()
        weights = draw.uniform(0.1, 0.9, each).tolist()
        moments = draw.integers(NOW - 90 * 86_400, NOW, each).tolist()
        thoughts = tuple(
            Thought(number, " ".join(WORDS[at] for at in words[number]), weight, moment)
            for number, (weight, moment) in enumerate(zip(weights, moments, strict=True))
        )
        made.append(Agent(replace(profile, id=agent), b"", thoughts=thoughts))
    return made


def wants_of(some: list[Agent], turn: int) -> list[Want]:
    made = []
    for me in some:
        words = rng(2, "cue", me.profile.id, turn).integers(0, len(WORDS), 20).tolist()
        made.append(Want(me, " ".join(WORDS[at] for at in words), NOW, 5))
    return made


async def embedded(recaller: Recaller, texts: list[str]) -> None:
    await recaller.embedder.embed(texts)


def recalled() -> dict[str, object]:
    recaller = Recaller(open_embedder(), decay=0.99, budget=600)
    some = people(1_000, 200)
    turns = [wants_of(some, turn) for turn in range(8)]
    seconds, embedding = [], []
    for wants in turns:
        began = clock()
        asyncio.run(embedded(recaller, [want.cue for want in wants]))
        between = clock()
        asyncio.run(recaller.recall_many(wants))
        seconds.append(clock() - between)
        embedding.append(between - began)
    best, usual = 1e3 * min(seconds[1:]), 1e3 * median(seconds[1:])
    told = f"{best:.0f} ms (usual {usual:.0f}; embedding the cues {1e3 * min(embedding[1:]):.0f})"
    return row("recall, 1,000 people x 200 thoughts, top 5", told, "at most 60 ms", best <= 60)


def footprint() -> dict[str, object]:
    recaller = Recaller(open_embedder(), decay=0.99, budget=600)
    some = people(10_000, 100)
    asyncio.run(recaller.recall_many(wants_of(some, 0)))
    gigabytes = peak_gigabytes()
    what = "10,000 people x 100 thoughts with vectors"
    return row(what, f"{gigabytes:.2f} GB in all", "under 2 GB", gigabytes < 2)


class Asked(msgspec.Struct, frozen=True):
    """What one run needed of its model: calls a round, and tokens in the last rounds."""

    calls: float
    longest: int
    late: float


def consolidated() -> list[dict[str, object]]:
    """Return what people who ask a model need of it when they have lived a hundred rounds."""
    with server("0ms") as url:
        runs = [_asked(url, seed) for seed in SEEDS]
    spent, longest = max(one.calls for one in runs), max(one.longest for one in runs)
    usual, worst = mean(one.late for one in runs), max(one.late for one in runs)
    return [
        row("fused consolidation", f"{spent:.2f} calls per agent-round", "at most 1", spent <= 1),
        row("memory part of a prompt", f"{longest} tokens at most", "600", longest <= 600),
        row(
            "all prompts of an agent-round at round 100",
            f"{worst:,.0f} tokens in the worst of {len(SEEDS)} runs, {usual:,.0f} on average",
            "at most 2,200",
            worst <= 2_200,
        ),
    ]


def _asked(url: str, seed: int) -> Asked:
    agents, rounds = 30, 100
    wanted = scenario(
        agents=agents,
        rounds=rounds,
        mind="llm",
        memory="recagent",
        llm={"url": url, "model": "fake", "price": "free"},
        activation={"method": "random", "share": 1.0, "loyalty": 0.0},
    )
    with place() as folder:
        done = start(wanted, seed, folder / "run")
        with Log.open(folder / "run") as log, closing(CallStore(folder / "run" / FILE)) as calls:
            late, longest = _late_tokens(log, calls, rounds) / agents, _longest_part(log, rounds)
    return Asked(done.purposes["memory"].calls / (agents * rounds), longest, late)


def _late_tokens(log: Log, calls: CallStore, last: int) -> float:
    """Return the prompt tokens of a round, over the last ten."""
    keys = {
        key
        for chapter in log.chapters()
        if chapter.round > last - LATE
        for entry in chapter.entries
        for key in entry.calls
    }
    return sum(call.reply.usage.prompt for key in keys for call in calls.of(key)[:1]) / LATE


def _longest_part(log: Log, last: int) -> int:
    """Return the tokens of the longest recalled part in the last rounds."""
    world, longest = World(log.genesis()), 0
    for chapter in log.chapters():
        for entry in chapter.entries:
            event = entry.event
            if isinstance(event, Recalled) and chapter.round > last - LATE:
                named = set(event.thoughts)
                mine = [one for one in world.agents[event.agent].thoughts if one.id in named]
                longest = max(longest, sum(LINE + tokens(one.text) for one in mine))
            world.apply(event)
    return longest


def calibrated() -> dict[str, object]:
    embedder = open_embedder()

    async def measured() -> Rates:
        labels = np.array([pair.label for pair in pairs()])
        return rates(await thresholds_of(embedder), labels, await similarities(embedder))

    found = asyncio.run(measured()).enhanced
    met = found["same"] >= 0.9 and found["other"] <= 0.02
    told = f"{found['same']:.1%} of repetitions, {found['other']:.1%} of unrelated pairs"
    return row("sentences that enhance each other", told, "at least 90 %, at most 2 %", met)


def main() -> None:
    rows = [calibrated(), *consolidated()]
    one_core()
    tell(recalled(), footprint(), *rows)


if __name__ == "__main__":
    main()
