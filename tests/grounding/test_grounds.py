from __future__ import annotations

import numpy as np
import pytest

from audience.errors import BadInput
from audience.grounding import Grounds, Lives, fit_chooser, fit_evidence, fit_grounds
from audience.grounding.evidence import MOST, SAYINGS, words_of
from audience.testing import tiny_genesis
from audience.world import Interactions, rng

PEOPLE, ITEMS = 120, 60


def lives(people: int = PEOPLE, more: tuple[tuple[int, int], ...] = ()) -> Lives:
    """Return people of two camps who go through their half of the items in order, with gaps."""
    made = Interactions(tiny_genesis(PEOPLE, ITEMS).catalogue, PEOPLE)
    rows = []
    for who in range(people):
        draw = rng(4, "camp", who)
        begin = (who % 2) * ITEMS // 2
        items = [begin + item for item in range(ITEMS // 2) if draw.random() < 0.6]
        rows += [(100 * place + who, who, item) for place, item in enumerate(items)]
    for at, who, item in sorted(rows):
        made.add(who, item, at, 1.0)
    for who, item in more:
        made.add(who, item, 10**6, 1.0)
    return Lives.of(made)


@pytest.fixture(scope="module")
def grounds() -> Grounds:
    return fit_grounds(lives())


HISTORIES = [(0, 1, 3, 4), (30, 32, 33), (5,), (), (41, 42, 44, 45, 47)]
SHOWN = [(5, 40, 6, 50), (34, 2), (6, 7, 31), (1, 55, 8), (48,)]


def test_what_the_camp_goes_on_to_is_likelier(grounds: Grounds) -> None:
    first, second, *_ = grounds.log_odds(HISTORIES, SHOWN)
    assert min(first[0], first[2]) > max(first[1], first[3])
    assert second[0] > second[1]


def test_a_case_is_scored_alike_in_any_company(grounds: Grounds) -> None:
    together = grounds.log_odds(HISTORIES, SHOWN)
    for place in range(len(HISTORIES)):
        (alone,) = grounds.log_odds([HISTORIES[place]], [SHOWN[place]])
        assert alone.tolist() == together[place].tolist()


def test_equal_lives_give_equal_grounds(grounds: Grounds) -> None:
    again = fit_grounds.__wrapped__(lives())
    pairs = zip(grounds.log_odds(HISTORIES, SHOWN), again.log_odds(HISTORIES, SHOWN), strict=True)
    assert all(one.tolist() == other.tolist() for one, other in pairs)


def test_nothing_that_is_not_in_the_training_part_moves_a_score() -> None:
    whole = lives(more=((3, 55), (4, 1), (8, 20)))
    train = whole.at < 10**6
    kept = Lives(
        whole.catalogue,
        whole.people,
        whole.users[train],
        whole.items[train],
        whole.at[train],
        whole.stars[train],
    )
    plain = fit_evidence(lives()).of(HISTORIES, SHOWN)
    for one, other in zip(plain, fit_evidence(kept).of(HISTORIES, SHOWN), strict=True):
        assert np.array_equal(one, other, equal_nan=True)
    planted = fit_evidence(whole).of(HISTORIES, SHOWN)
    assert any(not np.array_equal(one, other) for one, other in zip(plain, planted, strict=True))


def test_evidence_is_finite_also_for_strangers_and_unknown_items(grounds: Grounds) -> None:
    for one in grounds.evidence.of(HISTORIES, SHOWN):
        assert np.isfinite(one).all()
        assert one.shape[1] == len(grounds.evidence.names)


def test_too_few_lives_are_refused_with_a_remedy() -> None:
    with pytest.raises(BadInput, match="kept back to learn choosing from"):
        fit_chooser(lives(people=4))


def test_only_what_stands_out_is_put_into_words(grounds: Grounds) -> None:
    told = grounds.words(HISTORIES[0], SHOWN[0])
    assert len(told) == 4
    known = {words for _, *both in SAYINGS for words in both}
    for words in told:
        parts = words.split("; ") if words else []
        assert len(parts) <= MOST
        assert set(parts) <= known
    assert any(told)
    assert grounds.words(HISTORIES[0], []) == []


def test_a_list_of_one_and_a_flat_list_say_nothing() -> None:
    names = [name for name, _, _ in SAYINGS]
    assert words_of(names, np.ones((1, len(names)))) == [""]
    assert words_of(names, np.ones((3, len(names)))) == ["", "", ""]
