from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audience.datasets import by_ratio
from audience.datasets.loaders import Atomic
from audience.errors import BadInput
from audience.grounding import Lives, divergence, fit_ratings
from audience.grounding.ratings import Rater, rated_in
from audience.grounding.visits import shares
from audience.world import Catalogue, Floats, Ints, Item, dice, rng

ML_100K = Path(__file__).parents[3] / "shared" / "data" / "ml-100k"
PEOPLE, ITEMS = 60, 40
SMALL = {"ranks": (2,), "sweeps": 42}


def made(count: int = 1400, seed: int = 0) -> Lives:
    """Return ratings from two camps that like opposite items, and lenient and strict people."""
    draws = rng(seed, "test", "ratings")
    pairs = draws.permutation(PEOPLE * ITEMS)[:count]
    users, items = pairs // ITEMS, pairs % ITEMS
    camp = np.where(users % 2 == items % 2, 1.0, -1.0)
    meant = 3.1 + 1.1 * camp + 0.4 * np.sin(users) + 0.5 * draws.standard_normal(count)
    stars = np.clip(np.rint(meant), 1, 5)
    things = tuple(Item(number, f"Item {number}") for number in range(ITEMS))
    return Lives(Catalogue(things), PEOPLE, users, items, np.arange(count), stars)


def rows(lives: Lives, chosen: Ints) -> Lives:
    whole = (lives.users[chosen], lives.items[chosen], lives.at[chosen])
    return Lives(lives.catalogue, lives.people, *whole, lives.stars[chosen])


@pytest.fixture(scope="module")
def split() -> tuple[Lives, Lives]:
    lives = made()
    return rows(lives, np.arange(1100)), rows(lives, np.arange(1100, 1400))


@pytest.fixture(scope="module")
def rater(split: tuple[Lives, Lives]) -> Rater:
    return fit_ratings(split[0], 1, ranks=(2,), sweeps=70)


def error(found: Floats, stars: Floats) -> float:
    return float(np.sqrt(((found - stars) ** 2).mean()))


def test_what_people_and_items_share_is_found(rater: Rater, split: tuple[Lives, Lives]) -> None:
    train, test = split
    found = rater.predict(test.users, test.items)
    means = np.bincount(train.users, train.stars) / np.bincount(train.users)
    assert error(found, test.stars) < 0.72 < 1.0 < error(means[test.users], test.stars)


def test_drawn_stars_use_the_scale_as_people_do(rater: Rater, split: tuple[Lives, Lives]) -> None:
    test = split[1]
    stars = rater.sample(test.users, test.items, dice(1, "test", np.arange(len(test))))
    bins = np.arange(1, 6)
    drawn, real = shares(stars, bins), shares(test.stars, bins)
    flat = shares(np.rint(rater.predict(test.users, test.items)), bins)
    assert set(stars.tolist()) == {1, 2, 3, 4, 5}
    assert divergence(drawn, real) < 0.02
    assert divergence(drawn, real) < divergence(flat, real)


def test_chances_add_up_and_draws_follow_their_names(rater: Rater) -> None:
    users, items = np.arange(20), np.arange(20)
    chances = rater.chances(users, items)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert chances.min() > 0.0
    again = rater.sample(users, items, dice(3, "a", users))
    assert np.array_equal(again, rater.sample(users, items, dice(3, "a", users)))
    alone = [rater.sample(users[n : n + 1], items[n : n + 1], dice(3, "a", users[n : n + 1]))
             for n in range(20)]  # fmt: skip
    assert np.concatenate(alone).tolist() == again.tolist()


def test_a_batch_is_read_as_its_members_alone(rater: Rater) -> None:
    users, items = rng(0, "x").integers(PEOPLE, size=50), rng(0, "y").integers(ITEMS, size=50)
    together = rater.predict(users, items)
    alone = [rater.predict(users[n : n + 1], items[n : n + 1])[0] for n in range(50)]
    assert together.tolist() == alone


def test_somebody_new_is_read_from_its_history(rater: Rater, split: tuple[Lives, Lives]) -> None:
    train = split[0]
    asked = [tuple(range(ITEMS))] * 3
    histories = [
        [(int(item), float(star)) for item, star in zip(
            train.items[train.users == user], train.stars[train.users == user], strict=True)]
        for user in (4, 5)
    ]  # fmt: skip
    found = rater.predict_for([*histories, []], asked)
    for row, user in enumerate((4, 5, PEOPLE + 7)):
        same = rater.predict(np.full(ITEMS, user), np.arange(ITEMS))
        assert found[row].tolist() == same.tolist()
    even = np.arange(0, ITEMS, 2)
    loves_even = [(int(item), 5.0) for item in even[:8]] + [(int(i) + 1, 1.0) for i in even[:8]]
    mine = rater.predict_for([loves_even], [(30, 31)])[0]
    assert mine[0] > mine[1] + 1.0
    chances = rater.chances_for([loves_even, []], [(30, 31), (2,)])
    assert [one.shape for one in chances] == [(2, 5), (1, 5)]


def test_histories_may_name_what_came_later_or_was_not_rated(rater: Rater) -> None:
    plain = rater.predict_for([[(3, 5.0)]], [(1, 2)])[0]
    assert rater.predict_for([[(3, 5.0), (4, 0.0), (ITEMS + 3, 1.0)]], [(1, 2)])[0].tolist() == (
        plain.tolist()
    )


def test_equal_seeds_give_equal_raters(split: tuple[Lives, Lives]) -> None:
    first, again = (fit_ratings(split[0], 5, ranks=(2,), sweeps=21) for _ in range(2))
    other = fit_ratings(split[0], 6, ranks=(2,), sweeps=21)
    users, items = split[1].users, split[1].items
    assert np.array_equal(first.predict(users, items), again.predict(users, items))
    assert np.array_equal(first.chances(users, items), again.chances(users, items))
    assert not np.array_equal(first.predict(users, items), other.predict(users, items))


def test_the_length_of_points_is_chosen_within_the_training_part() -> None:
    lives = made()
    rater = fit_ratings(lives, 1, ranks=(1, 3), sweeps=21)
    assert set(rater.tried) == {1, 3}
    assert rater.rank == min(rater.tried, key=lambda rank: rater.tried[rank])


def test_only_the_last_rating_of_a_pair_counts() -> None:
    lives = made(60)
    again = Lives(
        lives.catalogue,
        PEOPLE,
        np.concatenate([lives.users, lives.users[:2]]),
        np.concatenate([lives.items, lives.items[:2]]),
        np.arange(62),
        np.concatenate([lives.stars, [0.0, 1.0 if lives.stars[1] > 2 else 5.0]]),
    )
    rated = rated_in(again)
    assert len(rated.users) == 60
    changed = rated.stars[(rated.users == lives.users[1]) & (rated.items == lives.items[1])]
    assert changed.tolist() == [1.0 if lives.stars[1] > 2 else 5.0]
    kept = rated.stars[(rated.users == lives.users[0]) & (rated.items == lives.items[0])]
    assert kept.tolist() == [lives.stars[0]]


def test_too_few_ratings_are_refused() -> None:
    with pytest.raises(BadInput, match="at least 50"):
        fit_ratings(made(20))
    with pytest.raises(BadInput, match="rank"):
        fit_ratings(made(100), ranks=())


def write_atomic(folder: Path, last: int) -> Path:
    lines = ["user_id:token\titem_id:token\trating:float\ttimestamp:float"]
    lives = made(800)
    for row in range(800):
        stars = int(lives.stars[row])
        lines.append(f"{lives.users[row]}\t{lives.items[row]}\t{stars}\t{1000 + row}")
    lines.append(f"{lives.users[0]}\t{lives.items[799]}\t{last}\t99999")
    folder.mkdir()
    (folder / "tiny.inter").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_a_planted_future_rating_moves_no_prediction(tmp_path: Path) -> None:
    found = []
    for last in (1, 5):
        split = by_ratio(Atomic(write_atomic(tmp_path / str(last), last)).corpus(), 0.2)
        assert float(split.test.stars[-1]) == last
        train = split.train
        columns = (train.users, train.items, train.at, train.stars)
        lives = Lives(Catalogue(split.corpus.items), len(split.corpus.people), *columns)
        rater = fit_ratings(lives, 1, ranks=(2,), sweeps=21)
        found.append(rater.chances(split.test.users, split.test.items).tolist())
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.skipif(not ML_100K.is_dir(), reason="the real ratings are not there")
def test_real_ratings_are_predicted_and_drawn_as_well_as_is_asked() -> None:
    corpus = Atomic(ML_100K).corpus()
    lived = corpus.lived
    order = rng(1, "split").permutation(len(lived))
    train, test = lived.rows(np.sort(order[20_000:])), lived.rows(np.sort(order[:20_000]))
    columns = (train.users, train.items, train.at, train.stars)
    lives = Lives(Catalogue(corpus.items), len(corpus.people), *columns)
    rater = fit_ratings(lives, ranks=(8,), sweeps=70)
    assert error(rater.predict(test.users, test.items), test.stars) < 0.92
    stars = rater.sample(test.users, test.items, dice(1, "test", np.arange(len(test))))
    bins = np.arange(1, 6)
    assert divergence(shares(stars, bins), shares(test.stars, bins)) < 0.005
