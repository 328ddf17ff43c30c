from __future__ import annotations

from collections import Counter, deque
from functools import lru_cache

import numpy as np
import pytest

from audience.datasets.embedded import embedded_catalogue
from audience.datasets.people import no_ties, population, small_world
from audience.datasets.people.drawn import OUTSIDE_WORK
from audience.datasets.people.ties import CLOSENESS, KINDS
from audience.errors import BadInput
from audience.world import Profile, SocialGraph, Ties

MANY = 1000


@lru_cache(maxsize=1)
def people() -> tuple[Profile, ...]:
    return population(MANY, [item.tags for item in embedded_catalogue("films", 1).items], 3)


@lru_cache(maxsize=1)
def ties() -> Ties:
    return small_world(people(), 3)


@lru_cache(maxsize=1)
def neighbours() -> tuple[frozenset[int], ...]:
    graph = SocialGraph(ties())
    return tuple(frozenset(graph.neighbours(agent)) for agent in range(MANY))


def jaccard(one: int, two: int) -> float:
    first, second = set(people()[one].interests), set(people()[two].interests)
    return len(first & second) / len(first | second)


def clustering(friends: tuple[frozenset[int], ...]) -> float:
    def closed(own: frozenset[int]) -> float:
        pairs = len(own) * (len(own) - 1)
        return sum(len(friends[other] & own) for other in own) / pairs if pairs else 0.0

    return float(np.mean([closed(own) for own in friends]))


def distances(start: int) -> dict[int, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for other in neighbours()[here] - found.keys():
            found[other] = found[here] + 1
            waiting.append(other)
    return found


def test_ties_go_both_ways_without_loops_or_repeats() -> None:
    graph = SocialGraph(ties())
    for agent in range(MANY):
        found = graph.neighbours(agent)
        assert len(set(found)) == len(found)
        assert agent not in found
        for tie in graph.ties(agent):
            back = graph.tie(tie.other, agent)
            assert back is not None
            assert (back.kind, back.closeness) == (tie.kind, tie.closeness)
    assert len(ties().others) / MANY == pytest.approx(8, rel=0.05)


def test_equal_seeds_give_equal_ties_and_others_do_not() -> None:
    again, other = small_world(people(), 3), small_world(people(), 4)
    assert np.array_equal(ties().others, again.others)
    assert np.array_equal(ties().closeness, again.closeness)
    assert not np.array_equal(ties().starts, other.starts)


def test_neighbours_are_alike() -> None:
    near = [jaccard(one, two) for one in range(MANY) for two in neighbours()[one]]
    far = [jaccard(one, (7 * one + 13) % MANY) for one in range(MANY)]
    assert np.mean(near) > 2 * np.mean(far)
    loose = SocialGraph(small_world(people(), 3, homophily=0.0))
    strangers = [jaccard(one, two) for one in range(MANY) for two in loose.neighbours(one)]
    assert np.mean(strangers) < 1.2 * np.mean(far)


def test_it_is_a_small_world() -> None:
    assert clustering(neighbours()) > 10 * 8 / MANY
    reached = [distances(start) for start in range(0, MANY, 50)]
    assert min(len(found) for found in reached) > 0.99 * MANY
    assert np.mean([far for found in reached for far in found.values()]) < 6


def test_rewiring_lowers_clustering() -> None:
    graph = SocialGraph(small_world(people(), 3, rewire=1.0))
    wired = tuple(frozenset(graph.neighbours(agent)) for agent in range(MANY))
    assert clustering(wired) < 0.3 * clustering(neighbours())


def test_kinds_are_labelled_plausibly() -> None:
    graph = SocialGraph(ties())
    gaps: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for agent in range(MANY):
        for tie in graph.ties(agent):
            one, two = people()[agent], people()[tie.other]
            gaps[tie.kind].append(abs((one.age or 0) - (two.age or 0)))
            if tie.kind == "colleague":
                assert not {one.career, two.career} & {*OUTSIDE_WORK, "unemployed"}
    counts = Counter({kind: len(found) for kind, found in gaps.items()})
    assert min(counts.values()) > 0.03 * counts.total()
    assert np.mean(gaps["friend"]) < np.mean(gaps["acquaintance"]) < np.mean(gaps["family"])


def test_closeness_depends_on_the_kind() -> None:
    found = ties()
    assert found.closeness.min() > 0
    assert found.closeness.max() <= 1
    for kind, usual in enumerate(CLOSENESS):
        own = found.closeness[found.kinds == kind]
        assert own.mean() == pytest.approx(usual, abs=0.04)
        assert own.std() > 0.03


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9])
def test_a_handful_of_people_is_fine(count: int) -> None:
    found = small_world(people()[:count], 1)
    assert len(found.starts) == count + 1
    assert len(found.others) <= count * (count - 1)
    if count == 2:
        assert found.others.tolist() == [1, 0]


def test_people_of_whom_nothing_is_known_can_have_ties() -> None:
    found = small_world([Profile(place) for place in range(20)], 1)
    assert len(found.others) > 40
    assert "colleague" not in {found.names[kind] for kind in found.kinds.tolist()}


@pytest.mark.parametrize("degree", [0, 1, 3, 12])
def test_the_mean_degree_is_the_one_asked_for(degree: int) -> None:
    found = small_world(people(), 3, degree=degree)
    assert len(found.others) / MANY == pytest.approx(degree, rel=0.06)


def test_no_ties_hold_everybody_alone() -> None:
    assert no_ties(3).starts.tolist() == [0, 0, 0, 0]
    assert SocialGraph(no_ties(3)).neighbours(1) == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": -1}, "degree -1 is not a number of ties from 0 to 1000"),
        ({"rewire": 1.5}, "rewire 1.5 is not a share from 0 to 1"),
        ({"homophily": float("nan")}, "homophily nan is not a share from 0 to 1"),
    ],
)
def test_impossible_shapes_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        small_world(people(), 1, **options)
