"""Gender, age, traits and career move rule minds a little, each in its direction."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents.rule import RuleMind
from audience.agents.rule.person import Bearing, bearing, leanings
from audience.world import (
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Item,
    Lived,
    Observation,
    Profile,
    Situation,
    actions as a,
    dice,
    taste_of,
)

TAGS = ("Romance", "Western", "Science Fiction", "Cooking")
ITEMS = tuple(
    Item(n, f"Item {n}", tags=(tag,), minutes=90, quality=0.6) for n, tag in enumerate(TAGS)
)
CATALOGUE = Catalogue(ITEMS, TAGS)
PEOPLE = 4_000
SLATE = (0, 1, 2, 3)


def view(profile: Profile, surface: str = "recommender", pages: int = 1) -> Observation:
    slate = SLATE if surface == "recommender" else ()
    here = Situation(9, surface, slate, 0, pages, slate)
    taste = taste_of(profile, CATALOGUE.tag_ids)
    me = Agent(profile, taste, here, (Lived(0, 1, 1.0), Lived(3, 1, 1.0)))
    return Observation(me, 1, 1, surface, MENUS[surface], CATALOGUE, Domain())


def decided(
    profile: Profile, surface: str = "recommender", /, **parameters: float
) -> list[a.AnyAction]:
    """Return what many people with this profile do, who differ in their dice alone."""
    seen = [view(replace(profile, id=number), surface) for number in range(PEOPLE)]
    draws = dice(1, "test", np.arange(PEOPLE))
    mind = RuleMind(**parameters)  # type: ignore[arg-type]
    return [action for made in mind.decide_many(seen, draws) for action in made.actions]


def picks(profile: Profile, item: int | None = None, **parameters: float) -> int:
    made = decided(profile, **parameters)
    return sum(isinstance(one, a.Pick) and item in (None, one.item) for one in made)


def kinds(profile: Profile, kind: type, surface: str = "recommender", **given: float) -> int:
    return sum(isinstance(one, kind) for one in decided(profile, surface, **given))


WOMAN, MAN = Profile(0, gender="female", age=38), Profile(0, gender="male", age=38)
YOUNG, OLD = Profile(0, age=18), Profile(0, age=70)


def test_genders_and_ages_lean_as_those_of_movielens_do() -> None:
    assert picks(WOMAN, 0, demography=1.0) > picks(MAN, 0, demography=1.0)
    assert picks(WOMAN, 2, demography=1.0) < picks(MAN, 2, demography=1.0)
    assert picks(OLD, 1, demography=1.0) > picks(YOUNG, 1, demography=1.0)
    assert leanings([view(WOMAN)]).tolist() == [[0.25, -0.31, -0.25, 0.0]]
    assert leanings([view(OLD)]).tolist() == [[0.04, 0.33, -0.02, 0.0]]


def test_who_gives_no_gender_and_no_age_leans_nowhere() -> None:
    for profile in (Profile(0), Profile(0, gender="nonbinary", age=38)):
        assert leanings([view(profile)]).tolist() == [[0.0] * 4]


def test_a_taste_learnt_from_a_history_is_left_alone() -> None:
    learnt = replace(WOMAN, leaning=(0.1, 0.1, 0.1, 0.1))
    assert leanings([view(learnt)]).tolist() == [[0.0] * 4]


@pytest.mark.parametrize(
    ("traits", "career", "wanted"),
    [
        ((), "", Bearing()),
        (("curious",), "nurse", Bearing(openness=1.0)),
        (("Critical; outgoing",), "", Bearing(0.0, 1.0, -1.0, 1.0)),
        (("practical, shy",), "Student", Bearing(-1.0, 0.0, 0.0, -1.0, 1.0)),
        (("fond of tea",), "retired teacher", Bearing(leisure=1.0)),
    ],
)
def test_words_of_traits_and_careers(traits: tuple[str, ...], career: str, wanted: Bearing) -> None:
    assert bearing(traits, career) == wanted


def test_traits_and_career_move_what_people_do_in_their_direction() -> None:
    plain = Profile(0)
    strict, kind = replace(plain, traits=("critical",)), replace(plain, traits=("generous",))
    assert picks(strict, traits=1.0) < picks(plain, traits=1.0)
    curious = replace(plain, traits=("curious",))
    assert picks(curious, 1, traits=1.0) > picks(plain, 1, traits=1.0)
    stars = [
        sum(one.stars for one in decided(who, traits=1.0) if isinstance(one, a.Rate))
        / kinds(who, a.Rate, traits=1.0)
        for who in (kind, plain, strict)
    ]
    assert stars == sorted(stars, reverse=True)
    outgoing, shy = replace(plain, traits=("outgoing",)), replace(plain, traits=("shy",))
    to_friends = [
        sum(isinstance(one, a.Enter) and one.surface == "social" for one in decided(who, "home"))
        for who in (outgoing, plain, shy)
    ]
    assert to_friends == sorted(to_friends, reverse=True)
    retired = replace(plain, career="retired")
    assert kinds(retired, a.Leave, career=1.0) < kinds(plain, a.Leave, career=1.0)


def test_without_weights_nobody_is_moved() -> None:
    somebody = Profile(0, "", "female", 70, ("critical", "curious", "generous"), "retired")
    off = {"demography": 0.0, "traits": 0.0, "career": 0.0}
    assert decided(somebody, **off) == decided(Profile(0), **off)
    assert decided(somebody) != decided(Profile(0))
