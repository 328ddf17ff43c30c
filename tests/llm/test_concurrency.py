from __future__ import annotations

import pytest

from audience.llm import Reply, Usage
from audience.llm.concurrency import MOST, Limit, open_files
from audience.llm.request import Tried

GOOD = Tried("k", "reply", texts=("x",), seconds=0.05)
ERROR = Tried("k", "error", again=True, status=500)
LATE = Tried("k", "timeout", again=True)
THROTTLED = Tried("k", "error", again=True, status=429)


def rounds(limit: Limit, number: int, reply: Reply) -> None:
    """Fill the limit and let all of it end, a number of times."""
    for _ in range(number):
        took = limit.begin()
        others = [limit.begin() for _ in range(limit.allowed - 1)]
        for ticket in (took, *others):
            limit.end(ticket, reply)
            limit.begin()
        for _ in range(limit.flying):
            limit.drop()


def served(limit: Limit, generations: int, seconds: float, each: float, slots: int = 10**9) -> None:
    """Let a server work that slows by `each` second per call in work, on `slots` at once."""
    for _ in range(generations):
        flying = limit.allowed
        at_work = min(flying, slots)
        took = (seconds + each * at_work) * max(1.0, flying / slots)
        rounds(limit, 1, Tried("k", "reply", ("x",), usage=Usage(completion=40), seconds=took))


def test_it_doubles_while_a_batching_server_gives_more_however_slow_calls_become() -> None:
    limit = Limit()
    assert limit.allowed == 64
    served(limit, 3, seconds=1.0, each=0.001)
    assert limit.allowed == 512
    served(limit, 1, seconds=1.0, each=0.001)
    assert limit.allowed == MOST == 1024
    served(limit, 10, seconds=1.0, each=0.001)
    assert limit.allowed == 1024


@pytest.mark.parametrize(("slots", "found"), [(8, 64), (100, 128), (300, 512)])
def test_it_stays_where_a_server_is_saturated(slots: int, found: int) -> None:
    limit = Limit()
    seen = []
    for _ in range(60):
        served(limit, 1, seconds=1.0, each=0.0, slots=slots)
        seen.append(limit.allowed)
    assert sorted(seen)[len(seen) // 2] == found
    assert max(seen) == 2 * found
    assert seen[-20:].count(2 * found) <= 2


def test_it_follows_a_server_that_gets_more_room() -> None:
    limit = Limit()
    served(limit, 20, seconds=1.0, each=0.0, slots=64)
    assert limit.allowed in (64, 128)
    served(limit, 40, seconds=1.0, each=0.0)
    assert limit.allowed == 1024


def test_replies_count_where_tokens_are_not_told() -> None:
    limit = Limit(first=8, most=100)
    rounds(limit, 60, GOOD)
    assert limit.allowed == 100


def test_it_does_not_grow_where_nobody_needs_it() -> None:
    limit = Limit(most=100, first=8)
    for _ in range(200):
        limit.end(limit.begin(), GOOD)
    assert limit.allowed == 8


def test_a_given_number_is_kept_whatever_throughput_does() -> None:
    limit = Limit(200)
    served(limit, 20, seconds=1.0, each=1.0, slots=2)
    assert limit.allowed == 200


@pytest.mark.parametrize("given", [0, 64])
def test_single_errors_never_shrink_it(given: int) -> None:
    limit = Limit(given, first=64, most=64)
    for place in range(400):
        limit.end(limit.begin(), ERROR if place % 5 == 0 else GOOD)
    assert limit.allowed == 64


@pytest.mark.parametrize("given", [0, 64])
@pytest.mark.parametrize("bad", [ERROR, LATE])
def test_a_majority_of_errors_shrinks_it_and_it_recovers(given: int, bad: Tried) -> None:
    limit = Limit(given, first=64, most=64)
    for place in range(40):
        limit.end(limit.begin(), GOOD if place % 4 == 0 else bad)
    assert limit.allowed < 64
    rounds(limit, 60, GOOD)
    assert limit.allowed == 64


def test_throttling_shrinks_it_once_for_all_that_flew_together() -> None:
    limit = Limit(60)
    tickets = [limit.begin() for _ in range(60)]
    for ticket in tickets:
        limit.end(ticket, THROTTLED)
    assert limit.allowed == 30
    limit.end(limit.begin(), THROTTLED)
    assert limit.allowed == 15


def test_a_stray_throttling_costs_nothing_and_a_few_cost_a_little() -> None:
    limit = Limit(100)
    rounds(limit, 1, GOOD)
    for allowed in (100, 100, 100, 87):
        limit.end(limit.begin(), THROTTLED)
        assert limit.allowed == allowed
    rounds(limit, 20, GOOD)
    assert limit.allowed == 100


def test_a_trial_that_is_throttled_is_given_up() -> None:
    limit = Limit(first=64)
    served(limit, 1, seconds=1.0, each=0.0)
    assert limit.allowed == 128
    for _ in range(2):
        for ticket in [limit.begin() for _ in range(limit.allowed)]:
            limit.end(ticket, THROTTLED)
    assert limit.allowed <= 64
    rounds(limit, 1, GOOD)
    assert limit.allowed <= 66


def test_it_never_falls_below_one() -> None:
    limit = Limit(4)
    for _ in range(100):
        limit.end(limit.begin(), THROTTLED)
    assert limit.allowed == 1


def test_files_for_a_few_connections_can_always_be_opened() -> None:
    assert open_files(8) == 8
