"""What rule minds remember, and that it moves their choices."""

from __future__ import annotations

import numpy as np
import pytest

from audience.agents.rule import RuleMind
from audience.agents.rule.recollection import remembered
from audience.memory import RecAgentMemory
from audience.testing import simulate, tiny_genesis
from audience.world import (
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Heard,
    Item,
    Lived,
    Observation,
    Profile,
    Situation,
    Thought,
    actions as a,
    dice,
    events as e,
    taste_of,
)

ITEMS = tuple(
    Item(number, f"Item {number}", tags=tags, minutes=90, quality=0.6)
    for number, tags in enumerate(
        [("Drama",), ("Drama",), ("Comedy",), ("Drama", "Noir"), ("Comedy", "War", "Noir")]
    )
)
CATALOGUE = Catalogue(ITEMS, ("Comedy", "Drama", "Noir", "War"))
LIKED, DISLIKED = Lived(0, 0, 1.0, 5), Lived(0, 0, 1.0, 1)
THOUGHT = Thought(7, "I watched <Item 0>.", 0.5, 0, items=(0,))


def view(number: int = 0, **what: object) -> Observation:
    profile = Profile(number, f"P{number}")
    slate = Situation(9, "recommender", (1, 2, 3, 4), 0, 1, (1, 2, 3, 4))
    me = Agent(profile, taste_of(profile, CATALOGUE.tag_ids), slate, **what)  # type: ignore[arg-type]
    return Observation(me, 1, 1, "recommender", MENUS["recommender"], CATALOGUE, Domain())


def said(seen: Observation) -> tuple[list[float], tuple[int, ...]]:
    values, came = remembered([seen], np.array([seen.me.situation.slate]))
    return values[0].tolist(), came[0]


def test_a_good_memory_speaks_for_items_of_its_kind_and_a_bad_one_against() -> None:
    values, came = said(view(history=(LIKED,), thoughts=(THOUGHT,)))
    assert values == [pytest.approx(0.25 / 0.75), 0.0, pytest.approx(0.125 / 0.625), 0.0]
    assert came == (7,)
    against, _ = said(view(history=(DISLIKED,), thoughts=(THOUGHT,)))
    assert against == [-value for value in values]


def test_a_memory_of_the_item_itself_weighs_twice_that_of_its_kind() -> None:
    heard = (Heard(1, 4, 1.0),)
    about = Thought(3, "I read a post about <Item 1>.", 0.5, 0, store="short", items=(1,))
    values, came = said(view(heard=heard, thoughts=(about,)))
    assert values == [pytest.approx(0.5), 0.0, pytest.approx(0.125 / 0.625), 0.0]
    assert came == (3,)


def test_who_has_no_thoughts_or_no_opinion_is_moved_by_nothing() -> None:
    assert said(view(history=(LIKED,))) == ([0.0] * 4, ())
    assert said(view(thoughts=(THOUGHT,)))[0] == [0.0] * 4
    plain = Thought(1, "I slept well.", 0.9, 0)
    assert said(view(history=(LIKED,), thoughts=(plain,))) == ([0.0] * 4, ())


def picks_of_drama(weight: float, lived: Lived) -> float:
    """Return the share of many people with one memory who pick the drama on the page."""
    seen = [view(number, history=(lived,), thoughts=(THOUGHT,)) for number in range(2_000)]
    draws = dice(3, "decide", np.arange(2_000), 1)
    made = RuleMind(remembered=weight, most_picks=1).decide_many(seen, draws)
    items = [action.item for one in made for action in one.actions if isinstance(action, a.Pick)]
    return items.count(1) / len(seen)


def test_what_is_remembered_moves_choices_by_its_weight() -> None:
    none = picks_of_drama(0.0, LIKED)
    assert picks_of_drama(2.0, LIKED) > none + 0.02
    assert picks_of_drama(2.0, DISLIKED) < none - 0.02
    assert none == picks_of_drama(0.0, DISLIKED)


def test_what_came_to_mind_is_recorded_with_the_decision() -> None:
    seen = view(history=(LIKED,), thoughts=(THOUGHT,))
    (decision,) = RuleMind().decide_many([seen], dice(3, "decide", np.array([0]), 1))
    assert decision.recalled == (7,)
    (blank,) = RuleMind(remembered=0.0).decide_many([seen], dice(3, "decide", np.array([0]), 1))
    assert blank.recalled == ()


def test_a_batch_remembers_as_each_would_alone() -> None:
    seen = [view(n, history=(LIKED,), thoughts=(THOUGHT,) * (n % 2)) for n in range(20)]
    draws = dice(3, "decide", np.arange(20), 1)
    alone = [
        RuleMind().decide_many([one], draws.pick(np.array([n])))[0] for n, one in enumerate(seen)
    ]
    assert list(RuleMind().decide_many(seen, draws)) == alone


def test_an_ablation_of_memory_changes_what_rule_minds_do() -> None:
    genesis, mind = tiny_genesis(30, 60), RuleMind(talkative=1.0)
    _, with_memory = simulate(genesis, mind=mind, memory=RecAgentMemory())
    _, without = simulate(genesis, mind=mind)
    picked = [
        [event for event in keeper.events() if isinstance(event, e.Picked)]
        for keeper in (with_memory, without)
    ]
    assert picked[0] != picked[1]
