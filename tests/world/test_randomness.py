from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from audience.world import Dice, dice, key, keys, rank, rng

SEEDS = st.integers(-(2**70), 2**70)
NUMBERS = st.integers(-(2**62), 2**62)
NAMES = st.one_of(st.text(max_size=8), NUMBERS)


@given(SEEDS, st.lists(NUMBERS, min_size=1, max_size=20), NAMES, NAMES)
def test_keys_of_many_are_the_keys_of_each(
    seed: int, numbers: list[int], first: str | int, last: str | int
) -> None:
    many = keys(seed, first, np.array(numbers, np.int64), last)
    assert many.tolist() == [key(seed, first, number, last) for number in numbers]


def test_keys_pair_two_columns() -> None:
    one, two = np.arange(5), np.arange(5) * 7
    wanted = [key(3, "a", a, b) for a, b in zip(one.tolist(), two.tolist(), strict=True)]
    assert keys(3, "a", one, two).tolist() == wanted


def test_keys_without_columns_are_one_key() -> None:
    assert keys(3, "a", 4).tolist() == [key(3, "a", 4)]


def test_draws_of_many_are_the_draws_of_each() -> None:
    many = dice(5, "d", np.arange(100))
    for agent in range(100):
        one = dice(5, "d", agent)
        assert one.uniform("x")[0] == many.uniform("x")[agent]
        assert np.array_equal(one.uniforms("x", 3)[0], many.uniforms("x", 3)[agent])
        assert np.array_equal(one.integers("x", 3)[0], many.integers("x", 3)[agent])
        assert np.array_equal(one.bell("x", 2)[0], many.bell("x", 2)[agent])


def test_more_draws_begin_with_the_same_draws() -> None:
    some = dice(5, "d", np.arange(4))
    assert np.array_equal(some.uniforms("x", 2), some.uniforms("x", 9)[:, :2])


def test_pick_keeps_the_keys_of_the_rows() -> None:
    some = dice(5, "d", np.arange(9))
    assert some.pick(np.array([7, 2])).keys.tolist() == [key(5, "d", 7), key(5, "d", 2)]
    assert len(some.pick(np.array([7, 2]))) == 2


def test_names_seeds_and_their_order_all_matter() -> None:
    found = {
        key(1, "a", 2),
        key(2, "a", 2),
        key(1, "b", 2),
        key(1, "a", 3),
        key(1, 2, "a"),
        key(1, "a"),
        key(1),
        key(1, "a", 2, 0),
    }
    assert len(found) == 8


def test_two_names_are_not_correlated() -> None:
    some = dice(9, "pairs", np.arange(20_000))
    first, second = some.uniform("one"), some.uniform("two")
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.03


def chi_square(draws: np.ndarray[tuple[int, ...], np.dtype[np.int64]], cells: int) -> float:
    counts = np.bincount(draws, minlength=cells)
    expected = len(draws) / cells
    return float(((counts - expected) ** 2 / expected).sum())


def test_uniform_fills_its_cells_evenly() -> None:
    draws = dice(1, "even", np.arange(50_000)).uniform("x")
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    # 99 degrees of freedom: 149 is passed once in a thousand
    assert chi_square((draws * 100).astype(np.int64), 100) < 149


def test_repeated_draws_of_one_key_fill_their_cells_evenly() -> None:
    draws = dice(1, "even", 7).uniforms("x", 50_000)[0]
    assert chi_square((draws * 100).astype(np.int64), 100) < 149


def test_consecutive_keys_differ_in_half_of_their_bits() -> None:
    made = keys(0, "bits", np.arange(4_000))
    flipped = [int(bits).bit_count() for bits in (made[1:] ^ made[:-1]).tolist()]
    assert 31.5 < float(np.mean(flipped)) < 32.5


def test_bell_has_mean_0_and_variance_1() -> None:
    draws = dice(1, "bell", np.arange(50_000)).bell("x")[:, 0]
    assert abs(float(draws.mean())) < 0.02
    assert abs(float(draws.var()) - 1.0) < 0.02


def test_bell_shapes() -> None:
    assert Dice(keys(0, np.arange(3))).bell("x", 4).shape == (3, 4)
    assert Dice(keys(0, np.arange(0))).uniforms("x", 4).shape == (0, 4)


@given(SEEDS, NAMES)
def test_rank_fits_a_signed_column(seed: int, name: str | int) -> None:
    assert 0 <= rank(seed, name) < 2**63


def test_generators_belong_to_their_names() -> None:
    again = rng(4, "fit", 2).random(5).tolist()
    assert rng(4, "fit", 2).random(5).tolist() == again
    assert rng(4, "fit", 3).random(5).tolist() != again
    assert rng(5, "fit", 2).random(5).tolist() != again


def test_draws_are_the_same_on_every_machine() -> None:
    assert key(7, "visit", 3, 1) == GOLDEN_KEY
    assert dice(7, "visit", 3).uniform("x")[0] == GOLDEN_DRAW


GOLDEN_KEY = 6087326068327629267
GOLDEN_DRAW = 0.5187494018001071


def test_draws_of_several_names_at_once_are_those_of_each_name() -> None:
    made = Dice(keys(5, "several", np.arange(7)))
    first, second = made.several((("pick", 3), ("stay", 8)))
    assert first.tolist() == made.uniforms("pick", 3).tolist()
    assert second.tolist() == made.uniforms("stay", 8).tolist()
