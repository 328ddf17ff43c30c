from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from audience.memory import Life, observations, tokens
from audience.memory.consolidation import Observed
from audience.memory.sentences import KINDS, SENTENCE, is_own
from audience.testing import simulate, tiny_genesis
from audience.world import Agent, Catalogue, Domain, Item, Profile, events as e

CATALOGUE = Catalogue(
    (
        Item(0, "Heat", tags=("Crime", "Drama")),
        Item(1, "Casino", tags=("Crime",)),
        Item(2, "Up"),
        Item(3, "The " + "Very " * 60 + "Long Title"),
    )
)
NOW, MORNING = 900, 100
NAMES = {0: "Me", 1: "Ann", 2: "", 7: "Ann"}


def told(*lived: e.AnyEvent, domain: Domain | None = None) -> list[Observed]:
    me = Agent(Profile(0, "Me"), b"")
    return observations(Life(me, lived, CATALOGUE, domain or Domain(), NAMES, NOW))


def only(*lived: e.AnyEvent, domain: Domain | None = None) -> Observed:
    (one,) = told(*lived, domain=domain)
    return one


def test_an_item_is_told_once_with_its_rating_and_feeling() -> None:
    seen = only(
        e.Picked(0, 0, 1), e.Watched(0, 0, 1.0), e.Rated(0, 0, 4), e.Felt(0, 0, "I liked <Heat>.")
    )
    assert seen.kind == "watched"
    assert seen.text == "I watched <Heat> (crime, drama), gave it 4 stars and felt: I liked <Heat>."
    assert seen.short == "I watched <Heat>, gave it 4 stars and felt: I liked it."
    assert (seen.items, seen.stars, seen.fraction) == ((0,), 4, 1.0)
    assert seen.feeling == "I liked <Heat>."


@pytest.mark.parametrize(
    ("fraction", "stars", "kind", "short"),
    [
        (1.0, 0, "watched", "I watched <Heat> (crime, drama) to the end."),
        (0.5, 0, "watched", "I watched <Heat> (crime, drama) but not to the end."),
        (1.0, 1, "watched", "I watched <Heat> (crime, drama), gave it 1 star and disliked it."),
        (0.1, 0, "dropped", "I gave up on <Heat> (crime, drama)."),
    ],
)
def test_how_far_it_got_and_how_it_was_liked(
    fraction: float, stars: int, kind: str, short: str
) -> None:
    rated = [e.Rated(0, 0, stars)] if stars else []
    seen = only(e.Watched(0, 0, fraction), *rated)
    assert (seen.kind, seen.short) == (kind, short)


def test_the_words_of_the_domain_are_used() -> None:
    books = Domain("book", "books", "read")
    assert only(e.Watched(0, 2, 1.0), domain=books).text == "I read <Up> to the end."
    assert only(e.Searched(0, "sea", 1), domain=books).text == (
        'I searched for "sea" and found 1 book.'
    )


def test_a_page_from_which_something_was_taken_is_not_told() -> None:
    shown = e.SlateShown(0, (0, 1, 2), 0)
    assert [one.kind for one in told(shown, e.Watched(0, 0, 1.0))] == ["watched"]
    seen = told(shown, e.SlateShown(0, (1,), 1), e.Watched(0, 1, 1.0))
    assert [one.kind for one in seen] == ["browsed", "watched"]
    assert seen[0].short == (
        "I looked at 3 recommended films, such as <Heat> and <Casino>, and took nothing."
    )
    assert seen[0].items == (0, 1, 2)


def test_a_conversation_is_one_thing_with_all_its_lines() -> None:
    seen = told(
        e.Said(0, 1, "Try <Heat>.", (0,), 0.8),
        e.Said(2, 0, "Hello", (), 0.0),
        e.Said(1, 0, "Not my kind", (0,), -0.6),
    )
    assert [one.kind for one in seen] == ["talked", "talked"]
    assert seen[0].text == (
        "I talked with Ann about <Heat>. I said: Try <Heat>. Ann said: Not my kind."
    )
    assert seen[0].short == (
        "I talked with Ann about <Heat>; I spoke well of it, Ann spoke badly of it."
    )
    assert seen[1].short == "I talked with somebody; somebody said: Hello."
    assert {one.at for one in seen} == {NOW}


def test_two_people_of_one_name_are_two_conversations() -> None:
    assert len(told(e.Said(0, 1, "Hi"), e.Said(7, 0, "Hi"))) == 2


def test_both_of_one_mind() -> None:
    lines = (e.Said(1, 0, "Try <Up>", (2,), 0.9), e.Said(0, 1, "Oh yes", (2,), 0.5))
    assert only(*lines).short == "I talked with Ann about <Up>; we both spoke well of it."


def test_posts_of_ones_own_of_others_and_of_the_platform() -> None:
    seen = told(
        e.Posted(0, "a", "See <Up>", (2,), 1.0),
        e.Forwarded(0, "b", "x", 1, "See <Heat>!", (0,)),
        e.Delivered("c", 1, (0, 5), "See <Casino>!", (1,)),
        e.Delivered("d", -1, (0,), "New: <Heat>.", (0,)),
    )
    assert [(one.kind, one.short) for one in seen] == [
        ("posted", "I wrote a post: See <Up>."),
        ("forwarded", "I passed on a post by Ann: See <Heat>!"),
        ("heard", "I read a post by Ann: See <Casino>!"),
        ("announced", "I read an announcement: New: <Heat>."),
    ]
    assert [is_own(one) for one in seen] == [True, True, False, False]
    assert [one.items for one in seen] == [(2,), (0,), (1,), (0,)]


def test_a_long_post_keeps_its_title_and_its_side() -> None:
    seen = only(e.Delivered("c", 1, (0,), "and so on " * 40, (1,), -0.9))
    assert seen.short == "I read a post by Ann that warns against <Casino>."
    assert seen.text.count("and so on") == 40


def test_a_visit_has_its_own_moment() -> None:
    seen = told(
        e.Woke(0, MORNING),
        e.Entered(0, "recommender"),
        e.Followed(0, 1),
        e.Unfollowed(0, 2),
        e.Left(0, 0.95, "enough"),
        e.Delivered("c", 1, (0,), "Hi"),
    )
    assert [(one.at, one.text) for one in seen] == [
        (MORNING, "I opened the recommendations."),
        (MORNING, "I began to follow Ann."),
        (MORNING, "I stopped following somebody."),
        (MORNING, "I left, very satisfied: enough."),
        (NOW, "I read a post by Ann: Hi."),
    ]
    assert seen[3].satisfaction == 0.95


def test_who_woke_and_did_nothing_has_nothing_to_tell() -> None:
    assert told(e.Woke(0, MORNING), e.Left(0, None, "nothing to do")) == []
    assert told(e.Woke(0, 1), e.Refused(0, "Pick", "no"), e.Failed(0, "x"), e.Left(0, None)) == []


def test_the_engines_reasons_are_not_the_persons() -> None:
    seen = told(e.Woke(0, 1), e.Entered(0, "social"), e.Left(0, None, "failed"))
    assert seen[-1].text == "I left."


def test_an_endless_feeling_is_cut() -> None:
    seen = only(e.Watched(0, 0, 1.0), e.Rated(0, 0, 5), e.Felt(0, 0, "x" * 100_000))
    assert len(seen.feeling) == 2_000
    assert len(seen.text) < 2_100
    assert seen.short == "I watched <Heat> and loved it."


def test_a_feeling_is_cut_where_its_sense_does_not_turn() -> None:
    long = "I wanted to like it, but it is far too long and the people in it mean nothing to me"
    seen = only(e.Watched(0, 0, 1.0), e.Rated(0, 0, 2), e.Felt(0, 0, long + ", alas, alas, alas"))
    assert "wanted to like it." not in seen.short
    seen = only(e.Watched(0, 0, 1.0), e.Felt(0, 0, "It broke my heart. " + long))
    assert seen.short == "I watched <Heat> and felt: It broke my heart."


TEXT = st.text(max_size=300)
ITEMS = st.lists(st.integers(0, 3), max_size=4).map(tuple)
STANCE = st.floats(-1, 1)
EVENTS = st.one_of(
    st.builds(e.SlateShown, st.just(0), ITEMS, st.integers(0, 3)),
    st.builds(e.Searched, st.just(0), TEXT, st.integers(0, 999)),
    st.builds(e.Watched, st.just(0), st.integers(0, 3), st.floats(0, 1)),
    st.builds(e.Rated, st.just(0), st.integers(0, 3), st.integers(1, 5)),
    st.builds(e.Felt, st.just(0), st.integers(0, 3), TEXT),
    st.builds(e.Posted, st.just(0), st.just("p"), TEXT, ITEMS, STANCE),
    st.builds(e.Said, st.just(0), st.integers(1, 3), TEXT, ITEMS, STANCE),
    st.builds(e.Said, st.integers(1, 3), st.just(0), TEXT, ITEMS, STANCE),
    st.builds(e.Delivered, st.just("p"), st.integers(-1, 3), st.just((0,)), TEXT, ITEMS, STANCE),
    st.builds(e.Left, st.just(0), st.none() | st.floats(0, 1), TEXT),
)


@given(st.lists(EVENTS, max_size=12))
def test_whatever_was_lived_every_sentence_is_short_and_in_the_first_person(
    lived: list[e.AnyEvent],
) -> None:
    for seen in told(*lived):
        assert tokens(seen.short) <= SENTENCE, seen
        assert seen.short.startswith("I ")
        assert seen.short[-1] in ".!?…\"'”’)"
        assert "\n" not in seen.short + seen.text
        assert seen.kind in KINDS
        if seen.kind in ("watched", "dropped"):
            assert CATALOGUE[seen.items[0]].title[:20] in seen.short


def test_a_whole_run_is_told() -> None:
    genesis = tiny_genesis(20, 30)
    world, keeper = simulate(genesis)
    kinds = set()
    for me in world.agents:
        who = me.profile.id
        lived = tuple(one for one in keeper.events() if getattr(one, "agent", -1) == who)
        names = {profile.id: profile.name for profile in genesis.profiles}
        life = Life(me, lived, genesis.catalogue, genesis.domain, names, NOW)
        seen = observations(life)
        watched = [one for one in seen if one.kind in ("watched", "dropped")]
        assert [one.items[0] for one in watched] == [
            one.item for one in lived if isinstance(one, e.Watched)
        ]
        kinds |= {one.kind for one in seen}
    assert kinds >= {"entered", "browsed", "watched", "left"}
