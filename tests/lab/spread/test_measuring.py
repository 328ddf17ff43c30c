from __future__ import annotations

from pathlib import Path

import pytest

from audience.lab.spread import curves_of
from audience.lab.spread.real import anybody, society, tried
from audience.runs import launch as runs
from audience.scenario import parse
from audience.world import Topic

SCENARIO = """
agents = 150
rounds = 6
mind = { kind = "rule", news_tell = -0.5 }
[spread]
graph = "preferential"
[[spread.topics]]
name = "tram"
text = "A tram!"
seeds = 5
[[spread.topics]]
name = "bridge"
text = "A bridge."
at = 3
"""


def test_the_curves_of_a_run_are_in_its_log(tmp_path: Path) -> None:
    done = runs.start(parse(SCENARIO), 1, tmp_path / "run")
    tram, bridge = curves_of(tmp_path / "run")
    assert (tram.topic, bridge.topic) == ("tram", "bridge")
    assert (len(tram.reach), len(bridge.reach)) == (6, 4)
    assert list(tram.reach) == sorted(tram.reach)
    assert all(active <= reach for active, reach in zip(tram.active, tram.reach, strict=True))
    assert (tram.reach[-1] + bridge.reach[-1]) / 2 == pytest.approx(done.measured.totals["reach"])
    assert max(tram.scale[-1], bridge.scale[-1]) == done.measured.totals["cascade_scale"]
    assert max(tram.depth[-1], bridge.depth[-1]) == done.measured.totals["cascade_depth"]
    assert tram.emotion_words[0] == 0.5
    assert 0.0 < tram.emotion[2] <= 1.0


def test_a_spread_is_tried_without_a_folder() -> None:
    people = society(300, 1)
    seeds = anybody(300, 6, 1)
    assert len(set(seeds)) == 6
    topic = Topic("tram", "A tram.")
    shy = tried(people, topic, seeds, 8, 1, rules={"news_tell": -4.0})
    eager = tried(people, topic, seeds, 8, 1, rules={"news_tell": 0.0})
    assert shy.reach[-1] < eager.reach[-1]
    slow = tried(people, topic, seeds, 8, 1, attention=0.2, rules={"news_tell": 0.0})
    assert slow.active[3] < eager.active[3]
    assert tried(people, topic, seeds, 8, 1, rules={"news_tell": 0.0}) == eager
