"""People drawn around what is known of them."""

from __future__ import annotations

from audience.datasets.mixture import drawn_around
from audience.datasets.people import Known, known_of, population
from audience.world import Profile

TAGS = [("Drama", "War"), ("Comedy",)] * 5


def test_of_whom_nothing_is_known_the_usual_person_is_drawn() -> None:
    nobody = [Known(Profile(0), frozenset())] * 20
    plain = population(20, TAGS, 3, "equal")
    assert drawn_around(nobody, TAGS, 3) == plain


def test_a_career_fits_the_age_and_a_name_the_gender() -> None:
    children = drawn_around([known_of(Profile(0, age=13))] * 30, TAGS, 1)
    assert {who.career for who in children} == {"pupil"}
    old = drawn_around([known_of(Profile(0, age=80))] * 30, TAGS, 1)
    assert {who.career for who in old} == {"retired"}
    women, men = (
        drawn_around([known_of(Profile(0, gender=gender))] * 200, TAGS, 1)
        for gender in ("woman", "Male")
    )
    given = [{who.name.split()[0] for who in people} for people in (women, men)]
    assert len(given[0] & given[1]) < 0.1 * len(given[0])


def test_without_tags_nobody_has_interests() -> None:
    assert drawn_around([known_of(Profile(0))], [(), ()], 1)[0].interests == ()
