from __future__ import annotations

import numpy as np

from audience.world import Catalogue, Item

ITEMS = (
    Item(0, "A", tags=("Drama", "Noir"), minutes=90.0, quality=0.9, key="x1"),
    Item(1, "B", tags=("Drama",), minutes=60.0),
    Item(2, "C"),
)


def test_tags_are_numbered_in_alphabetical_order() -> None:
    catalogue = Catalogue(ITEMS)
    assert catalogue.tags == ("Drama", "Noir")
    assert catalogue.tags_of == ((0, 1), (0,), ())


def test_weights_of_an_item_sum_to_one() -> None:
    assert Catalogue(ITEMS).weights.tolist() == [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]


def test_columns_and_keys() -> None:
    catalogue = Catalogue(ITEMS)
    assert catalogue.quality.tolist() == [0.9, 0.5, 0.5]
    assert catalogue.minutes.tolist() == [90.0, 60.0, 0.0]
    assert catalogue.by_key == {"x1": 0}


def test_one_more_item_leaves_the_first_catalogue_as_it_is() -> None:
    catalogue = Catalogue(ITEMS, ("Comedy", "Drama", "Noir"))
    more = catalogue.plus(Item(3, "D", tags=("Comedy",)))
    assert (len(catalogue), len(more)) == (3, 4)
    assert more.tags == catalogue.tags
    assert np.array_equal(more.weights[:3], catalogue.weights)
    assert more[3].title == "D"
