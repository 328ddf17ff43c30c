"""People who live an item together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from audience.agents import Mark, Scene, Script
from audience.agents.rule import RuleMind
from audience.engine import Groups, Platform, Rules
from audience.engine.conversations import Talked
from audience.engine.groups import companies, gathering
from audience.engine.visit import Answer
from audience.errors import BadInput
from audience.llm.fake import Fake
from audience.log import Log
from audience.memory import RecAgentMemory
from audience.runs import start, story
from audience.scenario import parse
from audience.testing import ListKeeper, simulate, tiny_genesis
from audience.world import World, capture, events as e, restore
from audience.world.agent import NOWHERE

GENESIS = tiny_genesis(30, 60)
OFTEN = Groups(share=0.6, size=4, kinds=("friend", "colleague"))
Serving = Callable[..., AbstractContextManager[Fake]]


def came(world: World, people: int = 30) -> World:
    for event in (e.RunStarted(5, "", 0.0), e.RoundStarted(2, 1_000)):
        world.apply(event)
    for who in range(people):
        world.apply(e.Woke(who, 1_000))
        world.apply(e.Left(who))
    return world


def gathered(keeper: ListKeeper) -> list[e.Gathered]:
    return [event for event in keeper.events() if isinstance(event, e.Gathered)]


def test_groups_are_of_ties_of_the_right_kind_and_nobody_is_in_two() -> None:
    world = came(World(GENESIS))
    found = [members for _, members in companies(world, OFTEN)]
    everybody = [who for members in found for who in members]
    assert len(found) > 3
    assert len(everybody) == len(set(everybody))
    assert {len(members) for members in found} <= {2, 3, 4}
    for host, *guests in found:
        assert set(guests) <= set(world.graph.neighbours(host))
    only = companies(world, Groups(share=1.0, kinds=("colleague",)))
    for _, (host, *guests) in only:
        kinds = [world.graph.tie(host, guest) for guest in guests]
        assert all(tie is not None and tie.kind == "colleague" for tie in kinds)
    assert companies(world, Groups(share=1.0, kinds=("family",))) == []
    assert companies(world, Groups()) == []


def test_hosts_came_this_round_and_whoever_is_engaged_or_silent_stays_out() -> None:
    world = came(World(GENESIS), people=6)
    every = Groups(share=1.0, kinds=("friend", "colleague"))
    hosts = {members[0] for _, members in companies(world, every)}
    assert hosts
    assert hosts <= set(range(6))
    inside = {who for _, members in companies(world, every, busy=(3, 4)) for who in members}
    assert not inside & {3, 4}


def lived(marks: list[list[float]], rule: str, stars: int = 4) -> tuple[tuple[int, ...], Talked]:
    """Let 0 gather with 1 and 2; return what they chose among and what came of it."""
    world = came(World(GENESIS))
    evening = gathering(world, Platform(), (0, 1, 2), Groups(share=1.0, rule=rule, items=3))
    need = next(evening)
    answer: Answer
    try:
        for turn in range(5):
            if isinstance(need, Scene):
                items = need.seen[0].me.situation.slate
                rows = tuple(tuple(Mark(score, stars) for score in row) for row in marks)
                answer = Script(marks=rows, calls=("call",))
            else:
                answer = tuple(range(10 * turn, 10 * turn + 6))
            need = evening.send(answer)
    except StopIteration as stop:
        talked: Talked = stop.value
        return items, talked
    raise AssertionError("the evening wants to go on")


MARKS = [[0.9, 0.5, 0.6], [0.1, 0.5, 0.3], [0.7, 0.5, 1.0]]


@pytest.mark.parametrize(
    ("rule", "place"),
    [("average", 2), ("least-misery", 1), ("most-pleasure", 2), ("dictator", 0)],
)
def test_each_rule_chooses_as_it_says(rule: str, place: int) -> None:
    items, talked = lived(MARKS, rule)
    assert items == (0, 10, 20)
    first = talked.entries[0]
    assert isinstance(first.event, e.Gathered)
    assert first.calls == ("call",)
    assert (first.event.item, first.event.rule) == (items[place], rule)
    assert first.event.scores == tuple(row[place] for row in MARKS)
    assert first.event.members == (0, 1, 2)


def test_all_live_it_to_the_same_point_and_each_has_its_own_mark() -> None:
    _, talked = lived(MARKS, "average", stars=3)
    events = [entry.event for entry in talked.entries]
    watched = [event for event in events if isinstance(event, e.Watched)]
    assert {event.fraction for event in watched} == {0.907}
    assert [event.agent for event in watched] == [0, 1, 2]
    parted = [event for event in events if isinstance(event, e.Parted)]
    assert [event.company for event in parted] == [(1, 2), (0, 2), (0, 1)]
    assert [event.satisfaction for event in parted] == [0.6, 0.3, 1.0]


@pytest.mark.parametrize(
    "marks", [[], [[0.5] * 3] * 2, [[0.5] * 2] * 3, [[0.5, 0.5, 1.5]] * 3, [[float("nan")] * 3] * 3]
)
def test_marks_that_are_no_use_become_failed(marks: list[list[float]]) -> None:
    _, talked = lived(marks, "average")
    (entry,) = talked.entries
    assert isinstance(entry.event, e.Failed)
    assert entry.event.why.startswith("together: ")
    assert entry.calls == ("call",)


@pytest.mark.parametrize("order", ["together", "one-by-one"])
def test_a_run_is_the_same_in_waves_alone_taken_up_and_restored(order: str) -> None:
    mind, rules = RuleMind(talkative=1.0), Rules(rounds=4, order=order)
    world, keeper = simulate(GENESIS, mind=mind, rules=rules, groups=OFTEN)
    assert len(gathered(keeper)) > 10
    alone = Rules(rounds=4, order=order, batched=False, concurrency=3)
    _, other = simulate(GENESIS, mind=mind, rules=alone, groups=OFTEN)
    assert other.digest() == keeper.digest()
    before, first = simulate(GENESIS, mind=mind, rules=Rules(rounds=2, order=order), groups=OFTEN)
    shot = capture(before)
    again = restore(GENESIS, [shot.shared], shot.agents)
    after, rest = simulate(GENESIS, mind=mind, rules=rules, groups=OFTEN, world=again)
    assert first.events() + rest.events() == keeper.events()
    assert list(after.agents) == list(world.agents)
    assert all(me.situation == NOWHERE for me in world.agents)


def test_a_round_cut_among_its_evenings_ends_the_same() -> None:
    mind = RuleMind(talkative=1.0)
    straight, keeper = simulate(GENESIS, mind=mind, rules=Rules(rounds=2), groups=OFTEN)
    second = [one for one in keeper.ordered() if one.round == 2]
    evenings = [one for one in second if one.phase == e.CONVERSATIONS]
    for keep in (0, 1, len(evenings) // 2, len(evenings)):
        before, _ = simulate(GENESIS, mind=mind, rules=Rules(rounds=1), groups=OFTEN)
        found = [one for one in second if one.phase < e.CONVERSATIONS] + evenings[:keep]
        after, _ = simulate(
            GENESIS, mind=mind, rules=Rules(rounds=2), groups=OFTEN, world=before, found=found
        )
        assert list(after.agents) == list(straight.agents)


def test_what_was_lived_together_is_lived_learnt_from_and_felt() -> None:
    world, keeper = simulate(GENESIS, rules=Rules(rounds=1), groups=OFTEN)
    plain, _ = simulate(GENESIS, rules=Rules(rounds=1))
    for event in gathered(keeper):
        for member in event.members:
            last = world.agents[member].history[-1]
            assert (last.item, last.at) == (event.item, event.at)
            assert last.stars in (1, 2, 3, 4, 5)
    extra = sum(len(event.members) for event in gathered(keeper))
    assert len(world.interactions) == len(plain.interactions) + extra
    members = [who for event in gathered(keeper) for who in event.members]
    assert not np.array_equal(world.satisfaction[members], plain.satisfaction[members])


def test_the_others_are_remembered_by_name() -> None:
    world, keeper = simulate(
        GENESIS, rules=Rules(rounds=1), groups=OFTEN, memory=RecAgentMemory(), mind=RuleMind()
    )
    event = gathered(keeper)[0]
    names = {who: world.profile(who).name for who in event.members}
    for who in event.members:
        kept = [
            one.text
            for one in keeper.events()
            if isinstance(one, e.Remembered) and one.agent == who and "together with" in one.text
        ]
        others = [name for other, name in names.items() if other != who]
        assert len(kept) == 1
        assert all(name in kept[0] for name in others), kept


FAMILY = """
agents = 40
rounds = 2
mind = "{mind}"
memory = "{memory}"
[llm]
url = "{url}"
price = "free"
[groups]
share = 0.7
size = 4
rule = "least-misery"
[activation]
method = "random"
share = 0.7
"""


@pytest.mark.parametrize("mind", ["llm", "voiced", "rule"])
def test_every_mind_can_and_a_model_is_asked_once_a_group(
    serving: Serving, tmp_path: Path, mind: str
) -> None:
    memory = "recagent" if mind == "llm" else "none"
    with serving() as fake:
        text = FAMILY.format(mind=mind, url=fake.url, memory=memory)
        done = start(parse(text), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        records = list(log.records())
        told = list(story(log, 2, only=(e.Gathered, e.Parted)))
    groups = [record for record in records if isinstance(record.event, e.Gathered)]
    assert len(groups) > 5
    assert not any(isinstance(record.event, e.Failed) for record in records)
    totals = done.measured.totals
    assert totals["group_visits"] == len(groups)
    assert 0.0 < totals["satisfaction_together"] < 1.0
    assert "together" in told[0]
    if mind == "llm":
        assert done.purposes["together"].calls == len(groups)
        assert all(len(record.calls) == 1 for record in groups)
    else:
        assert "together" not in done.purposes


def test_an_unreadable_choice_is_asked_for_once_more_and_then_fails(
    serving: Serving, tmp_path: Path
) -> None:
    says = {"They are together": "We cannot agree.", "could not be used": "No."}
    with serving(says=says) as fake:
        text = FAMILY.format(mind="llm", url=fake.url, memory="none")
        done = start(parse(text), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        events = [record.event for record in log.records()]
    failed = [event for event in events if isinstance(event, e.Failed)]
    assert failed
    assert all(event.why.startswith("together: ") for event in failed)
    assert not any(isinstance(event, e.Gathered | e.Parted) for event in events)
    assert done.purposes["together"].calls == 2 * len(failed)


def test_a_mistake_in_the_scenario_is_named() -> None:
    for written, said in (
        ("rule = 'vote'", "rule 'vote' is unknown; known: 'average'"),
        ("share = 2", "share: 2.0 is not between 0 and 1"),
        ("size = 1", "size: 1 is too small"),
        ("kinds = []", "groups: kinds is empty"),
    ):
        with pytest.raises(BadInput) as told:
            parse(f"[groups]\n{written}\n")
        assert said in str(told.value)


def test_a_mind_that_cannot_choose_for_several_is_refused(tmp_path: Path) -> None:
    text = "agents = 5\nmind = 'recsim'\ndataset = 'recsim'\n[groups]\nshare = 0.5\n"
    with pytest.raises(BadInput, match="cannot choose for several people"):
        start(parse(text), 1, tmp_path / "run")
