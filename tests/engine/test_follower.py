from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from audience.engine import (
    Blocks,
    DriverStage,
    Follower,
    Row,
    Simulation,
    Told,
    can_share,
    plans_of,
)
from audience.log import Log, world_at
from audience.runs import start
from audience.scenario import Scenario, parse, parts_of
from audience.world import Chapter, View, World

SIZE = 7


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audience.engine.simulation.LEAST", 4)


class OneFollower:
    """A crew of one follower in this process, which shares nothing with the run but bytes."""

    def __init__(self, log: Log, world: World) -> None:
        scenario = parse(log.scenario)
        parts = parts_of(scenario, world.genesis)
        own = world_at(log, world.round)
        self.follower = Follower(own, parts, scenario.run, log.seed)
        self.news: list[Chapter] = []
        self.blocks = 0

    def hear(self, chapter: Chapter, _: View) -> None:
        self.news.append(chapter)

    def can_live(self, stage: DriverStage) -> bool:
        return can_share(stage)

    def lived(
        self, sim: Simulation, phase: int, rows: Sequence[Row], *, in_columns: bool
    ) -> Iterator[Sequence[Told]]:
        assert not in_columns, "this crew hears chapters, so they must be read"
        self.follower.follow(self.news)
        self.news = []
        blocks = Blocks(sim, plans_of(rows), [*range(0, len(rows), SIZE), len(rows)])
        for block in range(len(blocks)):
            self.blocks += 1
            yield blocks.unpack(self.follower.live(blocks.plans(block)))
            yield ()

    def close(self) -> None: ...


def scenario(text: str) -> Scenario:
    return parse(f'agents = 60\nrounds = 3\n{text}\n[activation]\nmethod = "random"\nshare = 0.9')


@pytest.mark.parametrize(
    "text",
    [
        'recommender = "ease"\nmemory = "recagent"',
        'mind = "grounded"\nrecommender = "bpr"\n[run]\nrefit = 2',
        'recommender = "random"\n[platform]\nrandom_k = 2\nfeed = "ranked"',
        'recommender = "popular"\n[groups]\nshare = 0.5\nsize = 3\n[ties]\ngrow = 0.5\nfade = 10.0',
        '[[interventions]]\nround = 2\ndo = "swap_recommender"\nkind = "random"\n'
        '[[interventions]]\nround = 3\ndo = "announce"\ntext = "Hello!"',
    ],
)
def test_what_a_follower_lives_is_the_run_of_one_process(text: str, tmp_path: Path) -> None:
    crews: list[OneFollower] = []

    def recruit(log: Log, world: World) -> OneFollower:
        crews.append(OneFollower(log, world))
        return crews[-1]

    alone = start(scenario(text), 5, tmp_path / "1")
    shared = start(scenario(text), 5, tmp_path / "2", recruit=recruit)
    assert crews[0].blocks >= 3 * 54 // SIZE
    assert shared.measured.digest == alone.measured.digest
    assert shared.decisions == alone.decisions
