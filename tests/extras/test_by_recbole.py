from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.extras.planted import RING, asked, camps, films, found, gain, ring

from audience.errors import BadInput
from audience.recommenders import Popular, Ranker
from audience.recommenders.extras import RecBole
from audience.recommenders.extras.recbole_adapter import Worker, WorkerFault
from audience.testing import check_recommender
from audience.world import rng

PYTHON = os.environ.get("RECBOLE_PYTHON", "")
pytestmark = [
    pytest.mark.skipif(not PYTHON, reason="RECBOLE_PYTHON names no Python that has RecBole"),
    pytest.mark.timeout(600),
]
SMALL = {"train_batch_size": 128, "learning_rate": 0.01, "MAX_ITEM_LIST_LENGTH": 10}


ALIVE: list[Worker] = []


def made(model: str, epochs: int = 40, **settings: Any) -> RecBole:
    """Return a recommender that shares its worker with others, as starting one takes seconds."""
    recommender = RecBole(model, epochs, PYTHON, settings=SMALL | settings)
    if not ALIVE or not ALIVE[0].alive:
        ALIVE[:] = [Worker(PYTHON)]
    recommender._worker = ALIVE[0]
    return recommender


@pytest.fixture(autouse=True, scope="module")
def no_worker_is_left() -> Iterator[None]:
    yield
    ALIVE.clear()


@pytest.mark.parametrize("model", ["LightGCN", "MultVAE", "SASRec"])
def test_it_keeps_to_the_protocol(model: str) -> None:
    check_recommender(made(model, 2))


@pytest.mark.parametrize("model", ["LightGCN", "MultVAE", "BPR", "EASE", "ItemKNN", "FM"])
def test_it_finds_the_camps(model: str) -> None:
    assert gain(made(model), camps()) > 3


@pytest.fixture(scope="module")
def walker() -> Ranker:
    return made("SASRec", 30).fit(ring()[0], rng(1, "fit"))


def test_it_finds_what_comes_next(walker: Ranker) -> None:
    interactions, hidden = ring()
    assert found(walker, interactions, hidden, k=1) > 0.8
    assert found(Popular().fit(interactions, rng(1, "fit")), interactions, hidden, k=1) < 0.5


@pytest.mark.parametrize("model", ["EASE", "BPR"])
def test_it_beats_popular_on_films(model: str) -> None:
    assert gain(made(model, 10, train_batch_size=2048), films(), k=10) > 1.1


def test_a_sequence_is_carried_on_from_what_was_lived_since(walker: Ranker) -> None:
    starts = [2, 9, 15]
    lived = [tuple((start + step) % RING for step in range(5)) for start in starts]
    for people in ([3, 4, 5], [999, 1000, 1001]):
        slates = np.asarray(walker.rank(np.array(people), 3, asked(people, [()] * 3, lived)))
        for start, slate in zip(starts, slates.tolist(), strict=True):
            assert (start + 5) % RING in slate
        alone = walker.rank(np.array(people[1:2]), 3, asked(people[1:2], [()], lived[1:2]))
        assert np.array_equal(np.asarray(alone)[0], slates[1])


def test_equal_fits_are_equal_bytes_also_from_another_worker() -> None:
    once, again = made("BPR", 3), RecBole("BPR", 3, PYTHON, settings=SMALL)
    bits = [one.fit(camps()[0], rng(1, "fit")).learnt() for one in (once, once, again)]  # type: ignore[attr-defined]
    assert bits[0] == bits[1] == bits[2]
    assert bits[0] != once.fit(camps()[0], rng(2, "fit")).learnt()  # type: ignore[attr-defined]


def test_an_unknown_model_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"no model 'LightFCN'.*LightGCN"):
        made("LightFCN").fit(camps()[0], rng(1, "fit"))


def test_a_model_that_needs_more_is_refused_with_the_reason() -> None:
    with pytest.raises(BadInput, match="knowledge graph"):
        made("KSR").fit(camps()[0], rng(1, "fit"))


def test_a_fault_of_the_worker_is_told_and_the_next_fit_has_a_new_one() -> None:
    recommender = made("BPR", 2, embedding_size=-3)
    with pytest.raises(WorkerFault, match=r"exit code 1.*negative dimension"):
        recommender.fit(camps()[0], rng(1, "fit"))
    recommender.settings["embedding_size"] = 8
    assert hasattr(recommender.fit(camps()[0], rng(1, "fit")), "learnt")
