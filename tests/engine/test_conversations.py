from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given, strategies as st

from audience.agents import Decision
from audience.engine.conversations import MOST, Sittings, Talked, refused, sittings, talk
from audience.engine.visit import Answer
from audience.testing import tiny_genesis
from audience.world import Observation, World, actions as a, changes as c, events as e

PEOPLE = 30
WISHES = st.lists(
    st.tuples(st.integers(0, PEOPLE - 1), st.integers(0, PEOPLE - 1)).filter(
        lambda p: p[0] != p[1]
    ),
    max_size=40,
).map(lambda pairs: [e.Wished(one, other, "Hi") for one, other in pairs])


def tiny_world() -> World:
    world = World(tiny_genesis(PEOPLE, 10))
    for event in (e.RunStarted(5, "", 0.0), e.RoundStarted(3, 0)):
        world.apply(event)
    return world


def couples(world: World, wishes: list[e.Wished]) -> list[tuple[int, int, int]]:
    """Return who talks with whom, and in which sitting."""
    granted = sittings(world, wishes).granted
    return sorted(
        (wish.agent, wish.to, number)
        for number, sitting in enumerate(granted)
        for _, wish in sitting
    )


def counts(planned: Sittings) -> Counter[int]:
    """Return how often each person talks."""
    talks = (wish for sitting in planned.granted for _, wish in sitting)
    return Counter(who for wish in talks for who in (wish.agent, wish.to))


@given(WISHES)
def test_nobody_is_in_two_talks_at_once_and_every_wish_is_granted_or_refused(
    wishes: list[e.Wished],
) -> None:
    planned = sittings(tiny_world(), wishes)
    talks = [wish for sitting in planned.granted for _, wish in sitting]
    for sitting in planned.granted:
        people = [who for _, wish in sitting for who in (wish.agent, wish.to)]
        assert len(people) == len(set(people))
    unmet = [wish for wish, _ in planned.unmet]
    assert sorted(map(str, [*talks, *unmet])) == sorted(map(str, wishes))
    often = counts(planned)
    assert all(often[wish.agent] + often[wish.to] >= MOST for wish in unmet)
    told = [entry.event for entries in refused(planned.unmet).values() for entry in entries]
    assert len(told) == len(unmet)


@given(WISHES)
def test_the_log_holds_sittings_in_order(wishes: list[e.Wished]) -> None:
    ranks = [[rank for rank, _ in sitting] for sitting in sittings(tiny_world(), wishes).granted]
    for earlier, later in pairwise(ranks):
        assert max(earlier) < min(later)
    assert all(0 <= rank < 2**63 for sitting in ranks for rank in sitting)


def test_further_wishes_wait_for_the_next_sitting() -> None:
    wishes = [e.Wished(one, 9, "Hi") for one in range(3)]
    planned = sittings(tiny_world(), wishes)
    assert [len(sitting) for sitting in planned.granted] == [1, 1, 1]
    assert planned.unmet == ()


def test_who_has_talked_enough_refuses_with_a_reason() -> None:
    wishes = [e.Wished(one, 9, "Hi") for one in range(MOST + 2)]
    planned = sittings(tiny_world(), wishes)
    assert len(planned.granted) == MOST
    entries = refused(planned.unmet)
    assert len(entries) == 2
    for agent, (entry,) in entries.items():
        why = "to 9: there was no time: 4 conversations are enough for a round"
        assert entry.event == e.Refused(agent, "Say", why)


def test_a_human_is_heard_first_and_always() -> None:
    crowd = [e.Wished(one, 9, "Hi") for one in range(MOST + 3)]
    for place in range(len(crowd)):
        human = e.Wished(20, 9, "Listen", voice="human")
        planned = sittings(tiny_world(), [*crowd[:place], human, *crowd[place:]])
        assert human in [wish for _, wish in planned.granted[0]]
    many = [e.Wished(20, to, "Listen", voice="human") for to in range(9)]
    assert sittings(tiny_world(), many).unmet == ()


@given(WISHES, st.randoms(use_true_random=False))
def test_the_order_of_the_wishes_does_not_matter(wishes: list[e.Wished], shuffle: object) -> None:
    mixed = list(wishes)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert couples(tiny_world(), mixed) == couples(tiny_world(), wishes)


@given(WISHES, st.integers(0, PEOPLE - 1), st.integers(0, PEOPLE - 1))
def test_one_more_wish_does_not_reshuffle_unrelated_pairs(
    wishes: list[e.Wished], one: int, other: int
) -> None:
    if one == other:
        return
    added = e.Wished(one, other, "Me too")
    before, after = (couples(tiny_world(), some) for some in (wishes, [*wishes, added]))
    touched = {one, other}
    for _ in range(PEOPLE):  # whoever is tied to the new wish by a chain of wishes
        touched |= {
            who
            for wish in wishes
            for who in (wish.agent, wish.to)
            if {wish.agent, wish.to} & touched
        }
    assert [pair for pair in before if not set(pair[:2]) & touched] == [
        pair for pair in after if not set(pair[:2]) & touched
    ]


def test_the_silent_do_not_talk() -> None:
    world = tiny_world()
    world.apply(e.Intervened(c.Silence(1)))
    planned = sittings(world, [e.Wished(0, 1, "Hi"), e.Wished(1, 2, "Hi")])
    assert planned.granted == ()
    assert {why for _, why in planned.unmet} == {"person 1 is silent"}


def test_pairs_differ_from_round_to_round() -> None:
    wishes = [e.Wished(one, (one + 1) % PEOPLE, "Hi") for one in range(PEOPLE)]
    world = tiny_world()
    first = couples(world, wishes)
    world.apply(e.RoundStarted(4, 0))
    assert couples(world, wishes) != first


def held(answers: list[Answer], max_lines: int = 4) -> tuple[list[Observation], Talked]:
    """Let 0 talk with 1 about item 3; return what was seen at each turn."""
    wish = e.Wished(0, 1, "I liked it", (3,), 1.0)
    conversation = talk(tiny_world(), wish, max_lines)
    seen: list[Observation] = []
    try:
        need = next(conversation)
        for answer in answers:
            assert isinstance(need, Observation)
            seen.append(need)
            need = conversation.send(answer)
    except StopIteration as stop:
        talked: Talked = stop.value
        return seen, talked
    raise AssertionError("the conversation wants to go on")


def says(to: int, text: str = "Oh", items: tuple[int, ...] = ()) -> Decision:
    return Decision((a.Say(to, text, items),), "because", ("call",))


OPENING = e.Entry(e.Said(0, 1, "I liked it", (3,), 1.0))


def test_two_speak_in_turn_until_the_lines_are_used_up() -> None:
    seen, talked = held([says(0), says(1), says(0)])
    assert [one.me.profile.id for one in seen] == [1, 0, 1]
    assert [one.turn for one in seen] == [0, 1, 2]
    assert [len(one.lines) for one in seen] == [1, 2, 3]
    assert talked.decisions == 3
    assert talked.entries[0] == OPENING
    assert talked.entries[1] == e.Entry(e.Said(1, 0, "Oh"), "because", ("call",))


def test_one_line_is_enough() -> None:
    assert held([], max_lines=1)[1] == Talked((OPENING,), 0)


def test_leaving_or_saying_nothing_ends_it() -> None:
    for decision in (Decision((a.Leave(),)), Decision(())):
        assert held([decision])[1] == Talked((OPENING,), 1)


def test_a_failure_ends_it_and_is_recorded() -> None:
    failed = e.Failed(1, "no decision within 1 s")
    assert held([failed])[1].entries == (OPENING, e.Entry(failed))


def test_what_was_just_heard_may_be_spoken_of() -> None:
    _, talked = held([says(0, "That one?", (3,)), Decision(())])
    assert talked.entries[1].event == e.Said(1, 0, "That one?", (3,))


def test_refusals_end_it_and_are_recorded() -> None:
    cases = [
        (says(0, "", ()), "there are no words"),
        (says(0, "x", (4,)), "item 4 was neither seen nor heard of"),
        (says(0, "x", (99,)), "item 99 does not exist"),
        (says(5), "5 is not in this conversation"),
        (says(1), "1 is not in this conversation"),
    ]
    for decision, why in cases:
        last = held([decision])[1].entries[-1]
        assert last == e.Entry(e.Refused(1, "Say", why), "because", ("call",))
