from __future__ import annotations

import asyncio

import pytest

from audience.engine import Rules
from audience.lab.evaluation.memory import BASELINES, ROOM, Everything, Last
from audience.memory import Recollection
from audience.testing import simulate, tiny_genesis
from audience.world import Agent


@pytest.fixture(scope="module")
def person() -> Agent:
    world, _ = simulate(tiny_genesis(), memory=Everything(), rules=Rules(rounds=6))
    return max(world.agents, key=lambda me: len(me.thoughts))


def recalled(kind: str, me: Agent, cue: str) -> Recollection:
    return asyncio.run(BASELINES[kind]().recall(me, cue, 0, 5))


def test_everything_is_kept_and_the_cue_finds_it(person: Agent) -> None:
    assert len(person.thoughts) > ROOM
    assert [one.id for one in person.thoughts] == list(range(person.thoughts_had))
    oldest = person.thoughts[0]
    found = recalled("everything", person, oldest.text).thoughts
    assert len(found) == ROOM
    assert found[0].text == oldest.text


def test_last_knows_the_newest_whatever_the_cue(person: Agent) -> None:
    assert recalled("last", person, "anything").thoughts == person.thoughts[-ROOM:]
    world, _ = simulate(tiny_genesis(), memory=Last(), rules=Rules(rounds=6))
    assert world.agents[person.profile.id].thoughts == person.thoughts


def test_who_has_lived_nothing_recalls_nothing() -> None:
    me = simulate(tiny_genesis(), rules=Rules(rounds=1))[0].agents[0]
    assert recalled("everything", me, "anything") == Recollection()
