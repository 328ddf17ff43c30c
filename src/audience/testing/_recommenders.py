"""What every recommender keeps to."""

from __future__ import annotations

import numpy as np

from audience.recommenders import Context, Ranker, Recommender
from audience.testing._declarations import check_declarations, check_ranker_declarations
from audience.testing.worlds import tiny_genesis
from audience.world.interactions import Interactions
from audience.world.rng import Ints, dice, rng

_PEOPLE = 40
_STRANGERS = 10


def check_recommender(recommender: Recommender) -> None:
    """Raise AssertionError unless `recommender` fits and ranks as the protocol says."""
    _check_fit(recommender)
    for items in (1, 7, 300):
        for rows in (0, 4 * items):
            _check_rank(recommender, items, rows)


def interactions(items: int, rows: int, name: str = "some") -> Interactions:
    """Return `rows` interactions of forty people with a catalogue of `items`."""
    made = Interactions(tiny_genesis(_PEOPLE, items).catalogue, _PEOPLE)
    draw = rng(0, "interactions", name, items)
    for row in range(rows):
        who, what = int(draw.integers(_PEOPLE)), int(items * draw.random() ** 2)
        fraction = round(float(draw.random()), 3)
        made.add(who, what, 1_735_689_600 + 3600 * row, fraction, int(draw.integers(6)))
    return made


def questions(items: int, users: int = _PEOPLE + _STRANGERS, seed: int = 5) -> tuple[Ints, Context]:
    """Return users, some of them unknown, and what a ranker is told about each."""
    who = np.arange(users)
    draw = rng(seed, "questions", items)
    # From nothing to everything: rankers that choose their way by the longest list are found out.
    counts = [min(items, int(items * draw.random() ** 3 * 1.05)) for _ in range(users)]
    exclude = [tuple(draw.permutation(items)[:count].tolist()) for count in counts]
    pages = who % 5
    moments = 1_740_000_000 + 60 * who
    return who, Context(moments, pages, exclude, dice(seed, "rank", who, pages))


def one_of(context: Context, row: int) -> Context:
    """Return what a ranker is told about a single user."""
    rows = np.array([row])
    return Context(
        context.moments[rows], context.pages[rows], [context.exclude[row]], context.dice.pick(rows)
    )


def _check_fit(recommender: Recommender) -> None:
    name = type(recommender).__name__
    few, many = interactions(30, 60), interactions(30, 200, "others")
    before = few.packed()
    ranker = recommender.fit(few, rng(1, "fit"))
    assert few.packed() == before, f"{name}.fit changed the interactions it was given"
    assert hasattr(ranker, "rank"), f"{name}.fit returned {type(ranker).__name__}, without `rank`"
    users, context = questions(30)
    first = np.array(ranker.rank(users, 10, context))
    other = recommender.fit(many, rng(2, "fit"))
    assert other is not ranker, f"{name}.fit returned the same object twice; return a new ranker"
    assert id(ranker) != id(recommender), f"{name}.fit returned the recommender itself"
    later = np.array(ranker.rank(users, 10, context))
    assert np.array_equal(first, later), (
        f"{name}: a second fit changed what the first ranker gives; rankers must share nothing"
    )
    same = np.array(recommender.fit(few, rng(1, "fit")).rank(users, 10, context))
    assert np.array_equal(first, same), (
        f"{name} learnt two different rankings from the same interactions and the same rng"
    )
    check_declarations(recommender)
    check_ranker_declarations(ranker)


def _check_rank(recommender: Recommender, items: int, rows: int) -> None:
    where = f"{type(recommender).__name__} ({rows} interactions, a catalogue of {items})"
    ranker = recommender.fit(interactions(items, rows), rng(1, "fit"))
    users, context = questions(items)
    for k in sorted({1, min(5, items), min(25, items)}):
        slates = np.asarray(ranker.rank(users, k, context))
        _check_slates(where, slates, users, k, context, items)
        again = np.asarray(ranker.rank(users, k, context))
        assert np.array_equal(slates, again), f"{where} ranked differently when asked twice"
        _check_singles(where, ranker, slates, users, k, context)


def _check_slates(
    where: str, slates: Ints, users: Ints, k: int, context: Context, items: int
) -> None:
    whole = np.issubdtype(slates.dtype, np.integer)
    assert (slates.shape, whole) == ((len(users), k), True), (
        f"{where} returned {slates.dtype} of shape {slates.shape}; it must return whole numbers of "
        f"shape {(len(users), k)}"
    )
    for user, row, barred in zip(users.tolist(), slates.tolist(), context.exclude, strict=True):
        given = [item for item in row if item != -1]
        strange = [item for item in given if not 0 <= item < items]
        assert not strange, f"{where} gave user {user} item {strange[0]}, which does not exist"
        assert len(set(given)) == len(given), f"{where} gave user {user} an item twice: {row}"
        shown = set(given) & set(barred)
        assert not shown, f"{where} gave user {user} the excluded item {min(shown)}"
        left = min(k, items - len(barred))
        assert len(given) == left, (
            f"{where} gave user {user} {len(given)} items where {left} of {k} could be shown; "
            "-1 is for nothing left"
        )


def _check_singles(
    where: str, ranker: Ranker, slates: Ints, users: Ints, k: int, context: Context
) -> None:
    for row in range(len(users)):
        single = np.asarray(ranker.rank(users[row : row + 1], k, one_of(context, row)))
        assert np.array_equal(single[0], slates[row]), (
            f"{where} ranked user {users[row]} as {slates[row].tolist()} in a batch, but as "
            f"{single[0].tolist()} alone"
        )
