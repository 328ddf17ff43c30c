from __future__ import annotations

from array import array

import numpy as np
from hypothesis import given, strategies as st

from audience.world import INDIFFERENT, INTERESTED, Profile, taste_of, tastes
from audience.world.profile import drifted, shifted

TAGS = {"Comedy": 0, "Drama": 1, "Noir": 2}
UNIT = st.floats(0, 1)
TASTES = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(
    lambda values: array("f", values).tobytes()
)


def numbers(taste: bytes) -> list[float]:
    return [float(value) for value in tastes([taste])[0]]


def test_taste_starts_from_the_interests() -> None:
    taste = numbers(taste_of(Profile(0, interests=("Drama", "Knitting")), TAGS))
    assert np.allclose(taste, [INDIFFERENT, INTERESTED, INDIFFERENT])


def test_a_leaning_goes_before_the_interests() -> None:
    profile = Profile(0, interests=("Drama",), leaning=(0.5, -0.25, 1.0))
    assert numbers(taste_of(profile, TAGS)) == [0.5, -0.25, 1.0]


def test_what_was_lived_to_the_end_is_liked_more_and_what_was_dropped_less() -> None:
    taste = taste_of(Profile(0), TAGS)
    before = numbers(taste)
    liked, dropped = (numbers(drifted(taste, (0,), fraction, 0.1)) for fraction in (1.0, 0.0))
    assert liked[0] > before[0] > dropped[0]
    assert liked[1:] == dropped[1:] == before[1:]


def test_drift_goes_the_promised_way() -> None:
    taste = array("f", [0.5, 0.0, 0.0]).tobytes()
    moved = numbers(drifted(taste, (0, 1), 0.75, 0.1))
    # half enjoyed, two tags: 0.1 * 0.5 / 2 of the way to 1
    assert np.allclose(moved, [0.5 + 0.025 * 0.5, 0.025, 0.0])


@given(TASTES, st.sampled_from([(), (0,), (0, 2), (0, 1, 2)]), UNIT, UNIT)
def test_drift_stays_inside_the_range(
    taste: bytes, tags: tuple[int, ...], fraction: float, drift: float
) -> None:
    moved = numbers(drifted(taste, tags, fraction, drift))
    assert all(-1.0 <= value <= 1.0 for value in moved)
    untouched = set(range(3)) - set(tags)
    assert all(moved[tag] == numbers(taste)[tag] for tag in untouched)


def test_without_drift_or_tags_the_taste_is_the_same_object() -> None:
    taste = taste_of(Profile(0), TAGS)
    assert drifted(taste, (0,), 1.0, 0.0) is taste
    assert drifted(taste, (), 1.0, 0.5) is taste


@given(TASTES, st.integers(0, 2), st.floats(-2, 2))
def test_a_shift_moves_one_tag_and_stays_inside_the_range(
    taste: bytes, tag: int, by: float
) -> None:
    before, after = numbers(taste), numbers(shifted(taste, tag, by))
    assert np.isclose(after[tag], min(1.0, max(-1.0, before[tag] + by)), atol=1e-6)
    assert [v for t, v in enumerate(after) if t != tag] == [
        v for t, v in enumerate(before) if t != tag
    ]


def test_tastes_of_many_are_rows() -> None:
    one, two = array("f", [0.0, 0.5]).tobytes(), array("f", [1.0, -1.0]).tobytes()
    assert tastes([one, two]).tolist() == [[0.0, 0.5], [1.0, -1.0]]
    assert tastes([b"", b""]).shape == (2, 0)
