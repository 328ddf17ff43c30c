"""Whole simulations: however they are driven, cut and taken up again, they give the same bytes."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audience.agents import RecSimMind
from audience.agents.rule import RuleMind
from audience.engine import Activation, Paused, Rules
from audience.recommenders import Popular, Random, Ranker, RecommenderView
from audience.recommenders.simple import FixedOrder
from audience.testing import Diary, ListKeeper, ScriptedMind, SlowMind, simulate, tiny_genesis
from audience.world import (
    Generator,
    Genesis,
    Item,
    Profile,
    World,
    actions as a,
    changes as c,
    events as e,
    rng,
)

GENESIS = tiny_genesis(25, 105)
SOME = Activation("sample", 0.7, 0.8)
TALKATIVE = RuleMind(talkative=1.0, to_social=0.5)
CHANGES: dict[int, Sequence[c.AnyChange]] = {
    2: [c.AddItem(Item(105, "Late", tags=("Drama",))), c.Announce("Look", (105,), 1.0)],
    3: [
        c.AddPerson(Profile(25, "New"), (0, 3)),
        c.SwapRecommender("popular"),
        c.AddTie(7, 2),
        c.CutTie(2, 3),
    ],
    4: [c.Silence(5), c.ChangeProfile(1, {"interests": ["Comedy"]})],
}
RULES = Rules(rounds=4)


def run(rules: Rules = RULES, **parts: Any) -> ListKeeper:
    given: dict[str, Any] = {
        "mind": TALKATIVE,
        "recommender": Random(),
        "activation": SOME,
        "changes": CHANGES,
    }
    return simulate(GENESIS, rules=rules, **(given | parts))[1]


@pytest.fixture(scope="module")
def straight() -> ListKeeper:
    return run()


def kinds(keeper: ListKeeper) -> set[type]:
    return {type(event) for event in keeper.events()}


def test_the_run_compared_here_is_worth_comparing(straight: ListKeeper) -> None:
    wanted = {e.Said, e.Posted, e.Delivered, e.Rated, e.Watched, e.Searched, e.Forwarded}
    assert wanted <= kinds(straight)
    assert e.Failed not in kinds(straight)
    refusals = [event for event in straight.events() if isinstance(event, e.Refused)]
    assert {event.why for event in refusals} == {"to 5: person 5 is silent"}


def test_every_wish_to_talk_opens_a_talk_or_is_refused_with_a_reason(straight: ListKeeper) -> None:
    wished = sum(isinstance(event, e.Wished) for event in straight.events())
    refused = sum(isinstance(event, e.Refused) for event in straight.events())
    talks = [
        chapter
        for chapter in straight.chapters
        if chapter.phase == e.CONVERSATIONS and isinstance(chapter.entries[0].event, e.Said)
    ]
    assert wished == len(talks) + refused > 5


def test_coroutines_give_the_bytes_of_waves(straight: ListKeeper) -> None:
    assert run(Rules(rounds=4, batched=False)).digest() == straight.digest()


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_any_concurrency_gives_the_same_bytes(concurrency: int, straight: ListKeeper) -> None:
    rules = Rules(rounds=4, batched=False, concurrency=concurrency)
    assert run(rules).digest() == straight.digest()


@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_of_completion_gives_the_same_bytes(seed: int, straight: ListKeeper) -> None:
    slow = SlowMind(TALKATIVE, seed=seed)
    keeper = run(mind=slow)
    assert keeper.digest() == straight.digest()
    order = [one.agent for one in keeper.chapters if (one.round, one.phase) == (1, e.VISITS)]
    ranked = [one.agent for one in keeper.ordered() if (one.round, one.phase) == (1, e.VISITS)]
    assert order != ranked


@pytest.mark.parametrize("wave", [1, 7, 5_000])
def test_any_size_of_a_wave_gives_the_same_bytes(wave: int, straight: ListKeeper) -> None:
    assert run(Rules(rounds=4, wave=wave)).digest() == straight.digest()


def test_another_seed_gives_another_run(straight: ListKeeper) -> None:
    assert run(seed=8).digest() != straight.digest()


@pytest.mark.parametrize("batched", [True, False])
def test_recsim_minds_give_the_same_bytes_either_way(batched: bool) -> None:
    rules = Rules(rounds=2, drift=0.0, max_turns=60, batched=batched)
    keeper = simulate(tiny_genesis(10, 37), mind=RecSimMind(), rules=rules)[1]
    other = Rules(rounds=2, drift=0.0, max_turns=60, wave=3)
    assert (
        keeper.digest()
        == simulate(tiny_genesis(10, 37), mind=RecSimMind(), rules=other)[1].digest()
    )


def folded(genesis: Genesis, chapters: Iterable[e.Chapter]) -> World:
    world = World(genesis)
    for chapter in chapters:
        for entry in chapter.entries:
            world.apply(entry.event)
    return world


def resumed(whole: ListKeeper, round_: int, found: Sequence[e.Chapter], **parts: Any) -> str:
    """Take a run up in the middle of a round and return the digest of old and new together."""
    before = [chapter for chapter in whole.ordered() if chapter.round < round_]
    rules = parts.pop("rules", RULES)
    keeper = run(rules, world=folded(GENESIS, before), found=found, **parts)
    keeper.chapters = [*before, *found, *keeper.chapters]
    return keeper.digest()


def of_round(keeper: ListKeeper, round_: int, phase: int) -> list[e.Chapter]:
    return [one for one in keeper.ordered() if (one.round, one.phase) == (round_, phase)]


def some_of(chapters: list[e.Chapter], share: float, name: str) -> list[e.Chapter]:
    draws = rng(0, "subset", name).random(len(chapters)).tolist()
    kept = [one for one, draw in zip(chapters, draws, strict=True) if draw < share]
    return [kept[place] for place in rng(1, "order", name).permutation(len(kept)).tolist()]


@pytest.mark.parametrize("round_", [1, 2, 3, 4])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_a_round_taken_up_with_any_of_its_visits_ends_the_same(
    round_: int, share: float, straight: ListKeeper
) -> None:
    opening = of_round(straight, round_, e.OPENING)
    visits = some_of(of_round(straight, round_, e.VISITS), share, f"{round_} {share}")
    for rules in (RULES, Rules(rounds=4, wave=7), Rules(rounds=4, batched=False)):
        assert resumed(straight, round_, opening + visits, rules=rules) == straight.digest()


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_round_taken_up_in_its_conversations_ends_the_same(
    share: float, straight: ListKeeper
) -> None:
    talks = {round_: of_round(straight, round_, e.CONVERSATIONS) for round_ in (1, 2, 3, 4)}
    assert sum(map(len, talks.values())) > 6
    for round_, some in talks.items():
        found = of_round(straight, round_, e.OPENING) + of_round(straight, round_, e.VISITS)
        found += some_of(some, share, f"talks {round_}")
        assert resumed(straight, round_, found) == straight.digest()


@pytest.mark.parametrize("round_", [1, 2, 3, 4])
def test_a_run_taken_up_between_rounds_ends_the_same(round_: int, straight: ListKeeper) -> None:
    assert resumed(straight, round_, ()) == straight.digest()


def test_a_finished_run_has_nothing_left_to_do(straight: ListKeeper) -> None:
    assert run(world=folded(GENESIS, straight.ordered())).chapters == []


@pytest.mark.parametrize("refit", [0, 2, 3])
def test_the_ranker_of_an_earlier_fit_is_put_back(refit: int) -> None:
    rules = Rules(rounds=4, refit=refit)
    parts: dict[str, Any] = {"recommender": Popular(), "changes": {}}
    whole = run(rules, **parts)
    fits = [type(event) for event in whole.events()].count(e.RecommenderFitted)
    assert fits == 1 + (4 // refit if refit else 0)
    for round_ in (2, 3, 4):
        found = of_round(whole, round_, e.OPENING) + of_round(whole, round_, e.VISITS)[:5]
        assert resumed(whole, round_, found, rules=rules, **parts) == whole.digest()


class ByPeople:
    """A recommender whose ranking hangs on how many people there were when it was fitted."""

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        items = np.arange(len(interactions.catalogue))
        return FixedOrder(np.roll(items, interactions.people).astype(np.float64))


@pytest.mark.parametrize("round_", [2, 3])
def test_a_ranker_put_back_knows_as_many_people_as_it_was_fitted_with(round_: int) -> None:
    rules = Rules(rounds=3, refit=0)
    newcomers: dict[int, Any] = {2: [c.AddPerson(Profile(25, "New"))]}
    parts: dict[str, Any] = {"recommender": ByPeople(), "changes": newcomers}
    whole = run(rules, **parts)
    found = of_round(whole, round_, e.OPENING) + of_round(whole, round_, e.VISITS)[:3]
    assert resumed(whole, round_, found, rules=rules, **parts) == whole.digest()


@pytest.mark.parametrize("done", [0, 1, 6, 12])
def test_one_by_one_taken_up_after_any_visit_ends_the_same(done: int) -> None:
    rules = Rules(rounds=3, order="one-by-one")
    whole = run(rules)
    assert {e.Said, e.Delivered} <= kinds(whole)
    found = of_round(whole, 2, e.OPENING) + of_round(whole, 2, e.VISITS)[:done]
    assert resumed(whole, 2, found, rules=rules) == whole.digest()


def test_one_by_one_gives_the_same_bytes_in_waves_and_as_coroutines() -> None:
    waves, coroutines = (
        run(Rules(rounds=3, order="one-by-one", batched=batched)) for batched in (True, False)
    )
    assert waves.digest() == coroutines.digest()


@pytest.mark.parametrize("rules", [RULES, Rules(rounds=4, order="one-by-one")])
def test_memories_are_the_same_after_a_resume(rules: Rules) -> None:
    whole = run(rules, memory=Diary())
    assert e.Remembered in kinds(whole)
    found = of_round(whole, 3, e.OPENING) + of_round(whole, 3, e.VISITS)[:7]
    assert resumed(whole, 3, found, rules=rules, memory=Diary()) == whole.digest()


@pytest.mark.parametrize("calls", [1, 20, 45, 70])
def test_a_paused_run_leaves_what_can_be_taken_up(calls: int, straight: ListKeeper) -> None:
    asked = iter(range(10**6))
    keeper = ListKeeper()
    rules = Rules(rounds=4, batched=False, concurrency=3)
    with pytest.raises(Paused):
        run(rules, keeper=keeper, stopping=lambda: next(asked) >= calls)
    left = keeper.chapters[: keeper.committed]
    last = max(chapter.round for chapter in left)
    complete = any((one.round, one.phase) == (last, e.CLOSING) for one in left)
    found = [] if complete else [chapter for chapter in left if chapter.round == last]
    assert resumed(straight, last + complete, found) == straight.digest()


TEST_POST = (a.Enter("social"), a.Post("Hello"), a.Leave())


def first_and_rest(order: str) -> ScriptedMind:
    mind = ScriptedMind({}, TEST_POST)
    simulate(tiny_genesis(3, 5), mind=mind, rules=Rules(rounds=1, order=order))
    return mind


def test_one_by_one_a_post_reaches_a_later_visit_of_the_same_round() -> None:
    inboxes = sorted(len(seen[0].me.inbox) for seen in first_and_rest("one-by-one").seen.values())
    assert inboxes == [0, 1, 2]


def test_together_a_post_is_read_in_the_next_round() -> None:
    inboxes = [len(seen[0].me.inbox) for seen in first_and_rest("together").seen.values()]
    assert inboxes == [0, 0, 0]
    mind = ScriptedMind({}, TEST_POST)
    simulate(tiny_genesis(3, 5), mind=mind, rules=Rules(rounds=2))
    assert [len(seen[1].me.inbox) for seen in mind.seen.values()] == [2, 2, 2]


def test_a_round_has_its_phases_in_order(straight: ListKeeper) -> None:
    for round_ in range(1, 5):
        chapters = [one for one in straight.chapters if one.round == round_]
        phases = [chapter.phase for chapter in chapters]
        assert phases == sorted(phases)
        assert (phases[0], phases[-1]) == (e.OPENING, e.CLOSING)
        assert chapters[-1].entries[-1].event == e.RoundEnded(round_)


def test_every_visit_has_its_moment_inside_the_round(straight: ListKeeper) -> None:
    clock = GENESIS.clock
    for chapter in straight.ordered():
        if chapter.phase == e.VISITS:
            woke = chapter.entries[0].event
            assert isinstance(woke, e.Woke)
            assert clock.at(chapter.round) <= woke.at < clock.at(chapter.round + 1)


def test_listeners_hear_the_order_of_the_log() -> None:
    heard: list[e.Chapter] = []
    slow = SlowMind(TALKATIVE)
    keeper = run(Rules(rounds=2), mind=slow, listeners=[lambda chapter, _: heard.append(chapter)])
    assert heard == keeper.ordered()


GOLDEN = Path(__file__).parent / "golden.txt"


def test_the_golden_run_has_not_changed(straight: ListKeeper) -> None:
    machine = platform.machine()
    lines = [line.split() for line in GOLDEN.read_text().splitlines() if line[:1] not in ("", "#")]
    known = dict(lines)
    if machine not in known:
        pytest.skip(f"no golden digest for {machine}")
    assert straight.digest() == known[machine], (
        "The behaviour of a whole run has changed. If that was meant, say so in the changelog and "
        f"write this line into tests/engine/golden.txt: {machine} {straight.digest()}"
    )
