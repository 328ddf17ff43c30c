"""Groups that watch an item together: who gathers, what they choose among, and by which rule.

A share of the agents that came this round invites people along ties such as family and friends.
They choose among what the recommender ranks for each of them, taken in turn. Each says what it
expects of each item; a rule makes one choice of it:

average        the item with the highest mean
least-misery   the item whose lowest mark is the highest
most-pleasure  the item with the highest single mark
dictator       the host chooses

All watch the item to the same point, each with its own stars and satisfaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.agents import Mark, Scene, Script
from audience.engine.conversations import Talk, Talked
from audience.engine.platform import Noted, Platform
from audience.errors import BadInput, unknown
from audience.world import Agent, Situation, World, dice, events as e, in_company, key, rank

Row = tuple[Mark, ...]
RULES: dict[str, Callable[[Sequence[float]], tuple[float, ...]]] = {
    "average": lambda marks: (sum(marks) / len(marks), min(marks)),
    "least-misery": lambda marks: (min(marks), sum(marks) / len(marks)),
    "most-pleasure": lambda marks: (max(marks), sum(marks) / len(marks)),
    "dictator": lambda marks: (marks[0], sum(marks) / len(marks)),
}
"""The value of an item by its marks, the host's first, and then what breaks a tie."""


class Groups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of groups; by default there are none."""

    share: float = 0.0
    """Chance that an agent that came this round invites others."""
    size: int = 3
    """The most people of a group; the actual number, from two on, is drawn."""
    rule: str = "average"
    kinds: tuple[str, ...] = ("family", "friend")
    """The kinds of ties along which people are invited."""
    items: int = 8
    """How many items a group chooses among."""

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise BadInput(f"groups: {unknown('rule', self.rule, RULES)}")
        if not 0.0 <= self.share <= 1.0:
            raise BadInput(f"groups: share: {self.share} is not between 0 and 1")
        if self.size < 2:
            raise BadInput(f"groups: size: {self.size} is too small; give at least 2")
        if self.items < 1:
            raise BadInput(f"groups: items: {self.items} is too small; give at least 1")
        if not self.kinds:
            raise BadInput('groups: kinds is empty; give some, as in ["family", "friend"]')


def companies(
    world: World, groups: Groups, busy: Iterable[int] = ()
) -> list[tuple[int, tuple[int, ...]]]:
    """Return the groups of this round with their ranks: greedy by hash, one group per person."""
    if not groups.share:
        return []
    taken = {*busy, *world.silent}
    people = np.flatnonzero(world.last_visit == world.round)
    draws = dice(world.seed, "together", people, world.round)
    hosts = people[draws.uniform("invites") < groups.share].tolist()
    sizes = dict(zip(people.tolist(), draws.uniform("size").tolist(), strict=True))
    chosen = []
    for place, host in sorted(
        (rank(world.seed, "together", host, world.round), host) for host in hosts
    ):
        if host in taken:
            continue
        wanted = 1 + int(sizes[host] * (groups.size - 1))
        guests = _invited(world, host, groups.kinds, taken)[:wanted]
        if guests:
            taken |= {host, *guests}
            chosen.append((place, (host, *guests)))
    return chosen


def _invited(world: World, host: int, kinds: Sequence[str], taken: set[int]) -> list[int]:
    """Return whom a host would invite, in an order drawn by closeness."""
    ranked = []
    for tie in world.graph.ties(host):
        if tie.kind in kinds and tie.other not in taken and tie.other != host:
            draw = (key(world.seed, "invite", host, tie.other, world.round) >> 11) * 2.0**-53
            ranked.append((-(draw ** (1.0 / max(tie.closeness, 0.01))), tie.other))
    return [other for _, other in sorted(ranked)]


def gathering(world: World, platform: Platform, members: tuple[int, ...], groups: Groups) -> Talk:
    """Let a group choose an item and watch it together."""
    at = world.genesis.clock.at(world.round, 1.0)
    host = members[0]
    people = [world.agents[member] for member in members]
    ranked: list[tuple[int, ...]] = []
    for me in people:
        served = yield platform.want(replace(me, situation=Situation(at)))
        if isinstance(served, e.Failed):
            return Talked((e.Entry(served),), 0)
        ranked.append(served.items if isinstance(served, Noted) else served)  # type: ignore[arg-type]
    items = _candidates(people, ranked, groups.items, repeat=platform.repeat)
    if not items:
        why = "there is nothing that nobody of them knows already"
        return Talked((e.Entry(e.Refused(host, "Gather", why)),), 0)
    seen = tuple(
        in_company(world, me, items, [other for other in members if other != me.profile.id], at)
        for me in people
    )
    script = yield Scene("together", seen)
    if isinstance(script, e.Failed):
        return Talked((e.Entry(script),), 1)
    assert isinstance(script, Script)
    entries = recalled(members, script, at)
    if why := script.failure or _unusable(script.marks, len(members), len(items)):
        entries.append(e.Entry(e.Failed(host, why), "", script.calls))
        return Talked(tuple(entries), 1)
    entries += _evening(members, items, script, groups.rule, at)
    return Talked(tuple(entries), 1)


def recalled(members: Sequence[int], script: Script, at: int) -> list[e.Entry]:
    """Return the events of the thoughts that a scene brought to mind."""
    return [
        e.Entry(e.Recalled(member, thoughts, at))
        for member, thoughts in zip(members, script.recalled, strict=False)
        if thoughts
    ]


def _candidates(
    people: Sequence[Agent], ranked: Sequence[tuple[int, ...]], most: int, *, repeat: bool
) -> tuple[int, ...]:
    """Return the best items of each in turn, without what a member knows unless repeatable."""
    lived = set() if repeat else {entry.item for me in people for entry in me.history}
    mixed = (item for row in zip_longest(*ranked, fillvalue=-1) for item in row)
    found = dict.fromkeys(item for item in mixed if item >= 0 and item not in lived)
    return tuple(found)[:most]


def _unusable(marks: Sequence[Row], people: int, items: int) -> str:
    """Return what is wrong with the marks of a mind, or empty."""
    if len(marks) != people or any(len(row) != items for row in marks):
        return f"together: there are not {items} marks for each of {people} people"
    for mark in (mark for row in marks for mark in row):
        if not 0.0 <= mark.score <= 1.0 or mark.stars not in (1, 2, 3, 4, 5):
            return f"together: {mark.score} and {mark.stars} stars are no mark"
    return ""


def _evening(
    members: tuple[int, ...], items: tuple[int, ...], script: Script, rule: str, at: int
) -> list[e.Entry]:
    """Return the entries of the evening: one item, watched by all to the same point."""
    good = RULES[rule]
    columns = [[row[place].score for row in script.marks] for place in range(len(items))]
    best = max(range(len(items)), key=lambda place: (*good(columns[place]), -place))
    item, scores = items[best], tuple(columns[best])
    happened = e.Gathered(members[0], members, items, at, item, rule, scores)
    entries = [e.Entry(happened, script.reason, script.calls)]
    fraction = round(min(1.0, 0.4 + 0.8 * sum(scores) / len(scores)), 3)
    for member, row in zip(members, script.marks, strict=True):
        others = tuple(other for other in members if other != member)
        entries += [
            e.Entry(e.Watched(member, item, fraction)),
            e.Entry(e.Rated(member, item, row[best].stars)),
            e.Entry(e.Parted(member, item, others, round(row[best].score, 4))),
        ]
    return entries
