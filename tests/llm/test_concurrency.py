from __future__ import annotations

from audience.llm import Reply
from audience.llm.concurrency import Limit
from audience.llm.request import Tried

GOOD = Tried("k", "reply", texts=("x",), seconds=0.05)
ERROR = Tried("k", "error", again=True, status=500)
THROTTLED = Tried("k", "error", again=True, status=429)


def rounds(limit: Limit, number: int, reply: Reply) -> None:
    """Fill the limit and let all of it end, a number of times."""
    for _ in range(number):
        tickets = [limit.begin() for _ in range(limit.allowed)]
        for ticket in tickets:
            limit.end(ticket, "page", reply)


def test_it_grows_while_it_is_used_up_and_never_over_the_most() -> None:
    limit = Limit(most=100, first=8)
    rounds(limit, 60, GOOD)
    assert limit.allowed == 100
    assert limit.flying == 0


def test_it_does_not_grow_where_nobody_needs_it() -> None:
    limit = Limit(most=100, first=8)
    for _ in range(200):
        limit.end(limit.begin(), "page", GOOD)
    assert limit.allowed == 8


def test_single_errors_never_shrink_it() -> None:
    limit = Limit(most=64, first=64)
    for place in range(400):
        limit.end(limit.begin(), "page", ERROR if place % 5 == 0 else GOOD)
    assert limit.allowed == 64


def test_a_majority_of_errors_shrinks_it_and_it_recovers() -> None:
    limit = Limit(most=64, first=64)
    for place in range(40):
        limit.end(limit.begin(), "page", GOOD if place % 4 == 0 else ERROR)
    assert limit.allowed < 64
    rounds(limit, 20, GOOD)
    assert limit.allowed == 64


def test_throttling_shrinks_it_once_for_all_that_flew_together() -> None:
    limit = Limit(most=64, first=60)
    tickets = [limit.begin() for _ in range(60)]
    for ticket in tickets:
        limit.end(ticket, "page", THROTTLED)
    assert limit.allowed == 30
    limit.end(limit.begin(), "page", THROTTLED)
    assert limit.allowed == 15


def test_a_stray_throttling_costs_nothing_and_a_few_cost_a_little() -> None:
    limit = Limit(most=100, first=100)
    rounds(limit, 1, GOOD)
    for allowed in (100, 100, 100, 87):
        limit.end(limit.begin(), "page", THROTTLED)
        assert limit.allowed == allowed
    rounds(limit, 20, GOOD)
    assert limit.allowed == 100


def test_rising_latency_shrinks_it() -> None:
    limit = Limit(most=256, first=32)
    rounds(limit, 2, GOOD)
    before = limit.allowed
    rounds(limit, 2, Tried("k", "reply", texts=("x",), seconds=0.5))
    assert limit.allowed < before


def test_a_purpose_that_takes_longer_is_no_rise() -> None:
    limit = Limit(most=256, first=32)
    slow = Tried("k", "reply", texts=("x",), seconds=2.0)
    for _ in range(100):
        limit.end(limit.begin(), "quick", GOOD)
        limit.end(limit.begin(), "slow", slow)
    assert limit.allowed == 32


def test_it_never_falls_below_one() -> None:
    limit = Limit(most=4)
    for _ in range(100):
        limit.end(limit.begin(), "page", THROTTLED)
    assert limit.allowed == 1
