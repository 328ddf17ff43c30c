from __future__ import annotations

import asyncio

import numpy as np
import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.grounding import Lives
from audience.lab.evaluation import (
    AnswerStore,
    Real,
    baseline_raters,
    play,
    ratings_result,
    splits_of,
)
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.contest import StoredAnswers
from audience.lab.evaluation.ratings import LATEST, RANDOM, Biases, Factors, cells_of, divergence
from audience.world import Catalogue, Item, rng


def raters(people: int = 80, items: int = 60, seed: int = 1) -> Real:
    """Return stars that are a mean, biases of people and items, two tastes, and noise."""
    draws = rng(seed, "raters")
    harsh, good = draws.normal(0, 0.5, people), draws.normal(0, 0.6, items)
    side, kind = draws.choice([-1.0, 1.0], people), draws.choice([-1.0, 1.0], items)
    users, taken = np.nonzero(draws.random((people, items)) < 0.5)
    order = draws.permutation(len(users))
    users, taken = users[order], taken[order]
    exact = 3.4 + harsh[users] + good[taken] + 0.8 * side[users] * kind[taken]
    stars = np.clip(np.round(exact + draws.normal(0, 0.5, len(users))), 1, 5)
    made = Catalogue(tuple(Item(n, f"Film {n}", "", ("Drama",)) for n in range(items)))
    return Real("raters", made, people, users, taken, np.arange(len(users)), stars)


@pytest.fixture(scope="module")
def real() -> Real:
    return raters()


def lives_in(real: Real) -> Lives:
    return Lives(real.catalogue, real.people, real.users, real.items, real.at, real.stars)


def test_a_fifth_is_held_out_and_nowhere_in_the_training_part(real: Real) -> None:
    for split in splits_of(real):
        lives, [task] = split.arena.lives, split.arena.tasks
        learnt = set(zip(lives.users.tolist(), lives.items.tolist(), strict=True))
        asked = [(case.user, item) for case in task.cases for item in case.candidates]
        assert not learnt & set(asked)
        assert len(learnt) + len(asked) == len(real)
        assert 0.15 < len(asked) / len(real) < 0.25
        assert [len(one) for one in split.stars] == [len(case.candidates) for case in task.cases]


def test_the_latest_are_later_than_all_that_is_learnt(real: Real) -> None:
    [split] = [one for one in splits_of(real) if one.arena.name == LATEST]
    lives = split.arena.lives
    when = {
        (u, i): at
        for u, i, at in zip(real.users.tolist(), real.items.tolist(), real.at.tolist(), strict=True)
    }
    for case in split.arena.tasks[0].cases:
        last = lives.at[lives.users == case.user].max()
        assert all(when[case.user, item] > last for item in case.candidates)


def test_fewer_agents_are_asked_while_everybody_is_learnt_from(real: Real) -> None:
    [split, _] = splits_of(real, agents=7)
    assert len({case.user for case in split.arena.tasks[0].cases}) == 7
    assert len(np.unique(split.arena.lives.users)) == real.people


def test_data_without_stars_is_refused(real: Real) -> None:
    with pytest.raises(BadInput, match="has no ratings"):
        splits_of(replace(real, stars=np.zeros(len(real))))


def test_biases_and_factors_find_what_is_there(real: Real) -> None:
    found = Biases(lives_in(real))
    more = Factors(found, lives_in(real), 1)
    plain = found.of(real.users, real.items)
    both = plain + more.of(real.users, real.items)
    errors = [float(((one - real.stars) ** 2).mean()) for one in (plain, both)]
    assert errors[1] < errors[0] < float(real.stars.var())


def test_the_table_orders_those_who_know_more(real: Real) -> None:
    entries = baseline_raters()
    splits = splits_of(real)

    async def whole() -> list[object]:
        return [await play(one.arena, entries, AnswerStore(None), mixes=False) for one in splits]

    played = asyncio.run(whole())
    result = ratings_result(real, splits, played, entries, seed=1)  # type: ignore[arg-type]
    rows = {row.name: row.cells[RANDOM] for row in result.rows}
    error = {name: cells["RMSE"].value.mean for name, cells in rows.items()}
    assert error["bias + MF"] < error["bias"] < error["user mean"] < error["own histogram, drawn"]
    assert rows["own histogram, drawn"]["JSD"].value.mean < 0.02
    assert rows["own histogram, drawn"]["JSD"].value.mean < rows["user mean"]["JSD"].value.mean
    assert result.best[RANDOM]["RMSE"] == "bias + MF"
    against = rows["bias"]["RMSE"].against_best
    assert against is not None
    assert against.low > 0, "less is better, and the difference is clear"
    assert rows["bias + MF"]["RMSE"].against_best is None
    assert result.users == real.people


def test_unreadable_stars_count_as_the_worst(real: Real) -> None:
    [split, _] = splits_of(real)
    entries = baseline_raters()
    played = asyncio.run(play(split.arena, entries, AnswerStore(None), mixes=False))
    good = ratings_result(real, [split], [played], entries, seed=1)
    kept = played.answers["bias", RANDOM]
    scores = list(kept.scores)
    scores[0] = np.full(len(scores[0]), np.nan)
    played.answers["bias", RANDOM] = StoredAnswers(scores)
    bad = ratings_result(real, [split], [played], entries, seed=1)
    value = [
        next(row for row in one.rows if row.name == "bias").cells[RANDOM]["RMSE"].value.mean
        for one in (good, bad)
    ]
    assert value[1] > value[0]
    assert next(row for row in bad.rows if row.name == "bias").unreadable == 1


def test_divergence_is_nil_for_equal_histograms_and_one_for_disjoint() -> None:
    one, other = np.array([[1.0, 3.0, 0.0]]), np.array([[0.0, 0.0, 9.0]])
    assert divergence(one, 5 * one)[0] == pytest.approx(0.0, abs=1e-12)
    assert divergence(one, other)[0] == pytest.approx(1.0)


def test_differences_are_paired_by_user_and_the_best_baseline_is_compared_with_nobody() -> None:
    values = np.arange(30.0)
    measures = {
        "mind": lambda weights: weights @ (values + 1.0) / weights.sum(),
        "bias": lambda weights: weights @ values / weights.sum(),
    }
    cells, best = cells_of(measures, 30, ["bias"], 1)
    assert best == "bias"
    assert cells["bias"].against_best is None
    assert cells["bias"].value.low < cells["bias"].value.mean == 14.5 < cells["bias"].value.high
    against = cells["mind"].against_best
    assert against is not None
    assert against.three == pytest.approx((1.0, 1.0, 1.0))


def test_grounded_ratings_take_part(real: Real) -> None:
    from audience.lab.evaluation.ratings import _grounded

    predicted = _grounded(Ground(splits_of(real)[0].arena.lives, 1))
    [split, _] = splits_of(real, agents=5)
    found = np.concatenate(list(asyncio.run(predicted.score(split.arena.tasks[0].cases))))
    assert ((found >= 1) & (found <= 5)).all()
    assert np.corrcoef(found, np.concatenate(list(split.stars)))[0, 1] > 0.5
