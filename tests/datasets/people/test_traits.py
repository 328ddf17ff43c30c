"""Traits of real people, from the training part alone."""

from __future__ import annotations

import numpy as np
import pytest
from tests.datasets.files import ABSENT, SHARED

from audience.datasets import Columns, Corpus, Training, by_ratio
from audience.datasets.loaders import recognise
from audience.datasets.people import habits_of, traits_of
from audience.datasets.people.traits import UNKNOWN, WORDS
from audience.world import Habits, Item, Profile

TAGS = [("A",), ("B",), ("C",), ("D",), ("A", "B"), ()]


def corpus(rows: list[tuple[int, int, float]], people: int = 3) -> Corpus:
    """Return what people (place, item, stars) did, in this order."""
    users, items, stars = (np.array(column) for column in zip(*rows, strict=True))
    at = np.arange(len(rows))
    lived = Columns(users, items, at, stars.astype(np.float64), np.ones(len(rows)))
    things = tuple(Item(place, f"Item {place}", tags=tags) for place, tags in enumerate(TAGS))
    return Corpus("tiny", things, tuple(Profile(n, key=str(n)) for n in range(people)), lived)


def test_conformity_is_the_mean_square_distance_to_the_item_means() -> None:
    rows = [(0, 0, 5.0), (1, 0, 3.0), (2, 0, 1.0), (0, 1, 4.0), (1, 1, 2.0)]
    found = traits_of(Training(corpus(rows))).conformity
    # Item 0 has a mean of 3, item 1 of 3.
    assert found.values.tolist() == [(4 + 1) / 2, (0 + 1) / 2, 4.0]
    assert found.tiers.tolist() == [1, 0, 2]


def test_an_interaction_without_stars_says_nothing_of_conformity() -> None:
    found = traits_of(Training(corpus([(0, 0, 0.0), (1, 0, 3.0), (1, 1, 0.0)])))
    assert np.isnan(found.conformity.values[[0, 2]]).all()
    assert found.conformity.values[1] == 0.0
    assert found.conformity.tiers.tolist() == [UNKNOWN, 1, UNKNOWN]
    assert found.activity.values[:2].tolist() == [1.0, 2.0]


def test_diversity_counts_the_top_tags_that_cover_four_fifths() -> None:
    rows = [(0, 0, 0.0)] * 8 + [(0, 1, 0.0), (0, 2, 0.0)]
    rows += [(1, 0, 0.0), (1, 1, 0.0), (1, 2, 0.0), (1, 3, 0.0), (2, 5, 0.0)]
    found = traits_of(Training(corpus(rows)))
    assert found.diversity.values[:2].tolist() == [1.0, 4.0]
    assert found.tags.values[:2].tolist() == [3.0, 4.0]
    assert found.diversity.tiers.tolist() == [0, 2, UNKNOWN]


def test_the_tags_of_an_item_share_it() -> None:
    found = traits_of(Training(corpus([(0, 4, 0.0), (0, 4, 0.0), (0, 0, 0.0)])))
    assert found.tags.values[0] == 2.0
    assert found.diversity.values[0] == 2.0  # A has 2/3, less than 4/5


def test_tiers_are_thirds_and_equal_people_stay_together() -> None:
    rows = [(person, 0, 0.0) for person in range(9) for _ in range(person + 1)]
    found = traits_of(Training(corpus(rows, 9))).activity
    assert found.tiers.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert found.bounds == (3.0, 6.0)
    alike = traits_of(Training(corpus([(n, 0, 0.0) for n in range(9)], 9))).activity
    assert alike.tiers.tolist() == [1] * 9


def test_a_test_part_reaches_no_trait() -> None:
    rows = [(n % 3, n % 4, float(1 + n % 5)) for n in range(60)]
    one = by_ratio(corpus(rows), 0.25)
    changed = [
        (n, i, 5.0 - s + 1.0) if place >= 45 else (n, i, s) for place, (n, i, s) in enumerate(rows)
    ]
    other = by_ratio(corpus(changed), 0.25)
    first, second = traits_of(one.training), traits_of(other.training)
    assert first.conformity.values.tolist() == second.conformity.values.tolist()
    whole = traits_of(Training(corpus(changed)))
    assert whole.conformity.values.tolist() != second.conformity.values.tolist()


def test_words_say_what_is_known() -> None:
    rows = [(0, 0, 0.0), (0, 1, 0.0), (1, 0, 0.0)]
    found = traits_of(Training(corpus(rows)))
    assert found.words(0) == (WORDS["activity"][2], WORDS["diversity"][2])
    assert found.words(1) == (WORDS["activity"][0], WORDS["diversity"][0])
    assert found.words(2) == ()


def test_habits_follow_the_data_and_keep_what_it_does_not_say() -> None:
    rows = [(0, 0, 5.0), (0, 1, 5.0), (1, 0, 1.0), (2, 5, 0.0)]
    drawn = [Habits(0.1, 0.1, 0.1, 0.8, 0.9)] * 3
    found = habits_of(traits_of(Training(corpus(rows))), drawn, np.arange(3))
    assert [one.critic for one in found] == [0.25, 0.75, 0.1]
    assert found[0].watcher > found[1].watcher
    assert found[0].explorer > found[1].explorer
    assert found[2].explorer == 0.1
    assert {(one.chatter, one.poster) for one in found} == {(0.8, 0.9)}


def test_real_thirds_are_thirds() -> None:
    place = SHARED / "ml-100k"
    if not place.exists():
        pytest.skip(ABSENT)
    found = traits_of(Training(recognise(place).make(place).corpus()))
    for trait in (found.activity, found.conformity):
        assert np.bincount(trait.tiers).tolist() == pytest.approx([943 / 3] * 3, abs=4)
    assert found.diversity.known.all()
    assert 1 <= found.diversity.values.min() <= found.diversity.values.max() <= 18
    assert (found.diversity.values <= found.tags.values).all()
