from __future__ import annotations

import pytest

from audience.errors import BadInput
from audience.lab.evaluation.planted_facts import REPEATS, Design, ages_of, day_of, design
from audience.world import events as e


@pytest.fixture(scope="module")
def plan() -> Design:
    return design(4, 20, 1)


def test_every_age_importance_and_number_of_repeats_occurs_once_for_each(plan: Design) -> None:
    cells = {
        (age, important, repeats)
        for age in ages_of(20)
        for important in (True, False)
        for repeats in REPEATS
    }
    for agent in range(4):
        own = [fact for fact in plan.facts if fact.agent == agent]
        assert {(plan.age(f), f.important, f.repeats) for f in own} == cells
        assert len({fact.item for fact in own}) == len(own) == len(cells)
        felt = [fact.feeling[0] for fact in own if fact.important]
        assert len(set(felt)) == len(felt)
        assert all(1 <= round_ <= 19 for fact in own for round_ in fact.rounds)


def test_facts_are_lived_in_their_rounds_and_noise_never_names_them(plan: Design) -> None:
    own = [fact for fact in plan.facts if fact.agent == 2]
    for round_ in range(1, 21):
        day = day_of(plan, 2, round_, own)
        named: set[int] = set()
        for event in (*day.visit, *day.heard):
            if isinstance(event, e.SlateShown | e.Delivered):
                named |= set(event.items)
        due = {fact.item for fact in own if round_ in fact.rounds}
        assert named & {fact.item for fact in own} == due
        felt = {event.item for event in day.visit if isinstance(event, e.Felt)}
        assert felt == {fact.item for fact in own if fact.important and fact.item in due}


def test_the_same_seed_gives_the_same_life(plan: Design) -> None:
    assert design(4, 20, 1).facts == plan.facts
    assert design(4, 20, 2).facts != plan.facts
    own = [fact for fact in plan.facts if fact.agent == 0]
    assert day_of(plan, 0, 3, own) == day_of(plan, 0, 3, own)


@pytest.mark.parametrize(("people", "rounds", "flag"), [(1, 20, "people"), (4, 15, "rounds")])
def test_too_few_are_refused(people: int, rounds: int, flag: str) -> None:
    with pytest.raises(BadInput, match=f"--{flag}"):
        design(people, rounds, 1)
