"""Logs written by hand, and what a measure makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from audience.metrics import Metric, Metrics, measure
from audience.world import (
    Catalogue,
    Chapter,
    Entry,
    Genesis,
    Item,
    Past,
    Profile,
    Ties,
    events as e,
)

TAGS = ("Comedy", "Drama", "Noir")
Told = tuple[int, int, Sequence[e.AnyEvent]]
"""Phase, agent and events of a chapter."""


def world(
    people: int = 4,
    items: Sequence[tuple[str, ...]] = (("Comedy",), ("Drama",), ("Noir",), ("Comedy", "Drama")),
    past: Sequence[tuple[int, int]] = (),
    likes: Sequence[str] = (),
    ties: Sequence[tuple[int, int]] = (),
) -> Genesis:
    """Return a genesis of some people who like what is said, by turns."""
    catalogue = Catalogue(
        tuple(
            Item(number, f"Item {number}", tags=tags, minutes=90.0, quality=0.5)
            for number, tags in enumerate(items)
        ),
        TAGS,
    )
    wanted = likes or TAGS
    profiles = tuple(
        Profile(number, f"P{number}", interests=(wanted[number % len(wanted)],))
        for number in range(people)
    )
    firsts, others = [one for one, _ in ties], [other for _, other in ties]
    tied = Ties.of(people, firsts, others, [0] * len(ties), [0.5] * len(ties))
    lived = tuple(Past(who, item, number) for number, (who, item) in enumerate(past))
    return Genesis(catalogue, profiles, tied, past=lived)


def visit(who: int, *told: e.AnyEvent) -> Told:
    return e.VISITS, who, [e.Woke(who, 1), *told, e.Left(who, 0.5)]


def lived(who: int, item: int, stars: int = 0) -> list[e.AnyEvent]:
    found: list[e.AnyEvent] = [e.Picked(who, item, 0), e.Watched(who, item, 1.0)]
    return [*found, e.Rated(who, item, stars)] if stars else found


def found(
    genesis: Genesis, metric: Metric, *rounds: Sequence[Told], drift: float = 0.0
) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Return a measure's numbers of the whole and of each round."""
    written = [_chapter(0, e.OPENING, 0, -1, [e.RunStarted(7, "", drift)])]
    for number, told in enumerate(rounds, 1):
        written.append(_chapter(number, e.OPENING, 0, -1, [e.RoundStarted(number, number * 60)]))
        written += [_chapter(number, p, rank, who, ev) for rank, (p, who, ev) in enumerate(told)]
        written.append(_chapter(number, e.CLOSING, 0, -1, [e.RoundEnded(number)]))
    metrics = measure(written, genesis, Metrics([metric]))
    return metrics.value(), metrics.by_round()


def _chapter(round_: int, phase: int, rank: int, who: int, told: Sequence[e.AnyEvent]) -> Chapter:
    return Chapter(round_, phase, rank, who, tuple(Entry(event) for event in told))
