from __future__ import annotations

import asyncio

import numpy as np
import pytest
from msgspec.structs import replace
from tests.memory.conftest import NOW, Words, person

from audience.memory import Recollection, tokens
from audience.memory.recall import LINE, Recaller, Want
from audience.memory.vector_index import VectorIndex
from audience.world import Agent, Thought, rng

NOUNS = "heat casino ring fargo alien brazil dune solaris ran vertigo psycho jaws".split()


def crowd(count: int, each: int) -> list[Agent]:
    people = []
    for agent in range(count):
        draws = rng(5, "crowd", agent)
        thoughts = tuple(
            Thought(
                number,
                " ".join(NOUNS[int(at)] for at in draws.integers(0, len(NOUNS), 4)),
                float(draws.uniform(0.1, 0.9)),
                NOW - int(draws.integers(0, 40 * 86_400)),
                store="short" if number % 7 == 6 else "long",
            )
            for number in range(int(draws.integers(1, each + 1)))
        )
        me = person(agent % 6)
        people.append(replace(me, profile=replace(me.profile, id=agent), thoughts=thoughts))
    return people


def recaller(words: Words | None = None, budget: int = 600) -> Recaller:
    return Recaller(words or Words(), decay=0.99, budget=budget)


def ids(found: Recollection) -> list[int]:
    return [one.id for one in found.thoughts]


def test_recency_importance_and_relevance_each_count() -> None:
    same = {"weight": 0.5, "at": NOW - 86_400 * 9}
    near = Thought(1, "the heat of the city", **same)  # type: ignore[arg-type]
    for other, wanted in (
        (Thought(2, "a quiet pond", 0.5, NOW - 86_400 * 9), 1),
        (Thought(2, "the heat of the city", 0.9, NOW - 86_400 * 9), 2),
        (Thought(2, "the heat of the city", 0.5, NOW), 2),
        (replace(near, id=2, accessed=NOW), 2),
        (replace(near, id=2), 1),
    ):
        me = person(thoughts=(near, other))
        found = asyncio.run(recaller().recall(Want(me, "heat city", NOW, 1)))
        assert ids(found) == [wanted]


def test_all_of_short_term_comes_besides_the_best_of_long_term() -> None:
    long = tuple(Thought(n, f"long {n}", 0.1 * (n % 9), NOW) for n in range(20))
    short = tuple(Thought(n, f"short {n}", 0.7, NOW, store="short") for n in range(20, 30))
    found = asyncio.run(recaller().recall(Want(person(thoughts=long + short), "", NOW, 5)))
    assert ids(found)[5:] == list(range(20, 30))
    assert ids(found)[:5] == [8, 17, 7, 16, 6]
    assert found.cut == 0


def test_a_batch_recalls_as_each_would_alone_whatever_its_size() -> None:
    people = crowd(60, 40)
    wants = [
        Want(me, NOUNS[at % 12] + " " + NOUNS[at % 5], NOW + at, 5) for at, me in enumerate(people)
    ]

    async def alone() -> list[Recollection]:
        return [(await recaller().recall_many([want]))[0] for want in wants]

    async def together(size: int) -> list[Recollection]:
        one = recaller()
        found = []
        for begin in range(0, len(wants), size):
            found += await one.recall_many(wants[begin : begin + size])
        return found

    expected = asyncio.run(alone())
    assert any(ids(one) for one in expected)
    for size in (1, 2, 7, 60):
        assert asyncio.run(together(size)) == expected


def test_those_who_ask_at_once_are_one_batch() -> None:
    words = Words()
    one = recaller(words)
    people = crowd(30, 10)

    async def all_at_once() -> list[Recollection]:
        wants = [Want(me, f"cue {me.profile.id}", NOW, 5) for me in people]
        return await asyncio.gather(*(one.recall(want) for want in wants))

    found = asyncio.run(all_at_once())
    assert all(one.thoughts for one in found)
    assert len(words.asked[0]) == 30
    assert len(words.asked) == 2  # the cues, and what was remembered


def test_vectors_follow_thoughts_as_they_come_and_go() -> None:
    one, fresh = recaller(), recaller
    me = crowd(1, 40)[0]
    draws = rng(9, "changes")
    for step in range(60):
        thoughts = list(me.thoughts)
        if thoughts and draws.uniform() < 0.4:
            thoughts.pop(int(draws.integers(len(thoughts))))
        for _ in range(int(draws.integers(0, 3))):
            text = " ".join(NOUNS[int(at)] for at in draws.integers(0, 12, 3))
            thoughts.append(Thought(1_000 + step * 3 + len(thoughts), text, 0.5, NOW))
        me = replace(me, thoughts=tuple(thoughts))
        want = Want(me, NOUNS[step % 12], NOW, 5)
        assert asyncio.run(one.recall_many([want])) == asyncio.run(fresh().recall_many([want]))


def test_a_text_is_embedded_once_as_long_as_its_thought_lives() -> None:
    words = Words()
    one = recaller(words)
    me = person(thoughts=(Thought(0, "heat", 0.5, NOW), Thought(1, "ran", 0.5, NOW)))
    asyncio.run(one.recall_many([Want(me, "cue", NOW, 5)]))
    later = replace(me, thoughts=(*me.thoughts, Thought(2, "dune", 0.5, NOW)))
    asyncio.run(one.recall_many([Want(later, "cue", NOW, 5)]))
    assert words.asked == [("cue",), ("heat", "ran"), ("cue",), ("dune",)]


@pytest.mark.parametrize("budget", [0, 20, 60, 110])
def test_the_budget_is_kept_and_the_least_valuable_is_cut(budget: int) -> None:
    thoughts = tuple(
        Thought(
            n, f"sentence number {n} on heat", 0.05 * n, NOW, store="short" if n > 8 else "long"
        )
        for n in range(18)
    )
    found = asyncio.run(recaller(budget=budget).recall(Want(person(thoughts=thoughts), "", NOW, 5)))
    assert sum(LINE + tokens(one.text) for one in found.thoughts) <= budget
    wanted = {4, 5, 6, 7, 8, *range(9, 18)}
    assert found.cut == len(wanted) - len(found.thoughts) > 0
    kept = set(ids(found))
    assert kept == set(sorted(wanted)[found.cut :])


def test_without_vectors_recency_and_importance_are_left() -> None:
    words = Words()
    words.broken = True
    one = recaller(words)
    thoughts = (Thought(0, "heat", 0.4, NOW), Thought(1, "ran", 0.8, NOW))
    me = person(thoughts=thoughts)
    assert ids(asyncio.run(one.recall(Want(me, "heat", NOW, 1)))) == [1]
    words.broken = False
    near = (Thought(0, "heat", 0.5, NOW), Thought(1, "ran", 0.8, NOW))
    assert ids(asyncio.run(one.recall(Want(replace(me, thoughts=near), "heat", NOW, 1)))) == [0]


def test_an_empty_mind_recalls_nothing_and_asks_nobody() -> None:
    words = Words()
    assert asyncio.run(recaller(words).recall(Want(person(), "x", NOW, 5))) == Recollection()
    assert not words.asked


def test_spans_are_reused() -> None:
    arena = VectorIndex(4)
    me = crowd(1, 5)[0]
    many = tuple(Thought(n, str(n), 0.5, NOW) for n in range(40))
    first = arena.spans([replace(me, thoughts=many)])[0].rows
    arena.spans(
        [replace(me, thoughts=many + tuple(Thought(n, str(n), 0.5, NOW) for n in range(40, 90)))]
    )
    other = replace(me, profile=replace(me.profile, id=77), thoughts=many)
    again = arena.spans([other])[0].rows
    assert np.shares_memory(first, again)
