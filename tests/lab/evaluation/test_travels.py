"""Grounding on data that nobody tuned it to: it must not be worse than simple baselines there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from tests.lab.evaluation.shop import shop

from audience.errors import BadInput
from audience.grounding import Lives, fit_evidence, fit_grounds, fit_ratings
from audience.grounding.lives import MOST_ITEMS
from audience.grounding.practice import practices_of
from audience.lab.evaluation import (
    TASTE,
    AnswerStore,
    ContestRules,
    Doors,
    Real,
    Result,
    arena_of,
    arenas,
    baseline_contestants,
    discrimination_result,
    drawn_parts,
    mind_contestants,
    play,
    taste_result,
    without_rare,
)
from audience.lab.evaluation.cases import lives_of
from audience.lab.evaluation.mixes import BOOSTED, MIX
from audience.lab.evaluation.ratings import Biases
from audience.lab.evaluation.taste import BY_RECOMMENDER
from audience.scenario import Models, SpendingOptions
from audience.world import Catalogue, Item, rng

pytestmark = pytest.mark.timeout(1800)
"""Fits and trees on a few hundred people take minutes where other work is done beside them."""


@pytest.fixture(scope="module")
def real() -> Real:
    return shop()


@pytest.fixture(scope="module")
def lives(real: Real) -> Lives:
    return lives_of(real, np.arange(len(real)))


def test_an_item_beyond_the_dense_tables_keeps_its_own_count(lives: Lives) -> None:
    counts = np.bincount(lives.items, minlength=len(lives.catalogue))
    assert (counts > 0).sum() > MOST_ITEMS
    rare, popular = np.flatnonzero(counts == 1)[:3].tolist(), int(counts.argmax())
    evidence = fit_evidence(lives)
    (told,) = evidence.of([(popular,)], [(*rare, popular)])
    shown = told[:, evidence.names.index("popularity")]
    assert np.allclose(shown, np.log1p(counts[[*rare, popular]]))


def test_a_thing_one_person_took_is_not_said_to_be_very_popular(lives: Lives) -> None:
    counts = np.bincount(lives.items, minlength=len(lives.catalogue))
    rare = np.flatnonzero(counts == 1)[:4].tolist()
    common = np.argsort(-counts)[:4].tolist()
    told = fit_grounds(lives).words((common[0],), [*rare, *common[1:]])
    assert not any("very popular" in words for words in told[: len(rare)])


def test_rare_items_are_told_by_whom_they_were_taken_with(lives: Lives) -> None:
    counts = np.bincount(lives.items, minlength=len(lives.catalogue))
    rare = int(np.flatnonzero(counts == 2)[0])
    owner = int(lives.users[lives.items == rare][0])
    theirs = lives.items[lives.users == owner]
    history = tuple(theirs[theirs != rare].tolist())
    strange = int(np.flatnonzero((counts == 2) & ~np.isin(np.arange(len(counts)), theirs))[0])
    evidence = fit_evidence(lives)
    (told,) = evidence.of([history], [(rare, strange)])
    for name in ("collaborative", "alike", "around whole"):
        mine, other = told[:, evidence.names.index(name)]
        assert mine > other, name


def test_everybody_practises_where_data_are_few_and_on_nothing_that_is_learnt(
    lives: Lives,
) -> None:
    parts = practices_of(lives, "spread", seed=1, most=30_000)
    users = np.unique(np.concatenate([part.users for part in parts]))
    assert len(users) == lives.people
    width = len(lives.catalogue)
    for part in parts:
        learnt = set((part.before.users * width + part.before.items).tolist())
        asked = set((part.users * width + part.taken).tolist())
        assert not learnt & asked
        assert len(learnt) + len(asked) == len(lives)


def table_of(real: Real, kind: str, folder: Path) -> Result:
    """Return the table of grounded minds beside all baselines."""
    doors = Doors(Models(), SpendingOptions(), folder)
    keeper = AnswerStore(folder)
    rules = ContestRules(TASTE, real.domain, 1, doors, held="last" if kind == "A" else "spread")
    entries = [
        *baseline_contestants(),
        *mind_contestants(["grounded"], rules, practises=kind == "B"),
    ]
    if kind == "A":
        played = [
            asyncio.run(play(arena, entries, keeper))
            for arena in arenas(real, shapes=((1, 5),), seed=1)
        ]
        return discrimination_result(real, played, entries, seed=1)
    parted = drawn_parts(real, 1)
    contest = asyncio.run(play(arena_of(parted, seed=1), entries, keeper))
    return taste_result(parted, contest, entries)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Of 200 people and 3300 things: what is beyond dense tables is tested above, without trees."""
    real = shop(people=200, items=7_000)
    return {kind: table_of(real, kind, tmp_path_factory.mktemp(kind)) for kind in "AB"}


@pytest.mark.slow
def test_grounded_is_not_below_the_best_baseline_by_more_than_its_interval(
    tables: dict[str, Result],
) -> None:
    for table in tables.values():
        (row,) = (row for row in table.rows if row.name == "grounded")
        for group, cells in row.cells.items():
            if group == BY_RECOMMENDER:
                continue
            against = cells["AUC" if "AUC" in cells else "(1,5)"].against_best
            assert against is not None
            assert against.high >= 0.0, (group, against)


@pytest.mark.slow
def test_taste_is_above_popularity_and_the_logistic_mix(tables: dict[str, Result]) -> None:
    means = {row.name: row.cells["1:1"]["AUC"].value.mean for row in tables["B"].rows}
    assert means["grounded"] > means["popularity"]
    assert means["grounded"] > means[MIX]


def test_a_baseline_that_cannot_bear_the_data_steps_aside_with_a_remark(
    tmp_path: Path,
) -> None:
    small = shop(people=60, items=300, taken=20)
    more = (Item(number, f"Thing {number}") for number in range(len(small.catalogue), 10_050))
    wide = replace(small, catalogue=Catalogue((*small.catalogue.items, *more)))
    wanted = ("popularity", "item-knn", "ease")
    entries = [entry for entry in baseline_contestants() if entry.name in wanted]
    keeper = AnswerStore(tmp_path)
    (arena,) = arenas(wide, shapes=((1, 5),), seed=1)
    played = [asyncio.run(play(arena, entries, keeper))]
    table = discrimination_result(wide, played, entries, seed=1)
    names = [row.name for row in table.rows]
    assert "ease" not in names
    assert {"popularity", "item-knn", MIX, BOOSTED} <= set(names)
    assert any("ease steps aside" in note and "--min-per-item" in note for note in table.notes)
    case = arena.tasks[0].cases[0]
    files = [np.load(path) for path in (tmp_path / "scores").glob("uniform-1-5-popularity-*.npz")]
    (kept,) = (file for file in files if file["candidate"][:6].tolist() == list(case.candidates))
    assert kept["user"][:6].tolist() == [case.user] * 6
    assert kept["truth"][:6].tolist() == list(case.truth)
    assert len(kept["values"]) == len(kept["candidate"])


def test_items_that_few_took_can_be_left_out(real: Real) -> None:
    fewer = without_rare(real, 5)
    counts = np.bincount(fewer.items, minlength=len(fewer.catalogue))
    assert counts.min() >= 5
    assert [item.id for item in fewer.catalogue.items] == list(range(len(fewer.catalogue)))
    with pytest.raises(BadInput, match="--min-per-item 9999"):
        without_rare(real, 9999)


def thin_reviews(people: int = 900, items: int = 500) -> Lives:
    """Return a review site: most people rate two or three things, and tastes hardly matter."""
    draws = rng(3, "reviews")
    users = np.repeat(np.arange(people), draws.integers(1, 5, size=people))
    taken = draws.integers(items, size=len(users))
    pairs = np.unique(users * items + taken)
    users, taken = pairs // items, pairs % items
    good = 0.5 * draws.standard_normal(items)[taken] + 0.4 * draws.standard_normal(people)[users]
    stars = np.clip(np.rint(3.9 + good + 0.9 * draws.standard_normal(len(users))), 1, 5)
    things = tuple(Item(number, f"Thing {number}") for number in range(items))
    order = draws.permutation(len(users))
    at = np.arange(len(users))
    return Lives(Catalogue(things), people, users[order], taken[order], at, stars[order])


def test_stars_are_not_worse_than_biases_where_ratings_are_thin() -> None:
    lives = thin_reviews()
    cut = len(lives) * 4 // 5
    train, test = (
        Lives(
            lives.catalogue,
            lives.people,
            lives.users[part],
            lives.items[part],
            lives.at[part],
            lives.stars[part],
        )
        for part in (slice(None, cut), slice(cut, None))
    )
    rater = fit_ratings(train, 1, ranks=(4,), sweeps=42)
    plain = Biases(train).of(test.users, test.items)
    errors = [
        float(np.sqrt(((found - test.stars) ** 2).mean()))
        for found in (rater.predict(test.users, test.items), plain)
    ]
    assert errors[0] <= errors[1] + 0.005
    assert rater.lean < 1.0
