"""Rounds by own clocks: ahead, window by window, cut and taken up again, with the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import OWN, Activation, Groups, Paused, Rules, TieRules, Timetable
from audience.engine.agenda import window_of
from audience.engine.drivers import in_waves
from audience.errors import BadInput
from audience.memory import Memory
from audience.recommenders import Random
from audience.testing import Diary, ListKeeper, ScriptedMind, SlowMind, simulate, tiny_genesis
from audience.world import (
    Clock,
    Dice,
    Genesis,
    Item,
    Observation,
    Profile,
    Topic,
    World,
    actions as a,
    changes as c,
    events as e,
    rng,
)

GENESIS = tiny_genesis(25, 105)
OFTEN = Timetable(OWN, visits=14)
TALKATIVE = RuleMind(talkative=1.0, to_social=0.5)
CHANGES: dict[int, Sequence[c.AnyChange]] = {
    2: [c.AddItem(Item(105, "Late", tags=("Drama",))), c.Announce("Look", (105,), 1.0)],
    3: [
        c.AddPerson(Profile(25, "New"), (0, 3)),
        c.Raise(Topic("News", "News of Drama"), (2, 9)),
        c.Silence(5),
        c.ChangeProfile(1, {"activity": 9.0}),
    ],
}
RULES = Rules(rounds=3)


def run(rules: Rules = RULES, **parts: Any) -> ListKeeper:
    given: dict[str, Any] = {
        "mind": TALKATIVE,
        "recommender": Random(),
        "activation": Activation("sample", 0.7, 0.8),
        "changes": CHANGES,
        "ties": TieRules(grow=0.1, fade=20),
        "groups": Groups(share=0.3),
        "time": OFTEN,
    }
    return simulate(GENESIS, rules=rules, **(given | parts))[1]


@pytest.fixture(scope="module")
def straight() -> ListKeeper:
    return run()


def visits(keeper: ListKeeper) -> list[e.Chapter]:
    return [chapter for chapter in keeper.ordered() if chapter.phase == e.VISITS]


def test_the_run_compared_here_is_worth_comparing(straight: ListKeeper) -> None:
    wanted = {e.Said, e.Posted, e.Delivered, e.Rated, e.Gathered, e.MoodShifted}
    assert wanted <= {type(event) for event in straight.events()}
    came = Counter((chapter.round, chapter.agent) for chapter in visits(straight))
    assert max(came.values()) > 2
    windows = Counter((chapter.round, window_of(chapter.rank)) for chapter in visits(straight))
    assert max(windows.values()) > 1


def test_window_by_window_gives_the_bytes_of_running_ahead(straight: ListKeeper) -> None:
    assert run(Rules(rounds=3, batched=False)).digest() == straight.digest()
    slow = run(mind=SlowMind(TALKATIVE, seed=3), groups=None)
    assert slow.digest() == run(groups=None).digest()


@pytest.mark.parametrize("ahead", [1, 7, 1000])
def test_any_number_of_visits_run_ahead_gives_the_same_bytes(
    ahead: int, straight: ListKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audience.engine.windows._stretch", lambda people: ahead)
    assert run().digest() == straight.digest()


def test_what_visits_lead_to_is_foreseen_so_that_waves_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waves: list[int] = []

    def counting(stage: Any, strands: Sequence[Any], done: Any) -> None:
        waves.append(len(strands))
        in_waves(stage, strands, done)

    monkeypatch.setattr("audience.engine.rounds.in_waves", counting)
    parts: dict[str, Any] = {"changes": {}, "groups": None}
    run(**parts)
    foreseen = list(waves)
    monkeypatch.setattr("audience.engine.windows._stretch", lambda people: 1)
    waves.clear()
    run(**parts)
    assert len(foreseen) < len(waves) / 3
    assert sum(foreseen) < 1.5 * sum(waves)


def folded(chapters: Sequence[e.Chapter]) -> World:
    world = World(GENESIS)
    for chapter in chapters:
        for entry in chapter.entries:
            world.apply(entry.event)
    return world


def test_folding_the_log_gives_the_world_of_the_run(straight: ListKeeper) -> None:
    lived, keeper = simulate(
        GENESIS,
        mind=TALKATIVE,
        recommender=Random(),
        activation=Activation("sample", 0.7, 0.8),
        rules=RULES,
        time=OFTEN,
    )
    again = folded(keeper.ordered())
    assert list(again.agents) == list(lived.agents)
    assert again.came_at.tolist() == lived.came_at.tolist()
    assert again.satisfaction.tolist() == lived.satisfaction.tolist()


def resumed(whole: ListKeeper, round_: int, found: Sequence[e.Chapter], **parts: Any) -> str:
    before = [chapter for chapter in whole.ordered() if chapter.round < round_]
    keeper = run(world=folded(before), found=found, **parts)
    keeper.chapters = [*before, *found, *keeper.chapters]
    return keeper.digest()


def of_round(keeper: ListKeeper, round_: int, phase: int) -> list[e.Chapter]:
    return [one for one in keeper.ordered() if (one.round, one.phase) == (round_, phase)]


@pytest.mark.parametrize("round_", [1, 2, 3])
def test_a_round_taken_up_after_any_window_ends_the_same(round_: int, straight: ListKeeper) -> None:
    opening, came = (of_round(straight, round_, phase) for phase in (e.OPENING, e.VISITS))
    assert resumed(straight, round_, ()) == straight.digest()
    for count in (0, len(came) // 2, len(came)):
        assert resumed(straight, round_, opening + came[:count]) == straight.digest()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_round_taken_up_within_a_window_ends_the_same(seed: int, straight: ListKeeper) -> None:
    """Visits of one window end in any order, but the one that closes it is the last."""
    came = of_round(straight, 2, e.VISITS)
    shared = [
        window
        for window, count in Counter(window_of(chapter.rank) for chapter in came).items()
        if count > 1
    ]
    window = shared[seed % len(shared)]
    before = [chapter for chapter in came if window_of(chapter.rank) < window]
    inside = [chapter for chapter in came if window_of(chapter.rank) == window][:-1]
    some = [inside[place] for place in rng(seed, "order").permutation(len(inside)).tolist()]
    for count in range(len(some) + 1):
        found = of_round(straight, 2, e.OPENING) + before + some[:count]
        for rules in (RULES, Rules(rounds=3, batched=False)):
            assert resumed(straight, 2, found, rules=rules) == straight.digest()


@pytest.mark.parametrize("calls", [1, 30])
@pytest.mark.parametrize("batched", [True, False])
def test_a_paused_run_leaves_what_can_be_taken_up(
    calls: int, batched: bool, straight: ListKeeper
) -> None:
    asked = iter(range(10**6))
    keeper = ListKeeper()
    rules = Rules(rounds=3, batched=batched, concurrency=3)
    with pytest.raises(Paused):
        run(rules, keeper=keeper, stopping=lambda: next(asked) >= calls)
    left = keeper.chapters[: keeper.committed]
    last = max((chapter.round for chapter in left), default=1)
    complete = any((one.round, one.phase) == (last, e.CLOSING) for one in left)
    found = [] if complete else [chapter for chapter in left if chapter.round == last]
    assert resumed(straight, last + complete, found) == straight.digest()


def test_memories_are_the_same_after_a_resume() -> None:
    whole = run(memory=Diary())
    found = of_round(whole, 3, e.OPENING) + of_round(whole, 3, e.VISITS)[:7]
    assert resumed(whole, 3, found, memory=Diary()) == whole.digest()


def test_listeners_hear_the_order_of_the_log() -> None:
    heard: list[e.Chapter] = []
    keeper = run(listeners=[lambda chapter, _: heard.append(chapter)])
    assert heard == keeper.ordered()


class Witness:
    """A rule mind that notes what each agent had before it, and when."""

    def __init__(self) -> None:
        self.rule = RuleMind(talkative=1.0, to_social=1.0)
        self.read: list[tuple[int, str]] = []
        self.talked: list[int] = []

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.read += [(seen.now, message.post) for message in seen.me.inbox]
        if seen.lines:
            self.talked.append(seen.now)
        return await self.rule.decide(seen, memory, dice)


def test_a_message_is_read_as_soon_as_its_window_is_over_and_never_before() -> None:
    mind = Witness()
    keeper = run(mind=mind, changes={}, groups=None)
    written: dict[str, int] = {}
    for chapter in visits(keeper):
        woke = chapter.entries[0].event
        assert isinstance(woke, e.Woke)
        for event in (entry.event for entry in chapter.entries):
            if isinstance(event, e.Posted | e.Forwarded):
                written[event.post] = woke.at
    assert len(mind.read) > 100
    length = OFTEN.window * 60
    waits = [now // length - written[post] // length for now, post in mind.read]
    assert min(waits) == 1
    days = [now // 86_400 - written[post] // 86_400 for now, post in mind.read]
    assert days.count(0) > 20


def test_a_message_to_a_visitor_of_the_same_window_is_not_lost() -> None:
    post = (a.Enter("social"), a.Post("Hello"), a.Leave())
    mind = ScriptedMind({}, post)
    day = Timetable(OWN, window=1440, visits=50)
    _, keeper = simulate(tiny_genesis(3, 5), mind=mind, rules=Rules(rounds=2), time=day)
    assert len(visits(keeper)) >= 5
    assert [len(seen[0].me.inbox) for seen in mind.seen.values()] == [0, 0, 0]
    assert any(len(seen[1].me.inbox) == 2 for seen in mind.seen.values() if len(seen) > 1)


def test_visits_are_in_the_order_of_their_windows_and_talks_follow_at_their_end(
    straight: ListKeeper,
) -> None:
    at = []
    for chapter in visits(straight):
        woke = chapter.entries[0].event
        assert isinstance(woke, e.Woke)
        begin = GENESIS.clock.at(chapter.round)
        assert window_of(chapter.rank) == (woke.at - begin) // (OFTEN.window * 60)
        at.append((chapter.round, window_of(chapter.rank)))
    assert all(earlier <= later for earlier, later in pairwise(at))
    mind = Witness()
    run(mind=mind, groups=None)
    assert mind.talked
    assert all(moment % (OFTEN.window * 60) == 0 for moment in mind.talked)


def test_posts_and_pages_of_two_visits_in_a_round_have_different_names(
    straight: ListKeeper,
) -> None:
    posts = [event.post for event in straight.events() if isinstance(event, e.Posted)]
    assert len(posts) == len(set(posts)) > 20
    seen: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for chapter in visits(straight):
        shown = [x.event for x in chapter.entries if isinstance(x.event, e.SlateShown)]
        for items in [page.items for page in shown if page.surface == "recommender"][:1]:
            pages = seen.setdefault((chapter.round, chapter.agent), set())
            assert items not in pages
            pages.add(items)


def test_an_evening_in_company_counts_as_being_here(straight: ListKeeper) -> None:
    came: dict[int, int] = {}
    for chapter in straight.ordered():
        for event in (entry.event for entry in chapter.entries):
            if isinstance(event, e.Woke):
                assert event.at - came.get(event.agent, 0) >= OFTEN.window * 60
                came[event.agent] = event.at
            if isinstance(event, e.Gathered):
                came |= dict.fromkeys(event.members, event.at)


def test_news_brings_people_for_a_moment_and_everybody_reads_it() -> None:
    raised: dict[int, Any] = {1: [c.Raise(Topic("News", "News of Drama"), (2, 9))]}
    rare = Timetable(OWN, visits=0.1)
    keeper = run(Rules(rounds=3), changes=raised, time=rare, groups=None)
    brief = [
        chapter
        for chapter in visits(keeper)
        if [type(entry.event) for entry in chapter.entries[:2]] == [e.Woke, e.Entered]
    ]
    assert len(brief) > 5
    assert run(Rules(rounds=3, batched=False), changes=raised, time=rare, groups=None).digest() == (
        keeper.digest()
    )


def test_more_windows_than_a_round_can_number_are_refused() -> None:
    few = tiny_genesis(3, 5)
    genesis = Genesis(few.catalogue, few.profiles, few.ties, Clock("2025-01-01", "9y"))
    with pytest.raises(BadInput, match="use longer ones"):
        simulate(genesis, rules=Rules(rounds=1), time=Timetable(OWN, window=1))
