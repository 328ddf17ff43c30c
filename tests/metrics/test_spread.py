from __future__ import annotations

import math

import pytest

from audience.agents.rule import RuleMind
from audience.engine import Activation, Rules
from audience.metrics import LABELS, Cascades, Metrics, measure, standing, suite
from audience.metrics.spread import NUMBERS, Cascade, Spreading
from audience.testing import simulate, tiny_genesis
from audience.world import Forwarded, Posted, Raise, Topic

GENESIS = tiny_genesis(40, 20)
CHANGES = {
    2: [Raise(Topic("a tram", "A tram!", favour=0.4), (0, 9))],
    3: [Raise(Topic("b", "c"), (5,))],
}


def forward(post: str, source: str, root: str) -> Forwarded:
    return Forwarded(1, post, source, 0, "text", (), 0.0, 0, root)


def test_cascades_are_the_trees_of_forwards() -> None:
    cascades = Cascades()
    cascades.add(Posted(0, "a", "text", topic=0))
    for post, source in (("b", "a"), ("c", "a"), ("d", "b"), ("e", "d"), ("f", "d"), ("g", "d")):
        cascades.add(forward(post, source, "a"))
    cascades.add(Posted(0, "z", "text", topic=1))
    assert cascades.sizes() == {"a": Cascade(7, 3, 3), "z": Cascade(1, 0, 1)}
    assert cascades.largest() == Cascade(7, 3, 3)
    assert cascades.topic == {"a": 0, "z": 1}
    assert Cascades().largest() == Cascade(0, 0, 0)


def test_a_run_without_topics_says_nothing_of_them() -> None:
    metrics = Metrics([Spreading()])
    simulate(GENESIS, listeners=[metrics.update_chapter])
    assert metrics.value() == {}
    assert all(set(row) == {"round"} for row in metrics.by_round())


def test_numbers_are_those_of_the_world_at_the_end_of_each_round() -> None:
    metrics = suite()
    world, keeper = simulate(
        GENESIS,
        mind=RuleMind(news_tell=0.5),
        activation=Activation("reached"),
        changes=CHANGES,
        rules=Rules(rounds=6),
        listeners=[metrics.update_chapter],
    )
    spread, found = world.spread, metrics.value()
    knowing = spread.aware > 0
    assert found["reach"] == pytest.approx(knowing.mean())
    assert found["emotion"] == pytest.approx(spread.level[knowing].mean() / 2)
    views = spread.stance[spread.stance != 0]
    assert found["positive"] == pytest.approx((views > 0).mean())
    messages = [x for x in keeper.events() if isinstance(x, (Posted, Forwarded)) and x.topic >= 0]
    assert found["told"] == len(messages)
    rounds = metrics.by_round()
    assert "reach" not in rounds[0]
    curve = [row["reach"] for row in rounds[2:]]
    assert curve == sorted(curve)
    assert curve[-1] == found["reach"]
    assert sum(row["told"] for row in rounds[1:]) == found["told"]
    assert found["cascade_scale"] >= found["cascade_breadth"]
    assert set(NUMBERS) <= set(found) <= set(LABELS)
    again = measure(keeper.ordered(), GENESIS).value()
    assert [repr(again[name]) for name in found] == [repr(value) for value in found.values()]


def test_one_topic_is_told_apart_from_another() -> None:
    world = simulate(
        GENESIS, activation=Activation("reached"), changes=CHANGES, rules=Rules(rounds=4)
    )[0]
    first, second = standing(world.spread, 0), standing(world.spread, 1)
    assert first["reach"] == (world.spread.aware[0] > 0).mean()
    assert second["reach"] == (world.spread.aware[1] > 0).mean()


def test_emotion_in_words_is_of_what_was_written_or_passed_on() -> None:
    metrics = Metrics([Spreading()])
    simulate(
        GENESIS,
        mind=RuleMind(news_tell=-50.0),
        activation=Activation("reached"),
        changes=CHANGES,
        rules=Rules(rounds=3),
        listeners=[metrics.update_chapter],
    )
    assert metrics.value()["emotion_words"] == pytest.approx((0.5 + 0.5 + 0.0) / 3)
    assert math.isnan(metrics.by_round()[-1]["emotion_words"]) or metrics.by_round()[-1]["told"]
