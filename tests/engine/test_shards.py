from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial, partialmethod
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import Blocks, Groups, Paused, Rules, TieRules, cuts_of
from audience.engine.drivers import MindFault
from audience.engine.forks import SharedWork, shared_out
from audience.engine.harvest import HarvestedBlocks
from audience.llm.fake import Fake
from audience.log import Log, Snapshooter
from audience.memory import Memory
from audience.runs import Finished, resume, start
from audience.scenario import Scenario, SpendingOptions, parse
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import (
    NOTHING,
    OPENING,
    VISITS,
    Dice,
    Observation,
    World,
    capture,
    events as e,
)

GENESIS = tiny_genesis(60, 40)


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audience.engine.simulation.LEAST", 4)
    monkeypatch.setattr("audience.engine.shards._SMALLEST", 3)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of blocks of each phase that was shared out."""
    seen: list[int] = []

    def counted(work: SharedWork[object], blocks: int, workers: int) -> object:
        seen.append(blocks)
        return shared_out(work, blocks, workers)

    monkeypatch.setattr("audience.engine.shards.shared_out", counted)
    return seen


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many blocks of other processes were told by their events, and how many in columns."""
    seen: Counter[str] = Counter()
    for kind, name in ((Blocks, "events"), (HarvestedBlocks, "columns")):
        monkeypatch.setattr(kind, "unpack", partialmethod(_noted, kind.unpack, seen, name))
    return seen


def _noted(self: object, unpack: Any, seen: Counter[str], name: str, sent: bytes) -> object:
    seen[name] += 1
    return unpack(self, sent)


@pytest.mark.parametrize("is_heard", [False, True])
def test_any_number_of_workers_gives_the_same_chapters(
    forked: list[int], told: Counter[str], is_heard: bool
) -> None:
    options: dict[str, Any] = {
        "rules": Rules(rounds=3),
        "ties": TieRules(grow=0.5, fade=10.0, rewire=0.1, every=1),
        "groups": Groups(share=0.5, size=3),
    }
    alone, kept = simulate(GENESIS, **options)
    assert not forked
    heard: list[e.AnyEvent] = []
    if is_heard:
        options["listeners"] = [lambda told, _: heard.extend(each.event for each in told.entries)]
    for workers in (2, 3):
        world, shared = simulate(GENESIS, workers=workers, **options)
        assert shared.digest() == kept.digest()
        assert world.agents.changed == alone.agents.changed
        assert capture(world, NOTHING) == capture(alone, NOTHING)
        assert heard == (kept.events() if is_heard else [])
        heard.clear()
    assert len(forked) > 6, "meetings are shared out too"
    assert told["events"]
    assert bool(told["columns"]) is not is_heard


@pytest.fixture(autouse=True)
def _snapshots_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audience.runs.launch.Snapshooter", partial(Snapshooter, every=2))


def scenario(text: str) -> Scenario:
    return parse(f'agents = 80\nrounds = 3\n{text}\n[activation]\nmethod = "random"\nshare = 0.9')


@pytest.mark.parametrize(
    "text",
    [
        'recommender = "ease"\nmemory = "recagent"',
        'mind = "grounded"\nrecommender = "random"',
        'recommender = "random"\n[platform]\nrandom_k = 2\nfeed = "ranked"',
        '[[interventions]]\nround = 2\ndo = "announce"\ntext = "Hello!"',
    ],
)
def test_runs_are_equal_in_bytes(
    text: str, tmp_path: Path, forked: list[int], told: Counter[str]
) -> None:
    alone = start(scenario(text), 5, tmp_path / "1")
    shared = start(scenario(text), 5, tmp_path / "2", workers=2)
    assert forked
    assert_equal(shared, alone)
    assert bool(told["columns"]) is ("memory" not in text), "memories hear what happened"


def assert_equal(shared: Finished, alone: Finished) -> None:
    """Compare all numbers of two runs, and what a resumed one would begin with."""
    assert shared.decisions == alone.decisions
    assert repr(replace(shared.measured, folder="", agents={})) == repr(
        replace(alone.measured, folder="", agents={})
    )
    for name, numbers in alone.measured.agents.items():
        np.testing.assert_array_equal(shared.measured.agents[name], numbers)
    snapshots = []
    for run in (shared, alone):
        with Log.open(Path(run.measured.folder)) as log:
            snapshots.append(log.query("SELECT agent, round, body FROM snapshots ORDER BY 1, 2"))
    assert snapshots[0] == snapshots[1]
    assert snapshots[0]


def test_a_metric_of_ones_own_sees_every_event(
    tmp_path: Path, forked: list[int], told: Counter[str]
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    for kind, in_columns in (("Plain", False), ("Shared", True)):
        told.clear()
        wanted = scenario(f'metrics = ["{tmp_path / "own.py"}:{kind}"]')
        alone = start(wanted, 5, tmp_path / f"{kind}1")
        shared = start(wanted, 5, tmp_path / f"{kind}2", workers=2)
        assert_equal(shared, alone)
        assert shared.measured.totals["doors"] > 100.0
        assert bool(told["columns"]) is in_columns


OWN = """
from audience.world import Entered

class Plain:
    watches = (Entered,)
    def __init__(self): self.doors = 0
    def update(self, record, world): self.doors += 1
    def value(self): return {"doors": float(self.doors)}

class Shared(Plain):
    def taken(self):
        taken, self.doors = self.doors, 0
        return taken
    def merge(self, taken, world): self.doors += taken
"""


def test_where_there_are_topics_every_event_is_read(tmp_path: Path, told: Counter[str]) -> None:
    wanted = scenario(
        '[[interventions]]\nround = 2\ndo = "raise"\nname = "a library"\n'
        'text = "The town builds a library."\nseeds = [1, 2, 3]'
    )
    alone = start(wanted, 5, tmp_path / "1")
    shared = start(wanted, 5, tmp_path / "2", workers=2)
    assert_equal(shared, alone)
    assert told["columns"]
    assert told["events"]
    assert shared.measured.totals["told"] > 3.0


def test_a_run_goes_on_with_another_number_of_workers(tmp_path: Path, forked: list[int]) -> None:
    wanted = scenario('recommender = "ease"')
    whole = start(wanted, 5, tmp_path / "whole")
    commits = 0

    def stopping() -> bool:
        nonlocal commits
        commits += 1
        return commits > 9

    with pytest.raises(Exception, match="stopped in round"):
        start(wanted, 5, tmp_path / "run", workers=2, stopping=stopping)
    with Log.open(tmp_path / "run") as log:
        done = log.complete_rounds()
        found = len(log.partial(done + 1))
    assert 1 < found < 72, "it was stopped within a round"
    assert resume(tmp_path / "run", workers=3).measured.digest == whole.measured.digest


def test_visits_that_were_all_committed_are_applied_when_it_goes_on(tmp_path: Path) -> None:
    wanted = parse(
        'agents = 80\nrounds = 2\n[activation]\nmethod = "random"\nshare = 1.0\nloyalty = 0.0'
    )
    whole = start(wanted, 5, tmp_path / "whole")

    def phases() -> list[int]:
        with Log.open(tmp_path / "run") as log:
            return [chapter.phase for chapter in log.partial(2)]

    with pytest.raises(Exception, match="stopped in round 2"):
        start(wanted, 5, tmp_path / "run", workers=2, stopping=lambda: phases().count(VISITS) == 80)
    assert set(phases()) == {OPENING, VISITS}
    assert resume(tmp_path / "run", workers=2).measured.digest == whole.measured.digest


class Deadly(RuleMind):
    """A mind whose process dies the first time it thinks in another one."""

    def __init__(self, marker: Path) -> None:
        super().__init__()
        self.home, self.marker = os.getpid(), marker

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        if os.getpid() != self.home and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().decide_many(seen, dice)


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    _, kept = simulate(GENESIS)
    _, shared = simulate(GENESIS, mind=Deadly(tmp_path / "died"), workers=2)
    assert (tmp_path / "died").exists()
    assert shared.digest() == kept.digest()


class Broken(RuleMind):
    """A mind that raises in another process."""

    def __init__(self) -> None:
        super().__init__()
        self.home = os.getpid()

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        if os.getpid() != self.home:
            raise KeyError("taste")
        return super().decide_many(seen, dice)


def test_a_fault_in_a_worker_is_told_as_one_here() -> None:
    with pytest.raises(MindFault, match=r"Broken.decide_many raised KeyError\('taste'\)"):
        simulate(GENESIS, mind=Broken(), workers=2)


def test_asked_to_stop_it_keeps_whole_blocks() -> None:
    keeper = ListKeeper()
    with pytest.raises(Paused):
        simulate(GENESIS, workers=2, keeper=keeper, stopping=lambda: keeper.committed > 20)
    assert keeper.committed == len(keeper.chapters) < 61
    world = World(GENESIS)
    _, whole = simulate(GENESIS, rules=Rules(rounds=1))
    _, rest = simulate(
        GENESIS, world=world, found=keeper.ordered(), rules=Rules(rounds=1), workers=2
    )
    both = ListKeeper()
    both.chapters = [*keeper.chapters, *rest.chapters]
    assert both.digest() == whole.digest()


def test_visits_that_were_kept_stay_in_their_places(told: Counter[str]) -> None:
    alone, whole = simulate(GENESIS, rules=Rules(rounds=2))
    chapters = whole.ordered()
    first = [each for each in chapters if each.round == 1 and each.phase <= VISITS]
    found = [first[0], *first[1::3]]
    world, rest = simulate(
        GENESIS, world=World(GENESIS), found=found, rules=Rules(rounds=2), workers=2
    )
    both = ListKeeper()
    both.chapters = [*found, *rest.chapters]
    assert both.digest() == whole.digest()
    assert capture(world, NOTHING) == capture(alone, NOTHING)
    assert told["columns"], "the second round begins with none"


class Reading:
    """A keeper that takes chapters alone."""

    def __init__(self) -> None:
        self.kept = ListKeeper()
        self.append, self.commit = self.kept.append, self.kept.commit


def test_a_keeper_of_chapters_is_given_chapters(told: Counter[str]) -> None:
    _, whole = simulate(GENESIS)
    keeper = Reading()
    simulate(GENESIS, keeper=keeper, workers=2)  # type: ignore[arg-type]
    assert keeper.kept.digest() == whole.digest()
    assert not told["columns"]


@pytest.mark.parametrize(("plans", "workers"), [(0, 2), (1, 2), (3, 4), (5_000, 2), (99_999, 8)])
def test_blocks_become_smaller_towards_the_end(
    plans: int, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    cuts = cuts_of(plans, workers)
    sizes = [end - begin for begin, end in pairwise(cuts)]
    assert (cuts[0], cuts[-1]) == (0, plans)
    assert sizes == sorted(sizes, reverse=True)
    assert all(125 <= size <= 1_000 for size in sizes[:-1])


class Slow:
    """A mind that decides one by one, and so in this process."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        return RuleMind().decide_many([seen], dice)[0]


def test_minds_that_decide_one_by_one_stay_here(forked: list[int]) -> None:
    _, kept = simulate(GENESIS)
    _, own = simulate(GENESIS, mind=Slow(), workers=2)
    assert own.digest() == kept.digest()
    assert not forked


def test_replayed_minds_give_the_same_run_with_any_number_of_workers(
    serving: Callable[..., AbstractContextManager[Fake]], tmp_path: Path, forked: list[int]
) -> None:
    with serving() as fake:
        asking = parse(
            'agents = 12\nrounds = 2\nmind = "llm"\n[activation]\nmethod = "random"\nshare = 0.9\n'
            f'[llm]\nurl = "{fake.url}"\nmodel = "fake"\n'
        )
        first = start(asking, 5, tmp_path / "first", workers=2)
        assert fake.requests
    stored = SpendingOptions("stored", source=tmp_path / "first")
    for workers in (1, 3):
        again = start(asking, 5, tmp_path / str(workers), workers=workers, spending=stored)
        assert again.measured.digest == first.measured.digest
        assert again.decisions == first.decisions
    assert not forked, "their visits stay where the answers are"
