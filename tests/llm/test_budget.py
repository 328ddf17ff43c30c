"""One budget lent in parts, also to real processes that ask the same servers."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection, wait

from audience.llm import (
    Budget,
    BudgetSpent,
    ChatMessage,
    Endpoint,
    Request,
    SharedBudget,
    Spent,
    open_gateway,
)
from audience.llm.fake import Fake

SHARDS = 2
Serving = Callable[..., AbstractContextManager[Fake]]


def test_parts_shrink_and_use_up_the_whole() -> None:
    shared = SharedBudget(Budget(calls=100), 2)
    assert shared.lend(0) == Budget(calls=25)
    assert shared.lend(1) == Budget(calls=18)
    assert shared.left == Budget(calls=57)
    assert shared.lend(0, Spent(calls=25)) == Budget(calls=25 + 14)
    spent = {0: 25, 1: 0}
    for _ in range(100):
        for shard, used in spent.items():
            spent[shard] = shared.lend(shard, Spent(calls=used)).calls or 0
    assert sum(spent.values()) == 100
    assert shared.left == Budget(calls=0)


def test_what_a_shard_did_not_use_is_free_for_others() -> None:
    shared = SharedBudget(Budget(dollars=1.0, tokens=10_000), 1)
    lent = shared.lend(0)
    assert lent == Budget(dollars=0.5, tokens=5_000)
    assert shared.left == Budget(dollars=0.5, tokens=5_000)
    shared.settle(0, Spent(dollars=0.1, calls=3, tokens=1_000))
    assert shared.left == Budget(dollars=0.9, tokens=9_000)
    assert shared.spent == Spent(0.1, 3, 1_000)


def test_a_lost_shard_counts_as_if_it_had_spent_its_part() -> None:
    shared = SharedBudget(Budget(calls=100), 2)
    shared.lend(0)
    shared.lose(0)
    assert shared.spent == Spent(calls=25)
    assert shared.left == Budget(calls=75)
    assert shared.lend(0) == Budget(calls=18)  # its successor begins with nothing spent


def test_calls_that_take_more_than_was_lent_are_counted() -> None:
    shared = SharedBudget(Budget(tokens=10_000), 1)
    shared.lend(0)
    assert shared.lend(0, Spent(tokens=12_000)) == Budget(tokens=12_000)
    assert shared.left == Budget(tokens=0)


def test_no_limit_stays_none() -> None:
    assert SharedBudget(Budget(), 4).lend(1, Spent(calls=9)) == Budget()


def shard(number: int, urls: list[str], link: Connection) -> None:
    """Ask in this process until the shared budget is spent, then report what was."""

    def renew(spent: Spent) -> Budget:
        link.send((number, spent, True))
        budget: Budget = link.recv()
        return budget

    async def work() -> Spent:
        endpoints = [Endpoint(url=url, model="fake", price="free") for url in urls]
        budget = renew(Spent())
        begun = 0
        async with open_gateway(endpoints, budget=budget, renew=renew) as door:
            try:
                while True:
                    messages = (ChatMessage("user", f"shard {number}, call {begun}"),)
                    await door.ask(Request("page", messages, salt=str(begun)))
                    begun += 1
            except BudgetSpent:
                return Spent(calls=begun, tokens=door.meter.total().tokens)

    spent = asyncio.run(work())
    link.send((number, spent, False))
    link.close()


def test_processes_share_one_budget_over_several_servers(serving: Serving) -> None:
    context = multiprocessing.get_context("spawn")
    shared = SharedBudget(Budget(calls=60), SHARDS)
    with serving() as one, serving() as other:
        links, workers = [], []
        for number in range(SHARDS):
            ours, theirs = context.Pipe()
            worker = context.Process(target=shard, args=(number, [one.url, other.url], theirs))
            worker.start()
            theirs.close()
            links.append(ours)
            workers.append(worker)
        while links:
            for link in wait(links):
                assert isinstance(link, Connection)
                try:
                    number, spent, goes_on = link.recv()
                except EOFError:
                    link.close()
                    links.remove(link)
                    continue
                if goes_on:
                    link.send(shared.lend(number, spent))
                else:
                    shared.settle(number, spent)
        for worker in workers:
            worker.join(60.0)
            assert worker.exitcode == 0
        asked = one.requests + other.requests
    assert shared.spent.calls == asked == 60
    assert min(one.requests, other.requests) > 0
