"""Memories in whole simulations: however these are driven, cut or branched, stores are equal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audience.agents.rule import RuleMind
from audience.cli import main
from audience.engine import Rules
from audience.log import Log, world_at
from audience.memory import Agent4RecMemory, Memory, RecAgentMemory
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import Thoughts, World, changes as c, events as e

GENESIS = tiny_genesis(12, 40)
MIND = RuleMind(talkative=1.0, to_social=0.5, no_pick=0.5)
KINDS: dict[str, Callable[[], Memory]] = {
    "recagent": lambda: RecAgentMemory(similar=0.3, reflect_at=2.0, rate=0.6, capacity=4),
    "no-short": lambda: RecAgentMemory(short=False, reflect_at=2.0, rate=0.6),
    "agent4rec": Agent4RecMemory,
}
ROUNDS = 5


def lived(kind: str, **more: Any) -> tuple[World, ListKeeper]:
    rules = more.pop("rules", Rules(rounds=ROUNDS))
    return simulate(GENESIS, mind=MIND, memory=KINDS[kind](), rules=rules, **more)


def stores(world: World) -> list[Thoughts]:
    return [agent.thoughts for agent in world.agents]


def test_there_is_something_to_compare() -> None:
    world, keeper = lived("recagent")
    happened = {type(event) for event in keeper.events()}
    assert {e.Remembered, e.Enhanced, e.Settled, e.Reflected, e.Merged, e.Forgot} <= happened
    assert any(stores(world))


@pytest.mark.parametrize("kind", KINDS)
def test_waves_and_coroutines_remember_the_same(kind: str) -> None:
    _, waves = lived(kind)
    _, alone = lived(kind, rules=Rules(rounds=ROUNDS, batched=False, concurrency=3))
    assert waves.digest() == alone.digest()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_taken_up_at_any_round_remembers_the_same(kind: str) -> None:
    straight, keeper = lived(kind)
    for cut in range(1, ROUNDS):
        before, first = lived(kind, rules=Rules(rounds=cut))
        assert stores(before) != stores(straight)
        after, rest = lived(kind, world=before)
        assert stores(after) == stores(straight)
        assert first.events() + rest.events() == keeper.events()


def test_a_round_cut_before_its_memories_is_taken_up_with_the_same_ones() -> None:
    straight, keeper = lived("recagent")
    before, _ = lived("recagent", rules=Rules(rounds=2))
    found = [one for one in keeper.chapters if one.round == 3 and one.phase <= e.CONVERSATIONS]
    after, _ = lived("recagent", world=before, found=found)
    assert stores(after) == stores(straight)


def test_nothing_of_ones_memory_reaches_another() -> None:
    plain, _ = lived("recagent")
    secret = "I know where the treasure is buried."
    told, _ = lived("recagent", changes={ROUNDS: [c.Remind(3, secret, 0.9)]})
    assert any(one.text == secret for one in told.agents[3].thoughts)
    for other in range(12):
        if other != 3:
            assert told.agents[other].thoughts == plain.agents[other].thoughts


def test_events_of_memory_concern_the_one_whose_chapter_it_is() -> None:
    _, keeper = lived("recagent")
    chapters = [one for one in keeper.chapters if one.phase == e.MEMORY]
    assert chapters
    for chapter in chapters:
        for entry in chapter.entries:
            assert entry.event.agent == chapter.agent  # type: ignore[union-attr]


def command(*words: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    assert stopped.value.code == 0


def test_a_log_a_snapshot_and_a_branch_hold_every_store(tmp_path: Path) -> None:
    run, branch = tmp_path / "run", tmp_path / "branch"
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'title = "x"\nagents = 30\nrounds = 12\n[memory]\nkind = "recagent"\nsimilar = 0.4\n'
        "reflect_at = 2.0\nrate = 0.3\n[activation]\nmethod = 'random'\nshare = 0.9\n",
        "utf-8",
    )
    command("run", str(scenario), "--out", str(run), "--no-report", "--json")
    command("replay", str(run), "--check")
    with Log.open(run) as log:
        snapped = stores(world_at(log, 12))
        world = World(log.genesis())
        for chapter in log.chapters():
            for entry in chapter.entries:
                world.apply(entry.event)
        assert stores(world) == snapped
        assert sum(map(len, snapped)) > 30
    command("branch", str(run), "--at", "7", "--out", str(branch), "--no-report", "--json")
    command("resume", str(branch), "--no-report", "--json")
    with Log.open(run) as one, Log.open(branch) as two:
        assert one.digest() == two.digest()
        assert stores(world_at(two, 12)) == snapped
