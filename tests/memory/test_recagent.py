from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace
from tests.memory.conftest import NOW, Words, life_of, person, some_dice

from audience.errors import BadInput
from audience.memory import Life, RecAgentMemory, observations
from audience.memory.consolidation import Due, Insight, Observed, Sensed, Taken
from audience.testing import tiny_genesis
from audience.world import Agent, Dice, Laws, Thought, events as e, fold_agent

LAWS = Laws(tiny_genesis(6, 12).catalogue, 0.0)


class Told:
    """A way that takes in what a test tells it, as (sentence, importance)."""

    def __init__(self, *, waits: bool = False) -> None:
        self.sentences: list[tuple[str, int]] = []
        self.insights = True
        self.dues: list[Due] = []
        self.foresees = waits
        self.problems: tuple[str, ...] = ()

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        self.dues.append(due)
        sensed = tuple(
            Sensed(Observed("watched", text, text, life.now, (0,)), text, importance)
            for text, importance in self.sentences
        )
        insights = {about[0].id: self._insight(about) for about in due.insights}
        reflections: tuple[Insight, ...] = ()
        if due.reflection:
            reflections = (Insight("I reflect.", tuple(one.id for one in due.reflection)),)
        return Taken(sensed, insights, reflections, ("call",), self.problems)

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        if self.foresees or not self.insights:
            return Taken()
        return Taken(insights={about[0].id: self._insight(about)}, calls=("late",))

    def _insight(self, about: Sequence[Thought]) -> Insight:
        return Insight(f"It is all about {about[0].text}", tuple(one.id for one in about))


def made(way: object | None = None, **options: object) -> tuple[RecAgentMemory, Told]:
    told = way if isinstance(way, Told) else Told()
    options = {"similar": 0.9, "related": 0.0, "merge": 0.97, "embedder": Words()} | options
    memory = RecAgentMemory(consolidation="rule", **options)  # type: ignore[arg-type]
    memory.way = told
    return memory, told


def live(
    memory: RecAgentMemory, told: Told, me: Agent, *sentences: tuple[str, int], now: int = NOW
) -> tuple[Agent, list[e.AnyEvent]]:
    """Return the agent after a round in which it took these sentences in, with the events."""
    told.sentences = list(sentences)
    life = life_of(me, e.Watched(me.profile.id, 0, 1.0), now=now)
    entries = asyncio.run(memory.consolidate(life, some_dice(now)))
    for entry in entries:
        me = fold_agent(me, entry.event, LAWS)
    return me, [entry.event for entry in entries]


def texts(me: Agent, store: str) -> list[str]:
    return [one.text for one in me.thoughts if one.store == store]


def test_only_what_matters_gets_beyond_sensory_memory() -> None:
    memory, told = made()
    me, events = live(memory, told, person(), ("dull", 4), ("vivid", 5))
    assert texts(me, "short") == ["vivid"]
    stores = [event.store for event in events if isinstance(event, e.Remembered)]
    assert stores == ["sensory", "short"]
    assert me.thoughts[0].weight == pytest.approx(0.45)


def test_what_resembles_enhances_every_one_and_is_itself_added() -> None:
    memory, told = made()
    me, _ = live(memory, told, person(), ("I loved heat", 8), ("I loved heat", 8))
    me, _ = live(memory, told, me, ("I loved heat", 8), ("something else entirely", 8))
    counts = {one.id: one.enhancers for one in me.thoughts}
    assert counts == {0: (1, 2), 1: (2,), 2: (), 3: ()}


def test_after_three_enhancements_record_and_insight_settle_and_the_enhancers_stay() -> None:
    memory, told = made()
    me, events = live(memory, told, person(), *[("I loved heat", 8)] * 4)
    settled = [event.thought for event in events if isinstance(event, e.Settled)]
    assert settled == [0]
    assert texts(me, "long") == ["It is all about I loved heat", "I loved heat"]
    assert len(texts(me, "short")) == 3
    insight = next(one for one in me.thoughts if one.kind == "insight")
    assert insight.sources == (0, 1, 2, 3)
    assert insight.weight == pytest.approx(0.72)


def test_an_insight_that_cannot_be_had_now_lets_the_record_wait_for_it() -> None:
    told = Told(waits=True)
    memory, _ = made(told, capacity=4)
    me, events = live(memory, told, person(), *[("I loved heat", 7)] * 4)
    assert not [event for event in events if isinstance(event, e.Settled)]
    me, events = live(memory, told, me, *[(f"better thing {n}", 10) for n in range(4)])
    assert [about[0].id for about in told.dues[-1].insights] == [0]
    assert [event.thought for event in events if isinstance(event, e.Settled)] == [0]


def test_a_ripening_record_is_foreseen_so_that_one_call_is_enough() -> None:
    told = Told(waits=True)
    memory, _ = made(told)
    me, _ = live(memory, told, person(), *[("I watched <Film 0>.", 8)] * 3)
    assert not told.dues[-1].insights
    short = next(one for one in me.thoughts if one.id == 0)
    assert len(short.enhancers) == 2
    life = life_of(me, e.Watched(0, 0, 1.0))
    sentence = observations(life)[0].short
    renamed = tuple(replace(one, text=sentence) for one in me.thoughts)
    me, events = live(memory, told, replace(me, thoughts=renamed), (sentence, 8))
    assert [about[0].id for about in told.dues[-1].insights] == [0]
    assert [event.thought for event in events if isinstance(event, e.Settled)] == [0]


def test_capacity_pushes_out_the_least_important_and_least_enhanced() -> None:
    memory, told = made(capacity=3)
    me, _ = live(memory, told, person(), ("a b", 8), ("c d", 7), ("e f", 7))
    me, events = live(memory, told, me, ("c d", 9))
    gone = [(event.thought, event.why) for event in events if isinstance(event, e.Forgot)]
    assert gone == [(2, "crowded")]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(["a b", "c d", "e f", "a b c"]), st.integers(1, 10)),
            max_size=5,
        ),
        max_size=8,
    ),
    st.integers(1, 6),
    st.integers(1, 4),
    st.booleans(),
)
def test_whatever_is_lived(
    rounds: list[list[tuple[str, int]]], capacity: int, times: int, waits: bool
) -> None:
    told = Told(waits=waits)
    memory, _ = made(told, capacity=capacity, enhancements=times, reflect_at=2.0)
    me = person()
    settled: list[int] = []
    known: set[int] = set()
    for number, sentences in enumerate(rounds):
        me, events = live(memory, told, me, *sentences, now=NOW + number * 86_400)
        settled += [event.thought for event in events if isinstance(event, e.Settled)]
        for event in events:
            if isinstance(event, (e.Remembered, e.Reflected, e.Merged)):
                assert event.thought not in known, "an id is used once"
                known.add(event.thought)
        assert len(texts(me, "short")) <= capacity
        for one in me.thoughts:
            assert set(one.sources) <= known, "sources are thoughts that were there"
    assert len(settled) == len(set(settled)), "a thought settles once"


def test_reflection_comes_when_enough_has_gathered_and_starts_anew() -> None:
    memory, told = made(short=False, reflect_at=1.5)
    me, events = live(memory, told, person(), ("a b", 9), ("c d", 9))
    assert me.brewing == pytest.approx(1.62)
    assert not [event for event in events if isinstance(event, e.Reflected)]
    me, events = live(memory, told, me, ("e f", 9))
    reflected = next(event for event in events if isinstance(event, e.Reflected))
    assert (reflected.kind, set(reflected.sources)) == ("reflection", {0, 1})
    assert me.brewing == 0.0


def test_highly_similar_memories_are_merged_and_keep_their_sources() -> None:
    memory, told = made(short=False, reflect_at=1.5)
    me = person()
    me, _ = live(memory, told, me, ("x y", 7), ("x y", 9), ("other matter", 8))
    me, events = live(memory, told, me, ("something new", 7))
    merged = next(event for event in events if isinstance(event, e.Merged))
    assert set(merged.sources) == {0, 1}
    thought = next(one for one in me.thoughts if one.id == merged.thought)
    assert thought.weight == pytest.approx(0.81)
    assert {0, 1} <= set(thought.sources)
    assert not {0, 1} & {one.id for one in me.thoughts}


def test_merging_keeps_the_sources_of_sources_and_leaves_them_alone() -> None:
    me = person(
        thoughts=(
            Thought(0, "root", 0.5, NOW),
            Thought(1, "same", 0.5, NOW, "insight", sources=(0, 9)),
            Thought(2, "same", 0.5, NOW, "insight", sources=(0,)),
        )
    )
    after = fold_agent(me, e.Merged(0, 3, "same", 0.5, NOW, (1, 2)), LAWS)
    assert [one.id for one in after.thoughts] == [0, 3]
    assert after.thoughts[-1].sources == (1, 2, 0, 9)


@pytest.mark.parametrize(
    ("options", "short", "long"),
    [
        ({"short": False}, [], ["a b", "a b", "a b", "a b"]),
        ({"long": False}, ["a b", "a b", "a b", "a b"], []),
        ({"reflection": False}, ["a b", "a b", "a b"], ["It is all about a b", "a b"]),
    ],
)
def test_ablations(options: dict[str, object], short: list[str], long: list[str]) -> None:
    memory, told = made(reflect_at=0.1, **options)
    me, _ = live(memory, told, person(), *[("a b", 8)] * 4)
    assert (texts(me, "short"), texts(me, "long")) == (short, long)
    _, events = live(memory, told, me, ("zz", 8))
    reflected = any(isinstance(event, e.Reflected) for event in events)
    assert reflected == (options == {"short": False})


def test_without_both_stores_there_is_no_such_memory() -> None:
    with pytest.raises(BadInput, match="none"):
        RecAgentMemory(short=False, long=False)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"capacity": 0}, "capacity"),
        ({"enhancements": 0}, "enhancements"),
        ({"keep": 2.0}, "keep is 2.0; it has to be between 0 and 1"),
        ({"keep": -0.1}, "keep is -0.1"),
        ({"similar": 1.5}, "similar is 1.5"),
        ({"merge": -1.0}, "merge is -1.0"),
        ({"reflect_at": 0.0}, "reflect_at is 0.0; it has to be above 0"),
        ({"budget": -5}, "budget is -5"),
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        made(**wrong)


def test_who_only_received_or_looked_around_costs_no_call() -> None:
    memory, told = made()
    me = person(1)
    quiet: list[e.AnyEvent] = [
        e.Woke(1, NOW),
        e.Entered(1, "recommender"),
        e.SlateShown(1, (1, 2), 0),
        e.Left(1, 0.4),
        e.Delivered("p", 2, (1,), "You must see <Film 3>, it is wonderful!", (3,), 0.9),
    ]
    entries = asyncio.run(memory.consolidate(life_of(me, *quiet), some_dice(1)))
    assert not told.dues
    remembered = [one.event for one in entries if isinstance(one.event, e.Remembered)]
    assert any("Film 3" in one.text for one in remembered)
    assert all(not one.calls for one in entries)


def test_what_was_wrong_is_counted_and_takes_nothing_along() -> None:
    told = Told()
    told.problems = ("too few memories", "too few memories", "importance out of range")
    memory, _ = made(told)
    me, events = live(memory, told, person(), ("a b", 8))
    failed = [event.why for event in events if isinstance(event, e.Failed)]
    assert failed == ["memory: too few memories", "memory: importance out of range"]
    assert texts(me, "short") == ["a b"]


def test_an_embedder_out_of_order_is_counted_and_costs_only_enhancement() -> None:
    words = Words()
    memory, told = made(embedder=words)
    me, _ = live(memory, told, person(), ("a b", 8))
    words.broken = True
    me, events = live(memory, told, me, ("a b", 8))
    assert [event.why for event in events if isinstance(event, e.Failed)] == [
        "memory: no vectors: out of order"
    ]
    assert texts(me, "short") == ["a b", "a b"]


def test_equal_lives_become_equal_memories() -> None:
    for _ in range(2):
        memory, told = made()
        me, first = live(memory, told, person(), *[("a b", 8)] * 5)
        other, told = made()
        again, second = live(other, told, person(), *[("a b", 8)] * 5)
        assert first == second
        assert me == again
