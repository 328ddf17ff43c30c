"""Lives with planted facts: what is lived, how often, how long ago, and what is only noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from audience.datasets import Films
from audience.errors import BadInput
from audience.results import (
    POSITIVE,
    SHARE,
    Bounds,
    Interval,
    bootstrap,
    mean_interval,
    percentile_interval,
)
from audience.world import Clock, Floats, Generator, Genesis, Ints, events as e, rng

REPEATS = (0, 1, 3, 5)
"""How often a fact is lived again, a day apart."""
FEWEST_ROUNDS = 16
_ASPECTS = (
    "the music", "the ending", "the two sisters", "the photography", "the dialogue", "the villain",
    "the first hour", "the scene on the train", "the humour", "the silence", "the costumes",
    "the old house", "the twist", "the father", "the war scenes", "the dancing",
)  # fmt: skip
_REACTIONS = {
    5: ("moved me to tears", "made me laugh out loud", "stayed with me for days", "gave me courage",
        "took my breath away"),
    1: ("bored me to death", "made me angry", "felt like a lie", "put me to sleep",
        "was an insult"),
}  # fmt: skip
_TELLINGS = ("{what} {how}.", "{what} {how} again.", "Once more {what} {how}.")
_CHATTER = (
    "Nice weather today, is it not?",
    "I was at the market this morning.",
    "My train was late again.",
    "We should have coffee some time.",
    "I have a lot of work this week.",
    "My sister is visiting at the weekend.",
)
_QUERIES = ("something light", "a good comedy", "new this week", "for the whole family")


class Fact(msgspec.Struct, frozen=True):
    """One item of which somebody shall, or shall not, know something in the end."""

    agent: int
    item: int
    important: bool
    rounds: tuple[int, ...]
    """When it was lived: the first time and the repeats."""
    stars: int
    """Of an important one; 0 for what is met in passing."""
    feeling: tuple[str, str] = ("", "")
    """What it was about an important one, and what it did to the person; no two alike."""

    @property
    def repeats(self) -> int:
        return len(self.rounds) - 1


class Design(msgspec.Struct, frozen=True):
    """Who shall live how long, with which facts."""

    genesis: Genesis
    rounds: int
    seed: int
    facts: tuple[Fact, ...]

    def age(self, fact: Fact) -> int:
        """Return how many rounds ago, at the end, a fact was lived last."""
        return self.rounds - fact.rounds[-1]


def ages_of(rounds: int) -> tuple[int, ...]:
    """Return the ages at which facts are planted: yesterday to almost the beginning."""
    return (1, rounds // 6 + 1, (2 * rounds) // 5, rounds - REPEATS[-1] - 1)


def design(people: int, rounds: int, seed: int) -> Design:
    """Return lives in which every age, importance and number of repeats occurs once for each."""
    if people < 2:
        raise BadInput(f"--people {people}: give at least 2, they talk to each other")
    if rounds < FEWEST_ROUNDS:
        raise BadInput(f"--rounds {rounds}: give at least {FEWEST_ROUNDS} for things to grow old")
    genesis = Films().genesis(people, seed, Clock(step="1d"))
    facts = [one for agent in range(people) for one in _facts(genesis, agent, rounds, seed)]
    return Design(genesis, rounds, seed, tuple(facts))


def _facts(genesis: Genesis, agent: int, rounds: int, seed: int) -> Iterator[Fact]:
    draw = rng(seed, "facts", agent)
    cells = [(a, i, r) for a in ages_of(rounds) for i in (True, False) for r in REPEATS]
    items = draw.permutation(len(genesis.catalogue))[: len(cells)].tolist()
    aspects = iter(draw.permutation(_ASPECTS).tolist())
    for item, (age, important, repeats) in zip(items, cells, strict=True):
        last = rounds - age
        lived = tuple(range(last - repeats, last + 1))
        if important:
            stars = int(draw.choice([1, 5]))
            feeling = next(aspects), str(draw.choice(_REACTIONS[stars]))
            yield Fact(agent, item, True, lived, stars, feeling)
        else:
            yield Fact(agent, item, False, lived, 0)


class Day(msgspec.Struct, frozen=True):
    """What one person lives in a round: its visit, its talks, and what reaches it."""

    visit: tuple[e.AnyEvent, ...]
    said: tuple[e.Said, ...]
    heard: tuple[e.Delivered, ...]


def day_of(plan: Design, agent: int, round_: int, facts: Sequence[Fact]) -> Day:
    """Return a person's round: the facts that are due in it, amid everyday noise."""
    draw = rng(plan.seed, "day", agent, round_)
    at = plan.genesis.clock.at(round_, float(draw.uniform(0.3, 0.8)))
    own = {fact.item for fact in facts}
    noise = [item for item in range(len(plan.genesis.catalogue)) if item not in own]
    visit: list[e.AnyEvent] = [e.Woke(agent, at), e.Entered(agent, "recommender")]
    visit += _noise(agent, noise, draw)
    heard: list[e.Delivered] = []
    for fact in facts:
        if round_ in fact.rounds:
            if fact.important:
                visit += _felt(fact, fact.rounds.index(round_))
            elif fact.item % 2:
                visit += _tried(fact)
            else:
                heard.append(_mentioned(plan, fact, round_))
    heard += _posts(plan, agent, round_, noise, draw)
    visit.append(e.Left(agent, round(float(draw.uniform(0.3, 0.9)), 2)))
    return Day(tuple(visit), tuple(_chatter(plan, agent, draw)), tuple(heard))


def _felt(fact: Fact, time: int) -> list[e.AnyEvent]:
    """Return an item lived to the end, rated at the end of the scale and felt about strongly."""
    what, how = fact.feeling
    told = _TELLINGS[time % len(_TELLINGS)].format(what=what, how=how)
    who, item = fact.agent, fact.item
    return [
        e.SlateShown(who, (item,), 0),
        e.Picked(who, item, 0),
        e.Watched(who, item, 1.0),
        e.Rated(who, item, fact.stars),
        e.Felt(who, item, told[0].upper() + told[1:]),
    ]


def _tried(fact: Fact) -> list[e.AnyEvent]:
    """Return an item given up after some minutes, without rating or feeling."""
    who, item = fact.agent, fact.item
    shown = e.SlateShown(who, (item,), 0)
    return [shown, e.Picked(who, item, 0), e.Watched(who, item, 0.05)]


def _mentioned(plan: Design, fact: Fact, round_: int) -> e.Delivered:
    """Return a post that names an item in passing."""
    people = len(plan.genesis.profiles)
    author, title = (fact.agent + 1 + fact.item % (people - 1)) % people, _title(plan, fact.item)
    post = f"{author}-{round_}-{fact.item}"
    text = f"<{title}> is on somewhere tonight."
    return e.Delivered(post, author, (fact.agent,), text, (fact.item,))


def _noise(agent: int, items: Sequence[int], draw: Generator) -> Iterator[e.AnyEvent]:
    """Yield a page that is passed by, now and then a search, and a film that was all right."""
    page = [int(item) for item in draw.choice(items, 6, replace=False)]
    yield e.SlateShown(agent, tuple(page[:5]), 0)
    if draw.random() < 0.3:
        yield e.Searched(agent, str(draw.choice(_QUERIES)), 3)
    if draw.random() < 0.6:
        yield e.SlateShown(agent, (page[5],), 1)
        yield e.Picked(agent, page[5], 0)
        yield e.Watched(agent, page[5], round(float(draw.uniform(0.4, 1.0)), 2))
        yield e.Rated(agent, page[5], 3)


def _chatter(plan: Design, agent: int, draw: Generator) -> Iterator[e.Said]:
    people = len(plan.genesis.profiles)
    if draw.random() < 0.5:
        other = (agent + 1 + int(draw.integers(people - 1))) % people
        yield e.Said(agent, other, str(draw.choice(_CHATTER)))
        yield e.Said(other, agent, str(draw.choice(_CHATTER)))


def _posts(
    plan: Design, agent: int, round_: int, items: Sequence[int], draw: Generator
) -> Iterator[e.Delivered]:
    for number in range(int(draw.integers(3))):
        item = int(draw.choice(items))
        author = (agent + 1 + number) % len(plan.genesis.profiles)
        if author != agent:
            text = f"<{_title(plan, item)}> was all right."
            yield e.Delivered(f"{author}-{round_}-n{number}", author, (agent,), text, (item,))


def _title(plan: Design, item: int) -> str:
    return plan.genesis.catalogue[item].title


OFTEN, RECENT, OLD = 3, 2, 5
"""Repeats that are often, and rounds since a fact was lived last that are recent, or long ago."""


class AskedFact(msgspec.Struct, frozen=True, gc=False):
    """One fact that was asked for."""

    person: tuple[int, int]
    """Seed and id."""
    important: bool
    repeats: int
    age: int
    found: bool
    tokens: int
    thoughts: int
    """Thoughts that the person keeps in all."""

    @property
    def should_last(self) -> bool:
        """Important, and repeated often or recent."""
        return self.important and (self.repeats >= OFTEN or self.age <= RECENT)

    @property
    def should_fade(self) -> bool:
        """Unimportant, never repeated, and long ago."""
        return not self.important and not self.repeats and self.age >= OLD


class RecallCell(msgspec.Struct, frozen=True):
    """How many facts of one age and importance come to mind."""

    age: int
    important: bool
    often: bool
    """Whether it was repeated at least `OFTEN` times; else at most once."""
    recalled: Interval


class MemoryScore(msgspec.Struct, frozen=True):
    """How one kind of memory did."""

    kind: str
    lasting: Interval
    """Recalled, of what should last."""
    fading: Interval
    """Not recalled, of what should fade."""
    balance: Interval
    """The mean of the two; 0.5 for who keeps everything, or nothing."""
    tokens: Interval
    """Of what a cue brings to mind."""
    thoughts: Interval
    """Kept by a person in the end."""
    cells: tuple[RecallCell, ...]


Rows = Sequence[AskedFact]


def scored(kind: str, asked: Rows, seed: int) -> MemoryScore:
    """Return the shares of one kind of memory."""
    lasting = [one for one in asked if one.should_last]
    fading = [one for one in asked if one.should_fade]
    last, fade = (
        _sums(lasting, asked, lambda one: one.found),
        _sums(fading, asked, lambda one: not one.found),
    )
    return MemoryScore(
        kind,
        _share(last, seed),
        _share(fade, seed),
        _balance(last, fade, seed),
        _share(_sums(asked, asked, lambda one: one.tokens), seed, POSITIVE),
        _share(_sums(asked, asked, lambda one: one.thoughts), seed, POSITIVE),
        tuple(_cells(asked, seed)),
    )


def _cells(asked: Rows, seed: int) -> list[RecallCell]:
    found = []
    for important in (True, False):
        for often in (True, False):
            for age in sorted({one.age for one in asked}):
                some = [
                    one
                    for one in asked
                    if (one.important, one.repeats >= OFTEN, one.age) == (important, often, age)
                ]
                share = _share(_sums(some, asked, lambda one: one.found), seed)
                found.append(RecallCell(age, important, often, share))
    return found


Sums = tuple[Floats, Floats]
"""Of each person: the sum of a value, and how many facts it is over."""


def _people(asked: Rows) -> dict[tuple[int, int], int]:
    return {person: place for place, person in enumerate(sorted({one.person for one in asked}))}


def _sums(some: Rows, asked: Rows, value: Callable[[AskedFact], float]) -> Sums:
    places = _people(asked)
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for one in some:
        sums[places[one.person]] += value(one)
        counts[places[one.person]] += 1
    return sums, counts


def _share(part: Sums, seed: int, bounds: Bounds = SHARE) -> Interval:
    return mean_interval(*part, seed=seed, names=("facts",), bounds=bounds)


def _balance(last: Sums, fade: Sums, seed: int) -> Interval:
    parts = [_share(part, seed) for part in (last, fade)]
    count = sum(part.count for part in parts)
    mean = (parts[0].mean + parts[1].mean) / 2

    def halves(people: Ints) -> float:
        sums = [(values[people].sum(), counts[people].sum()) for values, counts in (last, fade)]
        return sum(float(total / max(over, 1.0)) for total, over in sums) / 2

    samples = bootstrap(halves, len(last[0]), seed=seed, names=("facts",))
    found = percentile_interval(mean, samples, count=count, bounds=SHARE)
    if found.low != found.high:
        return found
    low, high = ((parts[0].low + parts[1].low) / 2, (parts[0].high + parts[1].high) / 2)
    return Interval(mean, low, high, count)
