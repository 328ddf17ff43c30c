"""Fitting and ranking: the size of MovieLens-1M drawn, small refits, and a million items."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from audience.recommenders import (
    ALS,
    BPR,
    EASE,
    Content,
    Context,
    ItemKNN,
    ItemSearch,
    LightGCN,
    MultVAE,
    Popular,
    Ranker,
    Recommender,
    RecommenderView,
    lived_matrix,
    seen_by_recommender,
)
from audience.recommenders.bpr import Points
from audience.world import Catalogue, Interactions, Ints, Item, dice, rng
from benchmarks.measuring import clock, row, tell

TURNS = 3
"""The machine is shared: the best of some turns tells what the program can do."""
MILLION = 1_000_000
Row = dict[str, object]


def drawn(
    people: int, items: int, rows: int, catalogue: Catalogue | None = None
) -> RecommenderView:
    """Return interactions as uneven as real ones, nobody living an item twice."""
    draw = rng(1, "bench", people, items)
    agents = (people * draw.random(rows * 2) ** 1.6).astype(np.int64)
    lived = (items * draw.random(rows * 2) ** 2.2).astype(np.int64)
    _, first = np.unique(agents * items + lived, return_index=True)
    kept = np.sort(first)[:rows]
    whole, none = np.ones(len(kept)), np.zeros(len(kept), np.int64)
    named = catalogue or Catalogue(tuple(Item(number, str(number)) for number in range(items)))
    columns = (agents[kept], lived[kept], kept, whole, none)
    return seen_by_recommender(Interactions.of(named, people, columns))


def asked(interactions: RecommenderView, users: Ints) -> Context:
    """Return a context in which everything lived is left out."""
    order = np.argsort(interactions.agents, kind="stable")
    bounds = np.searchsorted(interactions.agents[order], np.arange(interactions.people + 1))
    items = interactions.items[order]
    lists = [tuple(items[bounds[one] : bounds[one + 1]].tolist()) for one in users.tolist()]
    return Context(users * 0, users * 0, lists, dice(1, "rank", users, 0))


def best_of(make: Callable[[], object], turns: int = TURNS) -> tuple[float, float]:
    """Return the seconds of the fastest turn, and the least processor time of all threads."""
    seconds, busy = [], []
    for _ in range(turns):
        began, worked = clock(), time.process_time()
        make()
        seconds.append(clock() - began)
        busy.append(time.process_time() - worked)
    return min(seconds), min(busy)


def fit(recommender: Recommender, interactions: RecommenderView) -> Ranker:
    return recommender.fit(interactions, rng(1, "fit", 0))


def bar(what: str, took: tuple[float, float], most: float) -> Row:
    seconds, busy = took
    measured = f"{seconds:.3f} s (processor {busy:.3f} s)"
    return row(what, measured, f"under {most:g} s", seconds < most, kept=(what, busy, "s"))


def like_movielens() -> list[Row]:
    lived = drawn(6_040, 3_706, 1_000_000)
    users = np.arange(6_040)
    context = asked(lived, users)
    matrix, draw = lived_matrix(lived), rng(1, "epoch")
    people, items = Points(6_041, 64, draw), Points(3_706, 64, draw)
    found = [
        bar("EASE fit, 6,040 x 3,706, 1M interactions", best_of(lambda: fit(EASE(), lived)), 20),
        bar("BPR epoch, same", best_of(lambda: BPR().learn(matrix, people, items, draw)), 5),
    ]
    for name, made in (("EASE", EASE()), ("item-KNN", ItemKNN()), ("BPR", BPR(epochs=1))):
        ranker = fit(made, lived)
        seconds = best_of(lambda ranker=ranker: ranker.rank(users, 50, context))  # type: ignore[misc]
        found.append(bar(f"{name}: rank 6,040 users, top 50", seconds, 2))
    return found


def like_movielens_100k() -> list[Row]:
    lived = drawn(943, 1_682, 100_000)
    kinds: dict[str, Recommender] = {"LightGCN": LightGCN(), "MultVAE": MultVAE()}
    return [
        bar(f"{name} fit, 943 x 1,682, 100,000", best_of(lambda made=made: fit(made, lived)), 30)  # type: ignore[misc]
        for name, made in kinds.items()
    ]


def small() -> list[Row]:
    lived = drawn(1_000, 1_000, 20_000)
    return [bar("EASE refit, 1,000 x 1,000", best_of(lambda: fit(EASE(), lived), 9), 0.3)]


def million() -> list[Row]:
    lived = drawn(20_000, MILLION, 1_500_000, _many_items())
    users = np.array([7])
    context = asked(lived, users)
    kinds: dict[str, Recommender] = {
        "popular": Popular(),
        "ALS (64 factors)": ALS(rounds=1),
        "content": Content(),
    }
    found = []
    for name, recommender in kinds.items():
        ranker = fit(recommender, lived)
        seconds = best_of(lambda ranker=ranker: ranker.rank(users, 25, context), 9)  # type: ignore[misc]
        found.append(bar(f"1,000,000 items: {name} ranks a page", seconds, 0.1))
    search = ItemSearch(lived.catalogue)
    for what, query in (("a title", "the golden harbour 77"), ("a misspelt one", "goldne habrour")):
        search.find(query, 20)
        # Answers are remembered: each turn asks for another number of items.
        counts = iter(range(21, 40))
        seconds = best_of(lambda query=query, counts=counts: search.find(query, next(counts)), 9)  # type: ignore[misc]
        found.append(bar(f"1,000,000 items: search for {what}", seconds, 0.1))
    return found


def _many_items() -> Catalogue:
    """Return a million items of two-word titles, a number, tags and a sentence."""
    draw = rng(1, "bench", "words")
    letters = np.array(list("abcdefghijklmnoprstuvwz"))
    vocabulary = ["the", "golden", "harbour"]
    vocabulary += ["".join(letters[draw.integers(0, 23, 7)]) for _ in range(50_000)]
    chosen = (50_000 * draw.random((MILLION, 8)) ** 3).astype(np.int64).tolist()
    tags = [f"Tag{number}" for number in range(40)]
    return Catalogue(
        tuple(
            Item(
                number,
                f"{vocabulary[w[0]]} {vocabulary[w[1]]} {number}",
                " ".join(vocabulary[one] for one in w[2:]),
                (tags[number % 40], tags[number * 7 % 40]),
            )
            for number, w in enumerate(chosen)
        )
    )


def main() -> None:
    tell(*like_movielens(), *like_movielens_100k(), *small(), *million())


if __name__ == "__main__":
    main()
