from __future__ import annotations

import numpy as np
from tests.world.scene import ITEMS, PEOPLE, TAGS, applied, tiny_world

from audience.world import Item, Profile, Thought, changes as c, events as e, taste_of


def test_a_reminder_is_a_thought_of_that_moment_with_an_id_of_its_own() -> None:
    world = applied(
        e.RoundStarted(2, 77),
        e.Remembered(0, 4, "A", 0.5, 9),
        e.Intervened(c.Remind(0, "I was asked.", 0.9)),
        e.Intervened(c.Remind(0, "And again.")),
    )
    assert world.agents[0].thoughts[1:] == (
        Thought(5, "I was asked.", 0.9, 77, "reminder"),
        Thought(6, "And again.", 0.5, 77, "reminder"),
    )
    assert world.agents[1].thoughts == ()
    world.apply(e.Forgot(0, 5))
    assert [thought.id for thought in world.agents[0].thoughts] == [4, 6]


def test_a_new_person_is_one_of_us() -> None:
    world = applied(e.Intervened(c.AddPerson(Profile(PEOPLE, "New", activity=2.0), (0,))))
    assert len(world.agents) == PEOPLE + 1
    assert [agent.profile.name for agent in world.agents][-1] == "New"
    assert world.graph.neighbours(PEOPLE) == (0,)
    assert PEOPLE in world.graph.neighbours(0)
    assert world.activity.tolist()[-1] == 2.0
    assert len(world.satisfaction) == len(world.last_visit) == PEOPLE + 1
    assert world.interactions.people == PEOPLE + 1
    world.apply(e.Woke(PEOPLE, 3))
    assert world.agents[PEOPLE].visits == 1


def test_a_new_item_can_be_lived() -> None:
    world = applied(
        e.RunStarted(1, "", 0.5),
        e.Intervened(c.AddItem(Item(ITEMS, "New", tags=("Comedy",), quality=0.9))),
        e.Woke(0, 1),
        e.Watched(0, ITEMS, 1.0),
    )
    assert world.catalogue[ITEMS].title == world.interactions.catalogue[ITEMS].title == "New"
    assert world.agents[0].situation.quality == 0.9
    assert world.laws.drift == 0.5


def test_new_interests_reset_the_taste_and_other_fields_do_not() -> None:
    start = tiny_world().agents[0]
    moved = (e.TasteShifted(0, 1, 0.3), e.Intervened(c.ChangeProfile(0, {"age": 77})))
    world = applied(*moved)
    assert (world.agents[0].profile.age, world.agents[0].taste == start.taste) == (77, False)
    world.apply(e.Intervened(c.ChangeProfile(0, {"interests": ["Drama"], "activity": 3.0})))
    profile = world.agents[0].profile
    assert profile.interests == ("Drama",)
    assert world.agents[0].taste == taste_of(profile, world.catalogue.tag_ids)
    assert world.activity[0] == 3.0


def test_new_interests_count_also_for_somebody_with_a_leaning() -> None:
    world = tiny_world()
    leaning = {"leaning": [1.0] * TAGS, "interests": []}
    world.apply(e.Intervened(c.ChangeProfile(0, leaning)))
    assert np.frombuffer(world.agents[0].taste, np.float32).tolist() == [1.0] * TAGS
    world.apply(e.Intervened(c.ChangeProfile(0, {"interests": ["Drama"]})))
    wanted = taste_of(Profile(0, interests=("Drama",)), world.catalogue.tag_ids)
    assert world.agents[0].taste == wanted


def test_silence_and_swaps_are_remembered() -> None:
    world = applied(
        e.Intervened(c.Silence(1)),
        e.Intervened(c.Silence(2)),
        e.Intervened(c.Silence(1, False)),
        e.Intervened(c.SwapRecommender("random")),
    )
    assert world.silent == {2}
    assert world.recommender == c.SwapRecommender("random")
