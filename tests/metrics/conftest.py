from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from audience.metrics import Metrics, builtin, measure
from audience.world import (
    Catalogue,
    Chapter,
    Entry,
    Genesis,
    Item,
    Profile,
    Ties,
    dice,
    events as e,
)

Told = tuple[int, int, Sequence[e.AnyEvent]]
"""Phase, agent and events of a chapter."""


def chapters(*rounds: Sequence[Told]) -> list[Chapter]:
    written = [_chapter(0, e.OPENING, 0, -1, [e.RunStarted(7, "", 0.2)])]
    for number, told in enumerate(rounds, 1):
        written.append(_chapter(number, e.OPENING, 0, -1, [e.RoundStarted(number, number * 60)]))
        written += [_chapter(number, p, rank, who, ev) for rank, (p, who, ev) in enumerate(told)]
        written.append(_chapter(number, e.CLOSING, 0, -1, [e.RoundEnded(number)]))
    return written


def _chapter(round_: int, phase: int, rank: int, who: int, told: Sequence[e.AnyEvent]) -> Chapter:
    return Chapter(round_, phase, rank, who, tuple(Entry(event) for event in told))


def _first_round() -> list[Told]:
    return [
        (
            e.VISITS,
            0,
            [
                e.Woke(0, 61),
                e.Entered(0, "recommender"),
                e.SlateShown(0, (0, 1), 0),
                e.Picked(0, 0, 0),
                e.Watched(0, 0, 0.5),
                e.Rated(0, 0, 4),
                e.SlateShown(0, (2, 3), 1),
                e.Left(0, 0.8),
            ],
        ),
        (
            e.VISITS,
            1,
            [
                e.Woke(1, 62),
                e.SlateShown(1, (0, 2), 0),
                e.Picked(1, 0, 0),
                e.Watched(1, 0, 1.0),
                e.Picked(1, 2, 1),
                e.Watched(1, 2, 0.5),
                e.Rated(1, 2, 2),
                e.Left(1),
            ],
        ),
    ]


def _second_round() -> list[Told]:
    return [
        (e.VISITS, 0, [e.Woke(0, 121), e.SlateShown(0, (0, 2), 0), e.Left(0, 0.4)]),
        (
            e.VISITS,
            2,
            [
                e.Woke(2, 122),
                e.Posted(2, "2-0", "hello"),
                e.Forwarded(2, "2-1", "0-0", 0, "hey"),
                e.Refused(2, "Pick", "nothing is on the page"),
                e.Failed(2, "no answer"),
                e.Left(2),
            ],
        ),
        (e.CONVERSATIONS, 0, [e.Said(0, 2, "hi"), e.Said(2, 0, "hi"), e.Said(0, 2, "bye")]),
        (e.CONVERSATIONS, 1, [e.Said(1, 0, "well")]),
        (e.DELIVERY, -1, [e.Delivered("2-0", 2, (0, 1), "hello"), e.Delivered("x", 0, (1,), "")]),
    ]


@pytest.fixture
def tiny() -> Genesis:
    """Four items, three people."""
    items = (
        Item(0, "A", tags=("drama",), minutes=100.0),
        Item(1, "B", tags=("drama", "comedy"), minutes=60.0),
        Item(2, "C", tags=("comedy",), minutes=90.0),
        Item(3, "D", tags=("war",), minutes=120.0),
    )
    people = (
        Profile(0, interests=("drama",)),
        Profile(1, interests=("drama", "comedy")),
        Profile(2),
    )
    return Genesis(Catalogue(items), people, Ties.of(3, [], [], [], []))


@pytest.fixture
def two_rounds() -> list[Chapter]:
    return chapters(_first_round(), _second_round())


@pytest.fixture
def measured(tiny: Genesis, two_rounds: list[Chapter]) -> Metrics:
    """The built-in metrics after two rounds whose numbers are known by hand."""
    return measure(two_rounds, tiny, Metrics(builtin()))


Tell = Callable[..., list[Chapter]]


@pytest.fixture
def tell() -> Tell:
    """What writes chapters from rounds of (phase, agent, events)."""
    return chapters


@pytest.fixture
def town() -> Genesis:
    """Forty items over five tags, sixty people."""
    tags = ("a", "b", "c", "d", "e")
    items = tuple(
        Item(i, str(i), tags=tuple(tags[(i + k) % 5] for k in range(i % 4)), minutes=7.3 * i)
        for i in range(40)
    )
    people = tuple(Profile(i, interests=(tags[i % 5],)) for i in range(60))
    return Genesis(Catalogue(items, tags), people, Ties.of(60, [], [], [], []))


def _visit(who: int, round_: int) -> list[e.AnyEvent]:
    draws = dice(3, "visit", np.array([who]), round_)
    numbers = draws.uniforms("numbers", 60)[0].tolist()
    told: list[e.AnyEvent] = [e.Woke(who, round_ * 60)]
    for page in range(1 + int(numbers.pop() * 4)):
        first = int(numbers.pop() * 36)
        told.append(e.SlateShown(who, tuple(range(first, first + 4)), page))
        for item in range(first, first + int(numbers.pop() * 3)):
            told.append(e.Picked(who, item, item - first))
            told.append(e.Watched(who, item, numbers.pop()))
            if numbers.pop() < 0.6:
                told.append(e.Rated(who, item, 1 + int(numbers.pop() * 5)))
    if numbers.pop() < 0.3:
        told.append(e.Posted(who, f"{who}-{round_}", "look at <3>"))
    told.append(e.Recalled(who, (0,), round_ * 60))
    told.append(e.Left(who, numbers.pop() if numbers.pop() < 0.8 else None))
    return told


@pytest.fixture
def long_log() -> list[Chapter]:
    """Twelve rounds of drawn visits in the town."""
    rounds: list[list[Told]] = []
    for number in range(1, 13):
        wakes = dice(3, "wake", np.arange(60), number).uniform("wake") < 0.4
        awake = [int(who) for who in np.flatnonzero(wakes)]
        host, guest = awake[:2]
        evening: list[e.AnyEvent] = [
            e.Gathered(host, (host, guest), (1, 2), 60 * number, 2, "average", (0.5, 0.7)),
            e.Watched(host, 2, 0.9),
            e.Rated(host, 2, 3),
            e.Parted(host, 2, (guest,), 0.5),
            e.Watched(guest, 2, 0.9),
            e.Rated(guest, 2, 4),
            e.Parted(guest, 2, (host,), 0.7),
        ]
        visits: list[Told] = [(e.VISITS, who, _visit(who, number)) for who in awake]
        rounds.append([*visits, (e.CONVERSATIONS, host, evening)])
    return chapters(*rounds)
