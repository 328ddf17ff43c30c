"""One part of every kind: a recommender, a mind, a memory, a dataset, a metric and a study."""

import numpy as np

from audience.agents import Decision
from audience.datasets import population, small_world
from audience.lab.studies import Chart, Study
from audience.memory import Recollection
from audience.world import Catalogue, Domain, Entry, Genesis, Item, Searched, actions, events


class TagLover:
    """A recommender: items that share tags with what each user enjoyed; `explore` adds chance."""

    def __init__(self, explore=0.0):
        self.explore = explore

    def fit(self, interactions, rng):
        weights = interactions.catalogue.weights
        taste = np.zeros((interactions.people + 1, weights.shape[1]))  # the last row: unknown users
        enjoyed = weights[interactions.items] * interactions.fractions[:, None]
        np.add.at(taste, interactions.agents, enjoyed)
        return TagRanker(taste, weights, self.explore)


class TagRanker:
    def __init__(self, taste, weights, explore):
        self.taste, self.weights, self.explore = taste, weights, explore

    def rank(self, users, k, context):
        known = np.minimum(users, len(self.taste) - 1)
        scores = np.einsum("ut,it->ui", self.taste[known], self.weights)
        scores += self.explore * context.dice.uniforms("explore", len(self.weights))
        scores = np.round(scores, 6)
        for row, excluded in enumerate(context.exclude):
            scores[row, list(excluded)] = -np.inf
        slates = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return np.where(np.isinf(np.take_along_axis(scores, slates, 1)), -1, slates)


class FirstItem:
    """A mind: takes the first item of the first page, then leaves."""

    async def decide(self, seen, memory, dice):
        if seen.surface == "home":
            return Decision((actions.Enter("recommender"), actions.Browse()), "came to look")
        if seen.surface == "recommender" and seen.me.situation.slate:
            item = seen.me.situation.slate[0]
            return Decision((actions.Pick(item, 1.0), actions.Rate(item, 4), actions.Leave(0.7)))
        return Decision((actions.Leave(),))


class LastRounds:
    """A memory: one sentence for each of the last `keep` rounds."""

    def __init__(self, keep=3):
        self.keep = keep

    async def recall(self, me, cue, now, limit):
        return Recollection(me.thoughts[-limit:], max(0, len(me.thoughts) - limit))

    async def consolidate(self, life, dice):
        me, who = life.me, life.me.profile.id
        text = f"I did {len(life.lived)} things."
        entries = [Entry(events.Remembered(who, me.thoughts_had, text, 0.5, life.now))]
        crowded = me.thoughts[: max(0, len(me.thoughts) + 1 - self.keep)]
        return [*entries, *(Entry(events.Forgot(who, old.id, "crowded")) for old in crowded)]


class Walks:
    """A dataset: sixty walks, and people drawn from the seed."""

    KINDS = ("coast", "forest", "hills", "town")

    def genesis(self, people, seed, clock):
        items = tuple(
            Item(number, f"Walk {number}", tags=(self.KINDS[number % 4],), minutes=90.0)
            for number in range(60)
        )
        profiles = population(people, [item.tags for item in items], seed)
        ties = small_world(profiles, seed)
        return Genesis(Catalogue(items), profiles, ties, clock, Domain("walk", "walks", "walked"))


class Searches:
    """A metric. searches: number of Searched."""

    watches = (Searched,)

    def __init__(self):
        self.total = 0

    def update(self, record, world):
        self.total += 1

    def value(self):
        return {"searches": float(self.total)}


def finding(findings):
    """Return the answer in one sentence."""
    picks = {arm.name: np.mean(arm.values("picks")) for arm in findings.arms}
    best = max(picks, key=picks.get)
    return f"People pick most with {best}: {picks[best]:.0f} items."


STUDY = Study(
    name="tags-or-popular",
    labels={"picks": ("Picks", "", "higher")},
    charts=(Chart("picks", "bars", ("picks",)),),
    finding=finding,
    recipe="""
title = "Tags or popularity"
agents = 200
rounds = 5
seeds = 3
dataset = "walks"

[study]
kind = "tags-or-popular"
question = "Do people pick more from a page that follows their tags?"
method = ["The same people meet both recommenders."]

[arms.popular]
recommender = "popular"

[arms.tags]
recommender = { kind = "tags", explore = 0.1 }
""",
)
