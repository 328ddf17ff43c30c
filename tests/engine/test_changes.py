from __future__ import annotations

import pytest

from audience.engine import Activation, Rules, objection
from audience.errors import BadInput
from audience.testing import ListKeeper, ScriptedMind, simulate, tiny_genesis
from audience.world import (
    Habits,
    Item,
    Profile,
    Topic,
    World,
    actions as a,
    changes as c,
    events as e,
)

PEOPLE, ITEMS = 8, 10
GENESIS = tiny_genesis(PEOPLE, ITEMS)
IDLE = ScriptedMind({}, a.Nothing())


def changed(*changes: c.AnyChange, rounds: int = 2) -> tuple[World, ListKeeper]:
    """Run with changes in round 2, where nobody does anything."""
    return simulate(GENESIS, mind=IDLE, changes={2: changes}, rules=Rules(rounds=rounds))


def opening(keeper: ListKeeper, round_: int = 2) -> list[e.AnyEvent]:
    chapters = [one for one in keeper.chapters if (one.round, one.phase) == (round_, e.OPENING)]
    return [entry.event for chapter in chapters for entry in chapter.entries]


def test_a_run_opens_with_its_seed_its_round_and_a_fit() -> None:
    _, keeper = changed()
    assert [type(event) for event in opening(keeper, 1)] == [
        e.RunStarted,
        e.RoundStarted,
        e.RecommenderFitted,
    ]
    started = opening(keeper, 1)[0]
    assert started == e.RunStarted(7, GENESIS.digest, 0.05)
    assert opening(keeper) == [e.RoundStarted(2, GENESIS.clock.at(2))]


def test_a_profile_is_changed_from_its_round_on() -> None:
    change = c.ChangeProfile(3, {"name": "Zoe", "interests": ["Comedy"], "age": 50})
    world, keeper = changed(change)
    profile = world.agents[3].profile
    assert (profile.name, profile.interests, profile.age) == ("Zoe", ("Comedy",), 50)
    assert opening(keeper)[1:] == [e.Intervened(change)]


def test_habits_come_as_they_stand_in_a_file() -> None:
    world, _ = changed(c.ChangeProfile(3, {"habits": {"critic": 1.0}}))
    assert world.agents[3].profile.habits == Habits(critic=1.0)


def test_a_new_person_lives_from_its_round_on() -> None:
    world, keeper = changed(c.AddPerson(Profile(PEOPLE, "New"), (0, 3)), rounds=3)
    woke = [(one.round, one.agent) for one in keeper.ordered() if one.phase == e.VISITS]
    assert (2, PEOPLE) in woke
    assert (3, PEOPLE) in woke
    assert world.graph.neighbours(PEOPLE) == (0, 3)
    assert world.agents[PEOPLE].visits == 2


def test_a_new_item_is_served_from_its_round_on() -> None:
    world, keeper = simulate(
        GENESIS,
        mind=ScriptedMind(
            {}, (a.Enter("recommender"), a.Browse(), a.NextPage(), a.NextPage(), a.Leave())
        ),
        changes={2: [c.AddItem(Item(ITEMS, "New", tags=("Drama",)))]},
        rules=Rules(rounds=2),
    )
    kinds = [type(event) for event in opening(keeper)]
    assert kinds == [e.RoundStarted, e.Intervened, e.RecommenderFitted]
    shown = {
        (chapter.round, item)
        for chapter in keeper.ordered()
        for entry in chapter.entries
        if isinstance(entry.event, e.SlateShown)
        for item in entry.event.items
    }
    assert (2, ITEMS) in shown
    assert (1, ITEMS) not in shown
    assert len(world.catalogue) == ITEMS + 1


def test_an_announcement_reaches_everybody() -> None:
    _, keeper = changed(c.Announce("Free entry", (2,), 1.0))
    assert opening(keeper)[2] == e.Delivered(
        "2.system.0", -1, tuple(range(PEOPLE)), "Free entry", (2,), 1.0
    )


def test_an_advertisement_reaches_whom_it_names() -> None:
    fond = tuple(one.id for one in GENESIS.profiles if "Comedy" in one.interests)
    assert 0 < len(fond) < PEOPLE
    cases: list[tuple[c.AnyChange, tuple[int, ...]]] = [
        (c.Advertise("Buy"), tuple(range(PEOPLE))),
        (c.Advertise("Buy", agents=(5, 1)), (5, 1)),
        (c.Advertise("Buy", interest="Comedy"), fond),
        (c.Advertise("Buy", agents=(fond[0],), interest="Comedy"), fond[:1]),
    ]
    for change, readers in cases:
        delivery = opening(changed(change)[1])[2]
        assert isinstance(delivery, e.Delivered)
        assert (delivery.to, delivery.author, delivery.stance) == (readers, -1, 0.5)
    assert len(opening(changed(c.Advertise("Buy", interest="Chess"))[1])) == 2


def test_two_announcements_of_a_round_have_different_ids() -> None:
    events = opening(changed(c.Announce("One"), c.Announce("Two"))[1])
    posts = [event.post for event in events if isinstance(event, e.Delivered)]
    assert posts == ["2.system.0", "2.system.1"]


def test_a_swapped_recommender_is_fitted_at_once_and_stays() -> None:
    _, keeper = changed(c.SwapRecommender("popular"), rounds=3)
    fits = [
        (chapter.round, chapter.phase, entry.event.kind)
        for chapter in keeper.ordered()
        for entry in chapter.entries
        if isinstance(entry.event, e.RecommenderFitted)
    ]
    assert fits == [
        (1, e.OPENING, "given"),
        (1, e.CLOSING, "given"),
        (2, e.OPENING, "popular"),
        (2, e.CLOSING, "popular"),
        (3, e.CLOSING, "popular"),
    ]


def test_ties_are_added_and_cut_in_their_direction() -> None:
    world, _ = changed(c.AddTie(0, 4, "rival", 0.9), c.CutTie(0, 1))
    tie = world.graph.tie(0, 4)
    assert tie is not None
    assert (tie.kind, tie.closeness) == ("rival", 0.9)
    assert world.graph.tie(4, 0) is None
    assert world.graph.tie(0, 1) is None
    assert world.graph.tie(1, 0) is not None


def test_the_silenced_do_not_wake() -> None:
    _, keeper = changed(c.Silence(3), rounds=3)
    woke = [(one.round, one.agent) for one in keeper.ordered() if one.phase == e.VISITS]
    assert [round_ for round_, agent in woke if agent == 3] == [1]


OBJECTIONS: list[tuple[c.AnyChange, str]] = [
    (c.ChangeProfile(8, {"age": 3}), "person 8 does not exist; there are 8, from 0 to 7"),
    (c.ChangeProfile(0, {"id": 3}), "profile field 'id' is unknown"),
    (c.ChangeProfile(0, {"hobbies": []}), "profile field 'hobbies' is unknown"),
    (c.ChangeProfile(0, {"nme": "X"}), "did you mean 'name'"),
    (c.ChangeProfile(0, {"age": "old"}), "age"),
    (c.ChangeProfile(0, {"interests": [1, {}]}), "interests"),
    (c.AddPerson(Profile(3, "X")), "the next free person id is 8, not 3"),
    (c.AddPerson(Profile(8, "X"), (0, 9)), "person 9 does not exist"),
    (c.AddItem(Item(3, "X")), "the next free item id is 10, not 3"),
    (c.AddItem(Item(10, "X", tags=("Comdy",))), "tag 'Comdy' is unknown (did you mean 'Comedy'?)"),
    (c.Announce("X", (10,)), "item 10 does not exist; there are 10, from 0 to 9"),
    (c.Advertise("X", (-1,)), "item -1 does not exist"),
    (c.Advertise("X", agents=(8,)), "person 8 does not exist"),
    (c.AddTie(0, 8), "person 8 does not exist"),
    (c.AddTie(0, 0), "a tie needs two people"),
    (c.CutTie(-1, 0), "person -1 does not exist"),
    (c.Silence(8), "person 8 does not exist"),
    (c.Remind(8, "X"), "person 8 does not exist"),
    (c.Raise(Topic(" ", "News"), (0,)), "a topic needs a name and a text"),
    (c.Raise(Topic("News", "\n"), (0,)), "a topic needs a name and a text"),
    (c.Raise(Topic("News", "X", "\ud800"), (0,)), "the words of topic 'News' are no text"),
    (c.Raise(Topic("News", "X", favour=1.5), (0,)), "favour is 1.5; give a share from 0 to 1"),
    (c.Raise(Topic("News", "X", decay=-0.1), (0,)), "decay is -0.1; give a share from 0 to 1"),
    (c.Raise(Topic("News", "X", favour_of={"female": 2.0}), (0,)), "female is 2.0; give a share"),
    (c.Raise(Topic("News", "X", half_life=0.0), (0,)), "half_life 0.0 and keep 10 must be above 0"),
    (c.Raise(Topic("News", "X", keep=0), (0,)), "half_life 3.0 and keep 0 must be above 0"),
    (c.Raise(Topic("News", "X"), (8,)), "person 8 does not exist"),
    (c.Raise(Topic("News", "X"), (0,), 1.5), "stance 1.5 is not in [-1, 1]"),
]


@pytest.mark.parametrize(("change", "why"), OBJECTIONS, ids=repr)
def test_each_objection_is_said_and_nothing_is_written(change: c.AnyChange, why: str) -> None:
    assert why in objection(World(GENESIS), change)
    keeper = ListKeeper()
    with pytest.raises(BadInput, match="intervention 2 of round 2: ") as raised:
        simulate(
            GENESIS,
            mind=IDLE,
            changes={2: [c.Silence(1), change]},
            rules=Rules(rounds=2),
            keeper=keeper,
        )
    assert why in str(raised.value)
    assert {chapter.round for chapter in keeper.chapters} == {1}


def test_a_change_may_build_on_the_one_before_it() -> None:
    newcomer = c.AddPerson(Profile(PEOPLE, "New"))
    world, _ = changed(newcomer, c.AddTie(PEOPLE, 0), c.Silence(PEOPLE))
    assert world.graph.neighbours(PEOPLE) == (0,)
    assert world.silent == {PEOPLE}


def test_changes_come_before_waking() -> None:
    _, keeper = simulate(
        GENESIS,
        mind=IDLE,
        changes={1: [c.Silence(agent) for agent in range(PEOPLE)]},
        activation=Activation("random", 1.0, 0.0),
        rules=Rules(rounds=1),
    )
    assert not [chapter for chapter in keeper.chapters if chapter.phase == e.VISITS]
