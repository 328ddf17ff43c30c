from __future__ import annotations

from tests.world.scene import applied

from audience.world import Thought, events as e


def test_thoughts_come_and_go() -> None:
    world = applied(e.Remembered(0, 1, "A", 0.5, 9), e.Remembered(0, 2, "B", 0.1, 9, "insight"))
    assert world.agents[0].thoughts[1] == Thought(2, "B", 0.1, 9, "insight")
    world.apply(e.Forgot(0, 1))
    assert [thought.text for thought in world.agents[0].thoughts] == ["B"]


SHORT = e.Remembered(0, 1, "A", 0.5, 9, "observation", "short")


def test_what_stays_in_the_senses_leaves_only_its_number() -> None:
    me = applied(e.Remembered(0, 3, "A", 0.5, 9, "observation", "sensory")).agents[0]
    assert (me.thoughts, me.thoughts_had, me.brewing) == ((), 4, 0.0)


def test_the_next_number_never_goes_back() -> None:
    me = applied(e.Remembered(0, 6, "A", 0.5, 9), e.Remembered(0, 2, "B", 0.5, 9)).agents[0]
    assert me.thoughts_had == 7


def test_only_long_term_memory_brews() -> None:
    assert applied(SHORT).agents[0].brewing == 0.0
    assert applied(e.Remembered(0, 1, "A", 0.5, 9)).agents[0].brewing == 0.5


def test_a_thought_settles_once() -> None:
    world = applied(SHORT, e.Remembered(0, 2, "B", 0.1, 9, "observation", "short"))
    world.apply(e.Settled(0, 1))
    me = world.agents[0]
    assert [(one.id, one.store) for one in me.thoughts] == [(2, "short"), (1, "long")]
    assert me.brewing == 0.5
    for again in (1, 7):
        world.apply(e.Settled(0, again))
        assert world.agents[0] == me


def test_a_reflection_ends_the_brewing_and_an_insight_adds_to_it() -> None:
    world = applied(e.Remembered(0, 1, "A", 0.5, 9), e.Reflected(0, 2, "B", 0.25, 10, (1,)))
    assert world.agents[0].brewing == 0.75
    world.apply(e.Reflected(0, 3, "C", 0.9, 11, (1, 2), "reflection"))
    me = world.agents[0]
    assert (me.brewing, me.thoughts_had) == (0.0, 4)
    assert me.thoughts[-1] == Thought(3, "C", 0.9, 11, "reflection", "long", (1, 2))


def test_a_merged_thought_knows_the_sources_of_its_sources() -> None:
    world = applied(
        e.Reflected(0, 4, "A", 0.5, 9, (1, 2)),
        e.Remembered(0, 5, "B", 0.5, 9),
        e.Merged(0, 6, "A and B", 0.5, 10, (4, 5)),
    )
    assert world.agents[0].thoughts == (
        Thought(6, "A and B", 0.5, 10, "observation", "long", (4, 5, 1, 2)),
    )
    assert world.agents[0].brewing == 1.0


def test_what_comes_to_mind_is_refreshed_and_resemblance_counts_once() -> None:
    world = applied(SHORT, e.Recalled(0, (1,), 77), *([e.Enhanced(0, 1, 8)] * 2))
    (thought,) = world.agents[0].thoughts
    assert (thought.accessed, thought.touched, thought.enhancers) == (77, 77, (8,))
