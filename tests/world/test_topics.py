from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from audience.world import MUTUAL, ONE_WAY, Message, Profile, Topic, influence
from audience.world.topics import favoured, pooled, relevance, words_of

TOPIC = Topic("a tram", "A tram for the old town.", keep=3)


def message(root: str, round_: int = 1, trust: float = ONE_WAY, near: float = 0.0) -> Message:
    return Message(f"p{root}", 1, "text", (), 0.0, 0, 1, root, round_, trust, near)


def test_influence_is_age_relevance_and_source_in_equal_parts() -> None:
    one = message("a", 1, 0.6, 0.3)
    assert influence(one, 1, 3.0) == pytest.approx((1.0 + 0.3 + 0.6) / 3)
    assert influence(one, 4, 3.0) == pytest.approx((0.5 + 0.3 + 0.6) / 3)
    assert influence(one, 7, 3.0) == pytest.approx((0.25 + 0.3 + 0.6) / 3)
    assert influence(one, 10**6, 3.0) == pytest.approx((0.3 + 0.6) / 3)


def test_a_pool_keeps_the_most_influential_messages() -> None:
    pool: tuple[Message, ...] = ()
    for root, near in (("a", 0.9), ("b", 0.1), ("c", 0.5), ("d", 0.4)):
        pool = pooled(pool, message(root, near=near), 1, TOPIC)
    assert [one.root for one in pool] == ["a", "c", "d"]


def test_an_old_message_gives_way_to_a_fresh_one() -> None:
    pool = tuple(message(root, near=0.2) for root in "abc")
    after = pooled(pool, message("d", 9, near=0.1), 9, TOPIC)
    assert [one.root for one in after] == ["b", "c", "d"]


def test_what_is_heard_again_is_fresh_and_as_authentic_as_its_best_source() -> None:
    pool = pooled((), message("a", 1, MUTUAL), 1, TOPIC)
    pool = pooled(pool, message("a", 5, ONE_WAY), 5, TOPIC)
    assert [(one.round, one.trust) for one in pool] == [(5, MUTUAL)]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(0, 1)), max_size=40))
def test_a_pool_is_never_larger_than_it_may_be(told: list[tuple[str, float]]) -> None:
    pool: tuple[Message, ...] = ()
    for round_, (root, near) in enumerate(told, 1):
        pool = pooled(pool, message(root, round_, near=near), round_, TOPIC)
    assert len(pool) <= TOPIC.keep
    assert len({one.root for one in pool}) == len(pool)


def test_relevance_is_a_cosine_of_words() -> None:
    judge = Profile(0, career="judge", interests=("Drama",), traits=("patient",))
    text = "The judges have met."
    assert words_of(text) == {"judges", "met"}
    topic = Topic("x", "y", appeals=("judge", "Drama"))
    assert relevance(judge, topic, text) == pytest.approx(2 / (4 * 3) ** 0.5)
    assert relevance(Profile(1), topic, text) == 0.0
    assert relevance(judge, Topic("x", "y"), "") == 0.0


def test_a_profile_inclines_to_a_view() -> None:
    topic = Topic("x", "y", favour=0.5, favour_of={"fisher": 0.1, "Drama": 0.3, "zealous": 1.0})
    assert favoured(topic, Profile(0)) == 0.5
    assert favoured(topic, Profile(0, career="fisher")) == 0.1
    assert favoured(topic, Profile(0, career="fisher", interests=("Drama",))) == pytest.approx(0.2)
