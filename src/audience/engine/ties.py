"""Ties that change by themselves: strangers of other tastes, and homophily.

Both happen at the end of a round, by named draws, as `Followed` and `Unfollowed` with their cause.
"""

from __future__ import annotations

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.world import Floats, Ints, World, dice, events as e, keys, tastes

STRANGER = "stranger"
"""The kind of a temporary tie to a person of another taste."""
KEPT = ("family", STRANGER)
"""Kinds of ties that are not rewired."""


class TieRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How ties change; by default only people themselves change them."""

    grow: float = 0.0
    """Share of the way to full closeness per contact; 0 disables growth."""
    fade: float = 0.0
    """Rounds without contact in which closeness halves; 0 disables fading."""
    random_k: int = 0
    """Number of people of other tastes that each agent also follows, redrawn as `every` says."""
    rewire: float = 0.0
    """Chance that an agent swaps its least similar tie for a more similar friend of friends."""
    every: int = 1
    """Rounds between such changes."""
    sample: int = 24
    """People considered for each change."""

    def __post_init__(self) -> None:
        for name in ("grow", "rewire"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise BadInput(f"ties: {name}: {getattr(self, name)} is not between 0 and 1")
        for name in ("fade", "random_k"):
            if getattr(self, name) < 0:
                raise BadInput(f"ties: {name}: {getattr(self, name)} is negative; 0 means none")
        for name in ("every", "sample"):
            if getattr(self, name) < 1:
                raise BadInput(f"ties: {name}: {getattr(self, name)} is too small; give at least 1")
        if self.random_k > self.sample:
            raise BadInput(
                f"ties: random_k: {self.random_k} cannot be chosen among {self.sample}; "
                "give a larger sample"
            )


def rewired(world: World, rules: TieRules) -> list[e.Entry]:
    """Return the changes of ties at the end of a round."""
    if not (rules.random_k or rules.rewire) or world.round % rules.every:
        return []
    alike = _Alike(world)
    entries = _other_tastes(world, rules, alike) if rules.random_k else []
    return entries + (_homophily(world, rules, alike) if rules.rewire else [])


class _Alike:
    """The cosine similarity of tastes, by products and sums alone."""

    def __init__(self, world: World) -> None:
        taste = tastes([me.taste for me in world.agents])
        length = np.sqrt((taste * taste).sum(axis=1, keepdims=True))
        self._unit: Floats = taste / np.where(length > 0.0, length, 1.0)

    def of(self, people: Ints, others: Ints) -> Floats:
        similar: Floats = np.round((self._unit[people] * self._unit[others]).sum(axis=1), 6)
        return similar


def _other_tastes(world: World, rules: TieRules, alike: _Alike) -> list[e.Entry]:
    people = np.arange(len(world.agents))
    draws = dice(world.seed, "other tastes", people, world.round)
    drawn = draws.integers("people", rules.sample) % np.uint64(len(people))
    candidates = drawn.astype(np.int64)
    similar = np.stack([alike.of(people, candidates[:, j]) for j in range(rules.sample)], axis=1)
    order = np.argsort(similar, axis=1, kind="stable")
    entries: list[e.Entry] = []
    for agent in people.tolist():
        ties = world.graph.ties(agent)
        before = {tie.other for tie in ties if tie.kind == STRANGER}
        near = {agent, *(tie.other for tie in ties)} - before
        found: dict[int, float] = {}
        for column in order[agent].tolist():
            other = int(candidates[agent, column])
            if other not in near and len(found) < rules.random_k:
                found.setdefault(other, float(similar[agent, column]))
        for other in sorted(before - found.keys()):
            entries.append(e.Entry(e.Unfollowed(agent, other), "friends of other tastes change"))
        for other in sorted(found.keys() - before):
            cause = f"a friend of another taste, similarity {found[other]:.2f}"
            entries.append(e.Entry(e.Followed(agent, other, STRANGER), cause))
    return entries


def _homophily(world: World, rules: TieRules, alike: _Alike) -> list[e.Entry]:
    people = np.arange(len(world.agents))
    draws = dice(world.seed, "rewire", people, world.round).uniform("rewire")
    entries: list[e.Entry] = []
    for agent in np.flatnonzero(draws < rules.rewire).tolist():
        worst, how_worst = _extreme(alike, agent, _loose(world, agent), -1.0)
        best, how_best = _extreme(alike, agent, _friends_of_friends(world, rules, agent), 1.0)
        if worst >= 0 and best >= 0 and how_best > how_worst:
            cause = f"rewired to somebody more alike, similarity {how_worst:.2f} to {how_best:.2f}"
            entries.append(e.Entry(e.Unfollowed(agent, worst), cause))
            entries.append(e.Entry(e.Followed(agent, best), cause))
    return entries


def _loose(world: World, agent: int) -> list[int]:
    return sorted(tie.other for tie in world.graph.ties(agent) if tie.kind not in KEPT)


def _friends_of_friends(world: World, rules: TieRules, agent: int) -> list[int]:
    near = world.graph.neighbours(agent)
    second = {other for friend in near for other in world.graph.neighbours(friend)}
    left = np.array(sorted(second - {agent, *near}), np.int64)
    if len(left) > rules.sample:
        hashes = keys(world.seed, "rewire", agent, world.round, left)
        left = np.sort(left[np.argsort(hashes, kind="stable")[: rules.sample]])
    return [int(other) for other in left]


def _extreme(alike: _Alike, agent: int, others: list[int], sign: float) -> tuple[int, float]:
    """Return the most (sign 1) or least (-1) similar of some people, the first by id."""
    if not others:
        return -1, 0.0
    similar = alike.of(np.full(len(others), agent), np.array(others))
    place = int(np.argmax(sign * similar))
    return others[place], float(similar[place])
