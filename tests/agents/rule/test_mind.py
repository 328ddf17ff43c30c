from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents import Decision
from audience.agents.rule import RuleMind
from audience.engine import Rules
from audience.errors import BadInput
from audience.testing import check_batch_mind, simulate, tiny_genesis
from audience.world import (
    LAST_PAGE,
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Friend,
    Habits,
    Heard,
    Item,
    Lived,
    Message,
    Observation,
    Profile,
    Situation,
    actions as a,
    dice,
    events as e,
    taste_of,
)

ITEMS = tuple(
    Item(
        number,
        f"Item {number}",
        tags=("Drama" if number % 2 else "Comedy",),
        minutes=90,
        quality=0.6,
    )
    for number in range(10)
)
CATALOGUE = Catalogue(ITEMS, ("Comedy", "Drama", "Noir"))
PEOPLE = 3_000
SLATE = (1, 3, 5, 7, 9)


def agent(number: int, habits: Habits, likes: str, **what: Any) -> Agent:
    profile = Profile(number, f"P{number}", interests=(likes,) if likes else (), habits=habits)
    return Agent(profile, taste_of(profile, CATALOGUE.tag_ids), **what)


def crowd(
    surface: str = "recommender",
    *,
    habits: Habits | None = None,
    likes: str = "Drama",
    menu: tuple[str, ...] = (),
    slate: tuple[int, ...] = SLATE,
    pages: int = 1,
    catalogue: Catalogue = CATALOGUE,
    friends: tuple[Friend, ...] = (),
    lines: tuple[e.Said, ...] = (),
    **what: Any,
) -> list[Observation]:
    """Return the same observation for many people who differ in their dice alone."""
    here = Situation(0, surface, slate if surface in ("recommender", "search") else (), 0, pages)
    situation = what.pop("situation", here)
    chosen = menu or MENUS[surface]
    return [
        Observation(
            agent(number, habits or Habits(), likes, situation=situation, **what),
            1,
            1,
            surface,
            chosen,
            catalogue,
            Domain(),
            friends,
            lines,
        )
        for number in range(PEOPLE)
    ]


def decided(seen: Sequence[Observation], **parameters: float) -> Sequence[Decision]:
    numbers = np.array([one.me.profile.id for one in seen])
    return RuleMind(**parameters).decide_many(seen, dice(1, "test", numbers))  # type: ignore[arg-type]


def share(decisions: Sequence[Decision], kind: type) -> float:
    return sum(any(type(x) is kind for x in one.actions) for one in decisions) / len(decisions)


def of_kind(decisions: Sequence[Decision], kind: type[a.Action]) -> list[Any]:
    return [action for one in decisions for action in one.actions if type(action) is kind]


def picks(decisions: Sequence[Decision]) -> float:
    return len(of_kind(decisions, a.Pick)) / len(decisions)


def test_it_keeps_to_the_protocol() -> None:
    check_batch_mind(RuleMind())


def test_it_keeps_to_the_protocol_with_other_parameters() -> None:
    check_batch_mind(RuleMind(most_picks=4, talkative=1.0, leave=-8.0), sizes=(1, 5, 200))


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(BadInput, match=r"'tast' is unknown .did you mean 'taste'"):
        RuleMind(tast=1.0)
    with pytest.raises(BadInput, match="taste: True is not a number"):
        RuleMind(taste=True)


def test_a_better_match_is_picked_more() -> None:
    fond, neutral, other = (picks(decided(crowd(likes=tag))) for tag in ("Drama", "Noir", ""))
    assert fond > 1.5 * neutral
    assert neutral == pytest.approx(other, rel=0.05)


def test_among_two_the_better_match_is_picked_more() -> None:
    chosen = [pick.item % 2 for pick in of_kind(decided(crowd(slate=(0, 1, 2, 3))), a.Pick)]
    assert sum(chosen) > 2 * (len(chosen) - sum(chosen))


def test_better_items_are_picked_more_and_enjoyed_more() -> None:
    found = []
    for quality in (0.2, 0.9):
        items = tuple(replace(item, quality=quality) for item in ITEMS)
        seen = crowd(catalogue=Catalogue(items, CATALOGUE.tags), habits=Habits(watcher=1.0))
        decisions = decided(seen)
        stars = [rate.stars for rate in of_kind(decisions, a.Rate)]
        found.append((picks(decisions), sum(stars) / len(stars)))
    assert found[1] > found[0]
    assert found[1][1] > found[0][1] + 0.5


def test_a_critic_picks_less_and_gives_fewer_stars() -> None:
    plain = decided(crowd(habits=Habits(watcher=1.0)))
    strict = decided(crowd(habits=Habits(watcher=1.0, critic=1.0)))
    assert picks(strict) < 0.9 * picks(plain)
    means = [np.mean([rate.stars for rate in of_kind(some, a.Rate)]) for some in (plain, strict)]
    assert means[1] < means[0] - 0.15


def test_the_first_places_are_picked_more() -> None:
    slate = SLATE
    counts = np.bincount([slate.index(p.item) for p in of_kind(decided(crowd()), a.Pick)])
    assert counts[0] > 1.3 * counts[-1]


def test_more_pages_seen_means_leaving_sooner() -> None:
    shares = [share(decided(crowd(pages=pages)), a.Leave) for pages in (1, 2, 4, 6)]
    assert shares == sorted(shares)
    assert shares[-1] > shares[0] + 0.3


def test_more_fatigue_means_leaving_sooner() -> None:
    shares = [share(decided(crowd(), fatigue=fatigue), a.Leave) for fatigue in (0.0, 0.5, 2.0)]
    assert shares == sorted(set(shares))


def test_a_long_evening_means_leaving_sooner() -> None:
    found = []
    for minutes in (30.0, 300.0):
        items = tuple(replace(item, minutes=minutes) for item in ITEMS)
        here = Situation(0, "recommender", (5, 7, 9), 0, 1, (1, 5, 7, 9), 1)
        seen = crowd(
            catalogue=Catalogue(items, CATALOGUE.tags),
            situation=here,
            history=(Lived(1, 0, 1.0),),
        )
        found.append(share(decided(seen), a.Leave))
    assert found[1] > found[0] + 0.2


def test_those_who_leave_say_how_it_was() -> None:
    told = [leave.satisfaction for leave in of_kind(decided(crowd(pages=5)), a.Leave)]
    assert told
    assert all(0.0 <= one <= 1.0 for one in told)
    assert len(set(told)) > 50


def test_pages_without_a_pick_lower_the_satisfaction() -> None:
    means = [
        np.mean([leave.satisfaction for leave in of_kind(decided(crowd(pages=pages)), a.Leave)])
        for pages in (1, 3, 6)
    ]
    assert means[0] > means[1] > means[2]


def test_what_friends_praise_is_picked_more_by_those_who_trust_them() -> None:
    def of_five(stance: float, chatter: float) -> float:
        heard = (Heard(5, 1, stance),) if stance else ()
        decisions = decided(crowd(habits=Habits(chatter=chatter), heard=heard))
        return [pick.item for pick in of_kind(decisions, a.Pick)].count(5) / PEOPLE

    assert of_five(-1.0, 1.0) < of_five(0.0, 1.0) < of_five(1.0, 0.0) < of_five(1.0, 1.0)


def test_explorers_want_what_is_new() -> None:
    lately = tuple(Lived(item, -9, 1.0) for item in (1, 3, 5))
    plain, curious = (
        decided(crowd(likes="", slate=(0, 7), habits=Habits(explorer=x), history=lately))
        for x in (0.0, 1.0)
    )
    fresh = [np.mean([p.item == 0 for p in of_kind(some, a.Pick)]) for some in (plain, curious)]
    assert fresh[1] > fresh[0] + 0.03


def test_no_item_is_picked_twice_in_a_visit() -> None:
    here = Situation(0, "recommender", (1, 3), 0, 1, (1, 3), 1)
    seen = crowd(situation=here, history=(Lived(1, 0, 1.0),))
    assert {pick.item for pick in of_kind(decided(seen, no_pick=-5.0), a.Pick)} == {3}


def test_several_picks_are_possible_but_no_more_than_allowed() -> None:
    counts = {len(of_kind([one], a.Pick)) for one in decided(crowd())}
    assert counts == {0, 1, 2}
    many = decided(crowd(), most_picks=4, no_pick=-9.0, again=0.0)
    assert {len(of_kind([one], a.Pick)) for one in many} == {4}


def test_what_is_not_enjoyed_is_dropped() -> None:
    poor = Catalogue(tuple(replace(item, quality=0.0) for item in ITEMS), CATALOGUE.tags)
    bad = [p.fraction for p in of_kind(decided(crowd(likes="Noir", catalogue=poor)), a.Pick)]
    good = [p.fraction for p in of_kind(decided(crowd()), a.Pick)]
    assert np.mean(bad) < 0.6 < 0.9 < np.mean(good)
    assert all(0.0 < fraction <= 1.0 for fraction in bad + good)


def test_watchers_rate_and_tell_their_feelings() -> None:
    shares = [
        len(of_kind(decisions, a.Rate)) / len(of_kind(decisions, a.Pick))
        for decisions in (decided(crowd(habits=Habits(watcher=x))) for x in (0.0, 0.5, 1.0))
    ]
    assert shares == pytest.approx([0.15, 0.575, 1.0], abs=0.05)
    felt = [rate.feeling for rate in of_kind(decided(crowd(habits=Habits(watcher=1.0))), a.Rate)]
    assert 0.4 < np.mean([bool(one) for one in felt]) < 0.6


def test_ratings_of_a_population_cover_all_five_stars() -> None:
    genesis = tiny_genesis(300, 60)
    _, keeper = simulate(genesis, rules=Rules(rounds=3))
    stars = [event.stars for event in keeper.events() if isinstance(event, e.Rated)]
    shares = np.bincount(stars, minlength=6)[1:] / len(stars)
    assert shares.min() > 0.02
    assert shares.argmax() in (2, 3)


def test_somebody_content_comes_to_the_recommender_more() -> None:
    shares = [share(decided(crowd("home", satisfaction=s)), a.Browse) for s in (0.1, 0.5, 0.9)]
    assert shares == sorted(set(shares))
    assert shares[2] > shares[0] + 0.3


def test_news_and_talkative_people_go_to_friends() -> None:
    def to_friends(**what: Any) -> float:
        entered = of_kind(decided(crowd("home", **what)), a.Enter)
        return [one.surface for one in entered].count("social") / PEOPLE

    message = (Message("1.1.0", 1, "Look"),)
    assert to_friends() < to_friends(inbox=message)
    assert to_friends() < to_friends(habits=Habits(poster=1.0))


def test_explorers_search_for_what_was_praised() -> None:
    heard = (Heard(4, 1, 0.9), Heard(6, 1, -0.9))
    seen = crowd("home", habits=Habits(explorer=1.0), heard=heard)
    asked = {search.query for search in of_kind(decided(seen), a.Search)}
    assert asked == {"Item 4"}
    known = crowd("home", habits=Habits(explorer=1.0), heard=heard, history=(Lived(4, 0, 1.0),))
    assert not of_kind(decided(known), a.Search)


def test_the_last_page_is_not_turned() -> None:
    decisions = decided(crowd(menu=LAST_PAGE))
    assert not of_kind(decisions, a.NextPage)
    assert not of_kind(decisions, a.Browse)
    assert share(decisions, a.Leave) == 1.0


def test_an_empty_page_is_borne() -> None:
    assert picks(decided(crowd(slate=()))) == 0.0


def test_every_wish_of_a_rule_mind_is_legal() -> None:
    _, keeper = simulate(tiny_genesis(60, 40), rules=Rules(rounds=4), mind=RuleMind(talkative=1.0))
    refused = [event for event in keeper.events() if isinstance(event, e.Refused)]
    assert refused == []


def test_reasons_are_given_on_waking() -> None:
    assert all(one.reason for one in decided(crowd("home")))


def test_parameters_read_back() -> None:
    mind = RuleMind(taste=3.0)
    assert msgspec.json.decode(msgspec.json.encode(mind.parameters))["taste"] == 3.0
