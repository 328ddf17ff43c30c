from __future__ import annotations

import asyncio

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import Case, Real, baseline_contestants, baselines as b, kinds_of
from audience.lab.evaluation.cases import Contestant, lives_of
from audience.lab.evaluation.contestants import KINDS, RuleChoice
from audience.recommenders import EASE, ItemKNN, Markov, Recommender
from audience.world import Floats


@pytest.fixture(scope="module")
def ground(ring: Real) -> b.Ground:
    return b.Ground(lives_of(ring, np.arange(len(ring))), 1)


def said(contestant: Contestant, *cases: Case) -> list[Floats]:
    return list(asyncio.run(contestant.score(cases)))


# Items 0 to 19 are dramas, 20 to 39 comedies, 40 to 59 of war, 60 to 79 of crime.
DRAMAS = Case(0, (1, 2, 3, 4), (6, 30, 50), (True, False, False))


def test_popularity_counts_the_training_part(ground: b.Ground) -> None:
    [found] = said(b.PopularityBaseline(ground), DRAMAS)
    counts = np.bincount(ground.lives.items, minlength=80)
    assert found.tolist() == counts[[6, 30, 50]].tolist()


def test_random_is_a_named_draw(ground: b.Ground) -> None:
    [one], [two] = said(b.Chance(ground), DRAMAS), said(b.Chance(ground), DRAMAS)
    assert one.tolist() == two.tolist()
    other = Case(1, *(DRAMAS.history, DRAMAS.candidates, DRAMAS.truth))
    assert said(b.Chance(ground), other)[0].tolist() != one.tolist()


@pytest.mark.parametrize("make", [b.genres, b.RecSim, b.recent_genres, RuleChoice])
def test_who_knows_genres_prefers_dramas_after_dramas(ground: b.Ground, make: object) -> None:
    [found] = said(make(ground), DRAMAS)  # type: ignore[operator]
    assert found[0] > max(found[1:]), found


def test_years_near_the_last_ones_count(ground: b.Ground) -> None:
    case = Case(0, (20, 40, 60), (0, 10), (True, False))  # all of 1980; then 1980 and 1990
    [found] = said(b.recent_years(ground), case)
    assert found[0] > found[1]


def test_text_embeddings_are_nearer_for_like_words(ground: b.Ground) -> None:
    vectors = asyncio.run(b.embedding(ground, "wordllama"))
    assert vectors.name == "text embedding (wordllama)"
    [found] = said(vectors, DRAMAS)
    assert found[0] == max(found)


def test_rankers_score_by_the_history_of_the_case(ground: b.Ground) -> None:
    markov = b.ranked("markov", Markov(), ground)
    one = Case(0, (10, 11, 12), (13, 50), (True, False))
    two = Case(0, (47, 48, 49), (13, 50), (False, True))
    first, second = said(markov, one, two)
    assert first[0] > first[1]
    assert second[1] > second[0]
    assert said(markov, two)[0].tolist() == second.tolist(), "whatever else is asked"


def test_scores_of_many_equal_those_of_one(ground: b.Ground) -> None:
    ease = b.ranked("ease", EASE(100.0), ground)
    cases = [Case(n, (n, n + 1, n + 2), (n + 3, 79 - n), (True, False)) for n in range(30)]
    for case, found in zip(cases, said(ease, *cases), strict=True):
        assert said(ease, case)[0].tolist() == found.tolist()


@pytest.mark.parametrize("name", ["ease", "item-knn", "markov"])
def test_scores_of_a_few_candidates_are_those_of_the_recommender(
    ground: b.Ground, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain: dict[str, Recommender] = {"ease": EASE(100.0), "item-knn": ItemKNN(), "markov": Markov()}
    made = {"ease": lambda: b.ease(ground, 100.0), "item-knn": lambda: b.item_knn(ground)}
    whole = b.ranked(name, plain[name], ground)
    cases = [Case(n, (n, n + 1, n + 7), (n + 3, 79 - n, 40), (True,) * 3) for n in range(30)]
    few = said(made.get(name, lambda: whole)(), *cases)
    monkeypatch.setattr(b, "MOST_ITEMS", 10)
    for one, other in zip(few, said(whole, *cases), strict=True):
        assert one == pytest.approx(other, abs=2e-6)
    assert np.ptp(np.concatenate(few)) > 0.0


def test_quality_is_drawn_to_the_mean(ground: b.Ground) -> None:
    assert ground.quality.shape == (80,)
    assert 0.0 <= ground.quality.min() <= ground.quality.max() <= 1.0
    silent = b.Ground(lives_of(_without_stars(ground), np.arange(len(ground.lives.users))), 1)
    assert set(silent.quality.tolist()) == {0.5}


def _without_stars(ground: b.Ground) -> Real:
    lives = ground.lives
    nothing = np.zeros(len(lives.users))
    return Real("x", lives.catalogue, lives.people, lives.users, lives.items, lives.at, nothing)


def test_the_list_of_minds_is_read_and_a_wrong_one_named() -> None:
    assert kinds_of("grounded, llm+evidence,grounded") == ("grounded", "llm+evidence")
    with pytest.raises(BadInput, match="did you mean 'grounded'"):
        kinds_of("groundet")
    with pytest.raises(BadInput, match="empty"):
        kinds_of(" , ")
    assert "llm+scores" in KINDS


def test_the_baselines_of_every_table() -> None:
    names = [one.name for one in baseline_contestants() if one.kind == "baseline"]
    for name in ("random", "popularity", "genre profile", "recsim", "item-knn", "ease", "markov"):
        assert name in names
    assert "text embedding (wordllama)" in names
