"""Planted facts: lives with known facts amid noise, and how well they are recalled."""

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
"""How often a fact is repeated, a day apart."""
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
    """One item that a person should, or should not, still know about at the end."""

    agent: int
    item: int
    important: bool
    rounds: tuple[int, ...]
    """When it was lived: the first time and the repeats."""
    stars: int
    """Of an important fact; 0 for what is met in passing."""
    feeling: tuple[str, str] = ("", "")
    """What moved the person about an important item, and how; no two alike."""

    @property
    def repeats(self) -> int:
        return len(self.rounds) - 1


class Design(msgspec.Struct, frozen=True):
    """Whose lives, how long, with which facts."""

    genesis: Genesis
    rounds: int
    seed: int
    facts: tuple[Fact, ...]

    def age(self, fact: Fact) -> int:
        """Return how many rounds before the end a fact was last lived."""
        return self.rounds - fact.rounds[-1]


def ages_of(rounds: int) -> tuple[int, ...]:
    """Return the ages at which facts are planted: from yesterday to almost the beginning."""
    return (1, rounds // 6 + 1, (2 * rounds) // 5, rounds - REPEATS[-1] - 1)


def design(people: int, rounds: int, seed: int) -> Design:
    """Return lives with every combination of age, importance and repeats once per person."""
    if people < 2:
        raise BadInput(f"--people {people}: give at least 2, who talk to each other")
    if rounds < FEWEST_ROUNDS:
        raise BadInput(f"--rounds {rounds}: give at least {FEWEST_ROUNDS}, so that facts can age")
    genesis = Films().genesis(people, seed, Clock(step="1d"))
    facts = [fact for agent in range(people) for fact in _facts(genesis, agent, rounds, seed)]
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
    """What one person lives in a round: their visit, their talks, and what reaches them."""

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
    """Return an item watched to the end, rated at an end of the scale and strongly felt about."""
    what, how = fact.feeling
    words = _TELLINGS[time % len(_TELLINGS)].format(what=what, how=how)
    who, item = fact.agent, fact.item
    return [
        e.SlateShown(who, (item,), 0),
        e.Picked(who, item, 0),
        e.Watched(who, item, 1.0),
        e.Rated(who, item, fact.stars),
        e.Felt(who, item, words[0].upper() + words[1:]),
    ]


def _tried(fact: Fact) -> list[e.AnyEvent]:
    """Return an item abandoned after some minutes, without rating or feeling."""
    who, item = fact.agent, fact.item
    shown = e.SlateShown(who, (item,), 0)
    return [shown, e.Picked(who, item, 0), e.Watched(who, item, 0.05)]


def _mentioned(plan: Design, fact: Fact, round_: int) -> e.Delivered:
    """Return a post that mentions an item in passing."""
    people = len(plan.genesis.profiles)
    author, title = (fact.agent + 1 + fact.item % (people - 1)) % people, _title(plan, fact.item)
    post = f"{author}-{round_}-{fact.item}"
    text = f"<{title}> is on somewhere tonight."
    return e.Delivered(post, author, (fact.agent,), text, (fact.item,))


def _noise(agent: int, items: Sequence[int], draw: Generator) -> Iterator[e.AnyEvent]:
    """Yield a page that is passed over, sometimes a search, and a film that was all right."""
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
"""Repeats that count as often, and rounds since a fact was last lived: recent, and old."""


class AskedFact(msgspec.Struct, frozen=True, gc=False):
    """One fact that was asked for."""

    person: tuple[int, int]
    """Seed and id."""
    important: bool
    repeats: int
    age: int
    recalled: bool
    tokens: int
    thoughts: int
    """Thoughts that the person keeps in all."""

    @property
    def should_last(self) -> bool:
        """Important, and repeated often or recent."""
        return self.important and (self.repeats >= OFTEN or self.age <= RECENT)

    @property
    def should_fade(self) -> bool:
        """Unimportant, never repeated, and old."""
        return not self.important and not self.repeats and self.age >= OLD


class RecallCell(msgspec.Struct, frozen=True):
    """How many facts of one age and importance are recalled."""

    age: int
    important: bool
    often: bool
    """Whether it was repeated at least `OFTEN` times; else at most once."""
    recalled: Interval


class MemoryScore(msgspec.Struct, frozen=True):
    """How one kind of memory did."""

    kind: str
    lasting: Interval
    """Share recalled of what should last."""
    fading: Interval
    """Share not recalled of what should fade."""
    balance: Interval
    """The mean of the two; 0.5 for keeping everything, or nothing."""
    tokens: Interval
    """Of what a cue recalls."""
    thoughts: Interval
    """Kept by a person at the end."""
    cells: tuple[RecallCell, ...]


Rows = Sequence[AskedFact]


def scored(kind: str, asked: Rows, seed: int) -> MemoryScore:
    """Return the score of one kind of memory."""
    lasting = [fact for fact in asked if fact.should_last]
    fading = [fact for fact in asked if fact.should_fade]
    last, fade = (
        _sums(lasting, asked, lambda fact: fact.recalled),
        _sums(fading, asked, lambda fact: not fact.recalled),
    )
    return MemoryScore(
        kind,
        _share(last, seed),
        _share(fade, seed),
        _balance(last, fade, seed),
        _share(_sums(asked, asked, lambda fact: fact.tokens), seed, POSITIVE),
        _share(_sums(asked, asked, lambda fact: fact.thoughts), seed, POSITIVE),
        tuple(_cells(asked, seed)),
    )


def _cells(asked: Rows, seed: int) -> list[RecallCell]:
    cells = []
    for important in (True, False):
        for often in (True, False):
            for age in sorted({fact.age for fact in asked}):
                some = [
                    fact
                    for fact in asked
                    if (fact.important, fact.repeats >= OFTEN, fact.age) == (important, often, age)
                ]
                share = _share(_sums(some, asked, lambda fact: fact.recalled), seed)
                cells.append(RecallCell(age, important, often, share))
    return cells


Sums = tuple[Floats, Floats]
"""Per person: the sum of a value, and how many facts it is over."""


def _people(asked: Rows) -> dict[tuple[int, int], int]:
    return {person: place for place, person in enumerate(sorted({fact.person for fact in asked}))}


def _sums(some: Rows, asked: Rows, value: Callable[[AskedFact], float]) -> Sums:
    places = _people(asked)
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for fact in some:
        sums[places[fact.person]] += value(fact)
        counts[places[fact.person]] += 1
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
    interval = percentile_interval(mean, samples, count=count, bounds=SHARE)
    if interval.low != interval.high:
        return interval
    low, high = ((parts[0].low + parts[1].low) / 2, (parts[0].high + parts[1].high) / 2)
    return Interval(mean, low, high, count)
