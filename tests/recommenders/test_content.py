from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.recommenders.conftest import Show

from audience.errors import BadInput
from audience.recommenders import Content, RecommenderView, seen_by_recommender, text_of
from audience.recommenders.content import heaviest
from audience.world import Catalogue, Interactions, Item, rng

ITEMS = (
    Item(0, "Space Pilots", "A crew leaves for the stars.", ("Science",)),
    Item(1, "Last Waltz", "Two dancers fall in love.", ("Romance",)),
    Item(2, "Beyond the Stars", "A pilot and a crew in space.", ("Science",)),
    Item(3, "First Dance", "Love in a ballroom.", ("Romance",)),
    Item(4, "", "", ()),
)


def some_lived() -> RecommenderView:
    made = Interactions(Catalogue(ITEMS), 3)
    made.add(0, 0, 0, 1.0)
    made.add(1, 1, 0, 1.0)
    return seen_by_recommender(made)


def test_likeness_is_by_words_even_for_what_nobody_lived(shown: Show) -> None:
    ranker = Content().fit(some_lived(), rng(0, "fit"))
    assert shown(ranker, 0, 1, exclude=(0,)) == [2]
    assert shown(ranker, 1, 1, exclude=(1,)) == [3]
    assert shown(ranker, 0, 1, exclude=(3,), lived=(3,)) == [1]


def letters(texts: Sequence[str]) -> list[list[float]]:
    return [[text.lower().count("a"), text.lower().count("e"), 1.0] for text in texts]


def test_vectors_may_come_from_an_embedder_or_an_array(shown: Show) -> None:
    vectors = np.array(letters([text_of(item) for item in ITEMS]))
    by_call = Content(letters).fit(some_lived(), rng(0, "fit"))
    by_array = Content(vectors).fit(some_lived(), rng(0, "fit"))
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    wanted = [item for item in np.argsort(-(unit @ unit[0])).tolist() if item != 0]
    assert shown(by_call, 0, 4, exclude=(0,)) == shown(by_array, 0, 4, exclude=(0,)) == wanted


def test_vectors_of_another_number_of_items_are_refused() -> None:
    with pytest.raises(BadInput, match=r"gave \(4, 2\) for 5 items"):
        Content(np.zeros((4, 2))).fit(some_lived(), rng(0, "fit"))


def test_only_the_heaviest_words_tell() -> None:
    from scipy.sparse import csr_array

    taste = csr_array(np.array([[3.0, 4.0, 1.0, 0.0], [0.0, 0.0, 2.0, 0.0]], np.float32))
    kept = heaviest(taste, 2).toarray()
    assert kept == pytest.approx(np.array([[0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]))
