from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest

from audience.datasets.embedded import embedded_catalogue, embedded_rows
from audience.datasets.people import CAREERS, TRAITS, activity, draw_names, population
from audience.datasets.people.attributes import AXES
from audience.errors import BadInput
from audience.world import HABITS, Profile


def tags_of_films() -> list[tuple[str, ...]]:
    return [item.tags for item in embedded_catalogue("films", 1).items]


@lru_cache(maxsize=4)
def people(count: int, seed: int = 3) -> tuple[Profile, ...]:
    return population(count, tags_of_films(), seed)


def test_equal_seeds_give_equal_people_and_others_do_not() -> None:
    assert people(300) == population(300, tags_of_films(), 3)
    other = people(300, 4)
    assert sum(a == b for a, b in zip(people(300), other, strict=True)) == 0


def test_a_smaller_population_is_the_beginning_of_a_larger() -> None:
    assert people(1000) == people(5000)[:1000]


def test_ids_are_dense_and_nothing_is_empty() -> None:
    crowd = people(5000)
    assert [who.id for who in crowd] == list(range(5000))
    for who in crowd:
        assert who.name
        assert who.career in CAREERS
        assert who.age is not None
        assert 12 <= who.age <= 90


def test_hardly_anybody_shares_a_name_among_a_hundred_thousand() -> None:
    women = np.arange(100_000) % 2 == 0
    names = draw_names(women, 5)
    counts = Counter(names)
    sharing = sum(count for count in counts.values() if count > 1)
    assert sharing / len(names) < 0.01
    assert sum(len(name.split()) == 2 for name in names) > 0.8 * len(names)


def test_names_come_from_many_cultures_and_mostly_from_one_each() -> None:
    rows = embedded_rows("names")
    assert len(rows) >= 30
    givens = [set(row[1].split("|")) | set(row[2].split("|")) for row in rows]
    families = [set(row[3].split("|")) for row in rows]
    seen: set[int] = set()
    together = 0
    for who in people(1000):
        first, _, last = who.name.partition(" ")
        of_given = {place for place, names in enumerate(givens) if first in names}
        of_family = {place for place, names in enumerate(families) if last in names}
        seen |= of_given
        together += bool(of_given & of_family)
    assert len(seen) == len(rows)
    assert 0.75 < together / 1000 < 0.99


def test_genders_and_ages_look_like_a_country() -> None:
    crowd = people(5000)
    genders = Counter(who.gender for who in crowd)
    assert set(genders) == {"female", "male", "nonbinary"}
    assert 0.005 < genders["nonbinary"] / 5000 < 0.05
    assert 0.45 < genders["female"] / 5000 < 0.53
    ages = np.array([who.age for who in crowd])
    assert 38 < ages.mean() < 48
    assert (ages < 18).mean() < 0.15
    assert (ages > 80).mean() < 0.05


def test_careers_follow_age() -> None:
    for who in people(5000):
        age = who.age or 0
        if age < 15:
            assert who.career == "pupil"
        if age >= 19:
            assert who.career != "pupil"
        if who.career == "retired":
            assert age > 55
        if age > 80:
            assert who.career == "retired"
        if who.career in ("doctor", "lawyer", "judge"):
            assert age >= 23
    assert len({who.career for who in people(5000)}) > 80


def test_traits_never_contradict() -> None:
    axis = {word: place for place, row in enumerate(AXES) for word in row[:2]}
    assert len(TRAITS) == len(set(TRAITS)) >= 40
    for who in people(5000):
        assert 2 <= len(who.traits) <= 4
        assert len({axis[trait] for trait in who.traits}) == len(who.traits)
    assert {trait for who in people(5000) for trait in who.traits} == set(TRAITS)


@pytest.mark.parametrize(
    ("trait", "opposite", "habit"),
    [
        ("outgoing", "shy", "chatter"),
        ("outgoing", "shy", "poster"),
        ("critical", "forgiving", "critic"),
        ("curious", "single-minded", "explorer"),
        ("organised", "untidy", "watcher"),
    ],
)
def test_habits_follow_traits(trait: str, opposite: str, habit: str) -> None:
    def mean(wanted: str) -> float:
        found = [getattr(who.habits, habit) for who in people(5000) if wanted in who.traits]
        return float(np.mean(found))

    assert mean(trait) > mean(opposite) + 0.15


def test_habits_are_hundredths_from_nought_to_one() -> None:
    for habit in HABITS:
        values = np.array([getattr(who.habits, habit) for who in people(5000)])
        assert values.min() >= 0
        assert values.max() <= 1
        assert np.array_equal(values, np.round(values, 2))
        assert values.std() > 0.1


def test_interests_are_different_tags_of_unequal_popularity() -> None:
    tags = set(embedded_catalogue("films", 1).tags)
    counts = Counter(tag for who in people(5000) for tag in who.interests)
    for who in people(5000):
        assert 2 <= len(set(who.interests)) == len(who.interests) <= 5
    assert set(counts) == tags
    assert counts["Comedy"] > 2 * counts["Sport"]


def test_interests_occur_together_as_in_the_catalogue() -> None:
    likes = [set(who.interests) for who in people(5000)]

    def lift(one: str, two: str) -> float:
        both = np.mean([one in tags and two in tags for tags in likes])
        return float(both / np.mean([one in t for t in likes]) / np.mean([two in t for t in likes]))

    assert lift("Crime", "Noir") > 1.5 * lift("Family", "Noir")
    assert lift("Animation", "Family") > 1.5 * lift("Animation", "War")


def test_interests_depend_mildly_on_age() -> None:
    old = [who.interests for who in people(5000) if (who.age or 0) > 60]
    young = [who.interests for who in people(5000) if (who.age or 0) < 30]
    for tag, sign in (("Western", 1), ("Horror", -1)):
        gap = np.mean([tag in tags for tags in old]) - np.mean([tag in tags for tags in young])
        assert 0.02 < sign * gap < 0.4


def test_few_tags_or_none_are_enough() -> None:
    assert {who.interests for who in population(50, [], 1)} == {()}
    assert {who.interests for who in population(50, [("one",)], 1)} == {("one",)}
    assert {len(who.interests) for who in population(50, [("a", "b", "c")], 1)} == {2, 3}


def test_activity_is_heavy_tailed_with_expected_value_one() -> None:
    pareto, lognormal = (activity(100_000, kind, 2) for kind in ("pareto", "lognormal"))
    assert pareto.min() == pytest.approx(1 / 3, abs=1e-3)
    assert np.median(pareto) == pytest.approx(2 ** (2 / 3) / 3, rel=0.02)
    assert lognormal.mean() == pytest.approx(1.0, rel=0.03)
    assert np.log(lognormal).std() == pytest.approx(1.0, rel=0.02)
    assert (lognormal > 0).all()
    for levels in (pareto, lognormal):
        assert np.sort(levels)[-10_000:].sum() > 0.3 * levels.sum()
    assert set(activity(5, "equal", 2).tolist()) == {1.0}
    assert np.array_equal(activity(10, "pareto", 2), pareto[:10])


def test_bad_requests_say_what_to_do() -> None:
    with pytest.raises(BadInput, match=r"activity 'parretto' is unknown \(did you mean 'pareto'"):
        activity(5, "parretto", 1)
    with pytest.raises(BadInput, match="0 people were requested; ask for at least one"):
        population(0, [], 1)
