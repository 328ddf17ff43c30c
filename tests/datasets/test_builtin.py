from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audience.datasets import Books, Dataset, Films, RecSimTopics
from audience.datasets.loaders import Folder
from audience.errors import BadInput
from audience.world import HABITS, NO_HABITS, Clock, Genesis

CLOCK = Clock()


@pytest.mark.parametrize(("dataset", "noun"), [(Films(), "film"), (Books(), "book")])
def test_embedded_datasets_make_a_whole_genesis(dataset: Dataset, noun: str) -> None:
    genesis = dataset.genesis(120, 5, Clock(step="5h"))
    assert genesis.domain.noun == noun
    assert len(genesis.profiles) == 120
    assert len(genesis.ties.others) > 500
    assert genesis.clock.step == "5h"
    assert set(genesis.profiles[0].interests) <= set(genesis.catalogue.tags)
    assert genesis.digest == dataset.genesis(120, 5, Clock(step="5h")).digest
    assert genesis.digest != dataset.genesis(120, 6, Clock(step="5h")).digest
    assert Genesis.unpack(genesis.packed).digest == genesis.digest


@pytest.mark.parametrize("kind", [Films, Books])
def test_options_reach_people_and_ties(kind: type[Films] | type[Books]) -> None:
    lognormal, pareto = (
        kind(activity=name).genesis(200, 1, CLOCK) for name in ("lognormal", "pareto")
    )
    assert min(who.activity for who in pareto.profiles) >= 0.333
    assert min(who.activity for who in lognormal.profiles) < 0.333
    sparse = kind(degree=2).genesis(200, 1, CLOCK)
    assert len(sparse.ties.others) < 0.4 * len(pareto.ties.others)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"activity": "often"},
            "activity 'often' is unknown; known: 'equal', 'lognormal', 'pareto'",
        ),
        ({"degree": "many"}, "degree 'many' is not a number of ties"),
    ],
)
def test_bad_options_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Films(**options)


def test_all_of_them_are_datasets() -> None:
    for dataset in (Films(), Books(), RecSimTopics(), Folder("anywhere")):
        assert isinstance(dataset, Dataset)


def test_recsim_topics_are_poor_and_good() -> None:
    genesis = RecSimTopics().genesis(40, 2, CLOCK)
    catalogue = genesis.catalogue
    assert len(catalogue) == 2000
    assert catalogue.tags == tuple(f"topic {topic}" for topic in range(20))
    topics = np.array([tags[0] for tags in catalogue.tags_of])
    means = np.array([catalogue.quality[topics == topic].mean() for topic in range(20)]) * 6 - 3
    wanted = np.concatenate([np.linspace(-3, 0, 14), np.linspace(0, 3, 6)])
    assert np.abs(means - wanted).max() < 0.06
    assert np.bincount(topics).min() > 60
    assert {item.minutes for item in catalogue.items} == {4.0}
    assert catalogue.quality.min() >= 0
    assert catalogue.quality.max() <= 1


def test_recsim_people_start_with_a_uniform_taste_and_nothing_else() -> None:
    genesis = RecSimTopics(items=10).genesis(2000, 2, CLOCK)
    assert len(genesis.ties.others) == 0
    assert {who.habits for who in genesis.profiles} == {NO_HABITS}
    assert {getattr(genesis.profiles[0].habits, habit) for habit in HABITS} == {0.0}
    leanings = np.array([who.leaning for who in genesis.profiles])
    assert leanings.shape == (2000, 20)
    assert leanings.min() >= -1
    assert leanings.max() <= 1
    assert abs(leanings.mean()) < 0.02
    assert leanings.var() == pytest.approx(1 / 3, rel=0.03)


def test_recsim_needs_items_and_people() -> None:
    with pytest.raises(BadInput, match="items is 0"):
        RecSimTopics(items=0)
    with pytest.raises(BadInput, match="0 people were requested"):
        RecSimTopics().genesis(0, 1, CLOCK)
