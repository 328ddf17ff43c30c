from __future__ import annotations

import pytest
from msgspec.structs import replace

from audience.agents import Decision
from audience.agents.human import CORRECTED, PLAYED, AssistedMind
from audience.agents.human.assisted import ScriptedPerson, is_odd
from audience.agents.rule import RuleMind
from audience.errors import BadInput
from audience.testing import check_mind, simulate, tiny_genesis
from audience.world import (
    Catalogue,
    Genesis,
    Observation,
    Situation,
    World,
    actions as a,
    events as e,
)

WORLD = World(tiny_genesis(6, 20))


def seen(surface: str = "recommender", slate: tuple[int, ...] = ()) -> Observation:
    from audience.world import observe

    me = replace(WORLD.agents[0], situation=Situation(1, surface, slate, 0, 1, slate))
    return observe(WORLD, me, 0)


def liked() -> tuple[int, int]:
    """Return an item that person 0 has an interest in, and one it has none in."""
    interests = set(WORLD.agents[0].profile.interests)
    items = WORLD.catalogue.items
    yes = next(item.id for item in items if interests & set(item.tags))
    no = next(item.id for item in items if not interests & set(item.tags))
    return yes, no


def test_it_keeps_to_the_protocol() -> None:
    check_mind(AssistedMind(share=1.0))
    check_mind(AssistedMind(share=0.5, way="corrected"))


def test_without_a_share_it_is_the_mind_itself() -> None:
    genesis = tiny_genesis(12)
    _, touched = simulate(genesis, mind=AssistedMind(share=0.0))
    _, plain = simulate(genesis, mind=RuleMind())
    assert touched.events() == plain.events()


def test_a_person_picks_what_it_has_an_interest_in_and_nothing_else() -> None:
    genesis = tiny_genesis(12)
    _, kept = simulate(genesis, mind=AssistedMind(share=1.0))
    picked = [event for event in kept.events() if isinstance(event, e.Picked)]
    assert picked
    for event in picked:
        interests = set(genesis.profiles[event.agent].interests)
        assert interests & set(genesis.catalogue[event.item].tags)
    causes = {entry.cause for chapter in kept.chapters for entry in chapter.entries}
    assert PLAYED in causes
    assert not any(isinstance(event, (e.Refused, e.Failed)) for event in kept.events())


def test_only_what_is_odd_is_corrected() -> None:
    yes, no = liked()
    page = seen(slate=(no, yes))
    assert is_odd(Decision((a.Pick(no, 1.0),)), page)
    assert not is_odd(Decision((a.Pick(yes, 1.0),)), page)
    assert not is_odd(Decision((a.Leave(),)), seen(slate=(no,)))
    assert not is_odd(Decision((a.Pick(no, 1.0),)), seen("home"))
    genesis = tiny_genesis(12)
    _, kept = simulate(genesis, mind=AssistedMind(share=1.0, way="corrected"))
    causes = {entry.cause for chapter in kept.chapters for entry in chapter.entries}
    assert CORRECTED in causes
    assert PLAYED not in causes
    for event in kept.events():
        if isinstance(event, e.Picked):
            tags = set(genesis.catalogue[event.item].tags)
            assert tags & set(genesis.profiles[event.agent].interests), "something odd was left"


def test_the_script_types_as_a_player_would() -> None:
    yes, no = liked()
    script = ScriptedPerson(seen(slate=(no, yes)))
    assert script.typed() == "2"
    assert script.typed("watched") == "100"
    assert script.typed("stars") in ("4", "5")
    assert script.typed("feeling") == ""
    assert script.typed() == "l"
    assert script.typed("satisfaction") == "9"
    assert ScriptedPerson(seen(slate=(no,))).typed() == "n"
    assert ScriptedPerson(seen("home")).typed() == "r"
    assert ScriptedPerson(seen("social")).typed() == "l"


@pytest.mark.parametrize("title", ["How much of us", "How satisfied I am", "What did you feel"])
def test_titles_that_sound_like_a_question_are_titles(title: str) -> None:
    genesis = tiny_genesis(12)
    items = tuple(replace(item, title=title) for item in genesis.catalogue.items)
    catalogue = Catalogue(items, genesis.catalogue.tags)
    renamed = Genesis(catalogue, genesis.profiles, genesis.ties, genesis.clock)
    plain, titled = (
        [
            event
            for event in simulate(each, mind=AssistedMind(share=1.0))[1].events()
            if isinstance(event, e.Picked | e.Rated | e.Left)
        ]
        for each in (genesis, renamed)
    )
    assert titled == plain


@pytest.mark.parametrize(
    ("options", "said"),
    [({"way": "plaid"}, "way 'plaid' is unknown"), ({"share": 2.0}, "not between 0 and 1")],
)
def test_mistakes_are_named(options: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        AssistedMind(**options)  # type: ignore[arg-type]


def test_which_visits_are_played_is_drawn_anew_by_every_seed() -> None:
    played = []
    for seed in (1, 2):
        _, kept = simulate(tiny_genesis(60), mind=AssistedMind(share=0.5), seed=seed)
        entries = [(chapter.round, one) for chapter in kept.chapters for one in chapter.entries]
        played.append(
            {
                (round_, one.event.agent)
                for round_, one in entries
                if one.cause == PLAYED and isinstance(one.event, e.Entered)
            }
        )
    assert all(len(some) > 5 for some in played)
    assert played[0] != played[1]
