from __future__ import annotations

import msgspec
import pytest
from tests.world.scene import ITEMS, PEOPLE, applied, tiny_world

from audience.testing import tiny_genesis
from audience.world import INBOX, Laws, Lived, Situation, World, events as e, fold_agent
from audience.world.agent import HEARD


def test_a_visit_is_carried_in_the_situation_and_ends_with_it() -> None:
    before = (e.Woke(1, 50), e.Entered(1, "recommender"), e.SlateShown(1, (3, 4), 0))
    here = applied(*before).agents[1].situation
    assert (here.at, here.surface, here.slate, here.page, here.pages) == (
        50,
        "recommender",
        (3, 4),
        0,
        1,
    )
    world = applied(*before, e.Watched(1, 4, 0.5), e.SlateShown(1, (5,), 1, "search"))
    here = world.agents[1].situation
    assert (here.surface, here.slate, here.shown, here.picks) == ("search", (5,), (3, 4, 5), 1)
    assert here.quality == world.catalogue[4].quality
    assert world.agents[1].lived_now() == (Lived(4, 50, 0.5),)
    world.apply(e.Left(1, 0.9))
    assert world.agents[1].situation.surface == ""
    assert world.agents[1].lived_now() == ()
    assert world.agents[1].satisfaction == pytest.approx(0.7)
    assert world.satisfaction[1] == pytest.approx(0.7)


def test_the_words_searched_for_are_known_until_the_visit_ends() -> None:
    searched = (e.Woke(1, 50), e.Entered(1, "recommender"), e.Searched(1, "a salt mine", 1))
    shown = (e.SlateShown(1, (5,), 0, "search"), e.SlateAnnotated(1, reasons=("so",)))
    world = applied(*searched, *shown, e.Watched(1, 5, 1.0), e.Entered(1, "social"))
    assert world.agents[1].situation.searched == "a salt mine"
    world.apply(e.Searched(1, "other words", 0))
    assert world.agents[1].situation.searched == "other words"
    for event in (e.Left(1, 0.5), e.Woke(1, 90)):
        world.apply(event)
        assert world.agents[1].situation.searched == ""


def test_a_situation_kept_before_words_were_known_still_reads() -> None:
    world = applied(e.Woke(1, 50), e.Searched(1, "a salt mine", 1))
    kept = msgspec.msgpack.encode(world.agents[1].situation)
    assert msgspec.msgpack.decode(kept, type=Situation) == world.agents[1].situation
    older = msgspec.msgpack.encode(msgspec.msgpack.decode(kept)[:-1])
    assert msgspec.msgpack.decode(older, type=Situation).searched == ""


def test_leaving_without_a_word_keeps_the_satisfaction() -> None:
    assert applied(e.Woke(0, 1), e.Left(0, None)).agents[0].satisfaction == 0.5


def test_stars_and_feelings_are_written_beside_the_newest_of_the_item() -> None:
    world = applied(e.Woke(0, 1), e.Watched(0, 2, 1.0), e.Watched(0, 3, 1.0), e.Watched(0, 2, 0.5))
    world.apply(e.Rated(0, 2, 4))
    world.apply(e.Felt(0, 3, "Fine."))
    assert world.agents[0].history == (
        Lived(2, 1, 1.0),
        Lived(3, 1, 1.0, 0, "Fine."),
        Lived(2, 1, 0.5, 4),
    )
    assert world.interactions.stars.tolist() == [0, 0, 4]


def test_inbox_and_hearsay_keep_the_newest() -> None:
    world = tiny_world()
    for number in range(50):
        world.apply(e.Delivered(f"p{number}", 1, (0,), "Look", (number % ITEMS,), 0.0))
    me = world.agents[0]
    assert (len(me.inbox), len(me.heard)) == (INBOX, HEARD)
    assert me.inbox[-1].post == "p49"


def test_an_inbox_never_drops_what_a_human_wrote() -> None:
    world = tiny_world()
    world.apply(e.Delivered("human", 1, (0,), "Look", voice="human"))
    for number in range(3 * INBOX):
        world.apply(e.Delivered(f"p{number}", 1, (0,), "Look"))
    inbox = world.agents[0].inbox
    assert len(inbox) == INBOX
    assert inbox[0].post == "human"
    assert inbox[-1].post == f"p{3 * INBOX - 1}"


def test_an_event_that_concerns_nobody_leaves_an_agent_as_it_is() -> None:
    world = tiny_world()
    me = world.agents[0]
    assert fold_agent(me, e.RoundEnded(1), Laws(world.catalogue, 0.1)) is me


def test_reasons_belong_to_the_page_they_came_with() -> None:
    world = World(tiny_genesis(PEOPLE, ITEMS))

    def after(*events: e.AnyEvent) -> tuple[str, ...]:
        for event in events:
            world.apply(event)
        return world.agents[1].situation.reasons

    assert after(e.Woke(1, 5), e.SlateShown(1, (2, 3), 0)) == ()
    assert after(e.SlateAnnotated(1, (1.0, 0.5))) == ()
    assert after(e.SlateAnnotated(1, (), ("new", ""))) == ("new", "")
    assert after(e.Watched(1, 2, 1.0)) == ("new", "")
    assert after(e.SlateShown(1, (4,), 1)) == ()
    assert after(e.SlateAnnotated(1, (), ("old",)), e.Entered(1, "social")) == ()


def test_posts_of_a_visit_are_counted_one_by_one() -> None:
    before = (e.Woke(1, 5), e.Posted(1, "a", "Hello"), e.Forwarded(1, "b", "p", 0, "Look"))
    assert applied(*before).agents[1].situation.posts == 2
    assert applied(*before, e.Left(1), e.Woke(1, 9)).agents[1].situation.posts == 0


def test_words_about_nothing_are_not_hearsay() -> None:
    world = applied(e.Said(1, 2, "Hello", (), 1.0), e.Delivered("p", 1, (2,), "Hello", (), 1.0))
    assert world.agents[2].heard == ()
    assert len(world.agents[2].inbox) == 1
