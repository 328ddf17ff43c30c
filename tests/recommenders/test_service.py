from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.services import Answer, example, first_items, said, serving, write_items

from audience.errors import BadInput
from audience.recommenders import AsyncRanker, Context, Ranked, Ranker, Service, seen_by_recommender
from audience.recommenders.service import contract
from audience.testing import tiny_genesis
from audience.world import Interactions, Ints, dice, rng

GENESIS = tiny_genesis(12, 30)
KEYS = [item.key for item in GENESIS.catalogue.items]


def ranker_of(service: Service) -> Ranker:
    return service.fit(seen_by_recommender(Interactions(GENESIS.catalogue, 12)), rng(1, "fit"))


def context(users: Ints, exclude: list[tuple[int, ...]] | None = None) -> Context:
    zeros = np.zeros(len(users), np.int64)
    barred = exclude or [()] * len(users)
    return Context(zeros, zeros, barred, dice(1, users), key_of=lambda user: f"p{user}")


def rank(service: Service, users: int = 3, k: int = 4, **about: Any) -> Ranked:
    who = np.arange(users)
    try:
        found = ranker_of(service).rank(who, k, context(who, **about))
    finally:
        service.close()
    assert isinstance(found, Ranked)
    return found


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[str]:
    with example(write_items(tmp_path / "items.csv", KEYS)) as server:
        yield server.url


def test_the_example_ranks_by_the_ids_of_the_data(shop: str) -> None:
    found = rank(Service(shop), exclude=[(), (0, 1), tuple(range(30))])
    assert not found.failures
    assert found.items.tolist() == [[0, 1, 2, 3], [2, 3, 4, 5], [-1] * 4]
    assert found.scores is not None
    assert np.isnan(found.scores[2]).all()
    assert found.reasons is not None
    assert list(found.reasons[0]) == ["popular now"] * 4


def test_the_example_says_who_it_is(shop: str) -> None:
    health = Service(shop).check()
    assert (health.name, health.items) == ("example", 30)


def test_what_is_sent_is_what_the_contract_says() -> None:
    with serving(first_items(KEYS)) as seen:
        rank(Service(seen.url, run="r1"), exclude=[(), (3,), ()])
    (body,) = seen.bodies("/rank")
    schemas = contract()["components"]["schemas"]
    assert set(body) == set(schemas["RankRequest"]["required"])
    assert all(set(user) == set(schemas["User"]["required"]) for user in body["users"])
    assert (body["run"], body["k"]) == ("r1", 4)
    assert [user["id"] for user in body["users"]] == ["p0", "p1", "p2"]
    assert body["users"][1]["exclude"] == ["i3"]


def test_many_users_go_in_several_requests_and_come_back_in_order() -> None:
    def way(path: str, body: Any, number: int) -> Answer:
        time.sleep(0.02 * (number % 3))
        own = [[KEYS[int(user["id"][1:]) % 30]] for user in body["users"]]
        scores = [[1.0]] * len(own)
        scored = int(body["users"][0]["id"][1:]) // 7 % 2
        return said({"slates": own, "scores": scores} if scored else {"slates": own})

    with serving(way) as seen:
        found = rank(Service(seen.url, batch=7, fewest=1), users=40, k=1)
    assert [len(body["users"]) for body in seen.bodies("/rank")].count(7) == 5
    assert found.items[:, 0].tolist() == [user % 30 for user in range(40)]
    assert found.scores is not None
    assert np.isnan(found.scores).any()
    assert found.failures == {}


def slate(*items: Any, **more: Any) -> Answer:
    """Return an answer with one odd slate between two good ones."""
    good = ["i0", "i1", "i2", "i3"]
    rows = {name: [[None] * 4, row, [None] * 4] for name, row in more.items()}
    return said({"slates": [good, list(items), good], **rows})


ODD: list[tuple[Answer, str]] = [
    (slate("i0", "i1", "i2", "tt9"), "item 'tt9' is not in the catalogue"),
    (slate("i0", "i1", "i2", "i0"), "item 'i0' comes twice"),
    (slate("i0", "i1", "i2", "i9"), "item 'i9' was to be left out"),
    (slate("i0", "i1"), "2 items came where 4 of 4 were asked for and could be shown"),
    (slate("i0", "i1", "i2", "i3", "i4"), "5 items came where 4 of 4"),
    (slate("i0", "i1", "i2", "i3", reasons=["a"]), "1 reasons came for 4 items"),
    (slate("i0", "i1", "i2", "i3", scores=[1, 2]), "2 scores came for 4 items"),
    (slate("i0", "i1", "i2", "i3", propensities=[1, 0.5, 0, 1]), "propensity 0 is not above 0"),
]


@pytest.mark.parametrize(("answer", "why"), ODD)
def test_a_slate_that_cannot_be_shown_fails_alone_and_is_named(answer: Answer, why: str) -> None:
    with serving(lambda *_: answer) as seen:
        found = rank(Service(seen.url), exclude=[(), (9,), ()])
    assert list(found.failures) == [1]
    assert why in found.failures[1]
    assert found.failures[1].startswith(f"{seen.url}/rank: ")
    assert found.items.tolist() == [[0, 1, 2, 3], [-1] * 4, [0, 1, 2, 3]]


GARBAGE: list[tuple[Answer, str]] = [
    ((200, b"<html>hello"), "what the contract does not allow"),
    ((200, b""), "what the contract does not allow"),
    (said([1, 2]), "Expected `object`"),
    (said({"slates": [["i0"], "i1", []]}), "Expected `array`, got `str` - at `$.slates["),
    (said({"slates": [["i0"]]}), "answered 1 slates for 3 users"),
    (said({"slates": [["i0"]] * 3, "reasons": []}), "answered 0 reasons for 3 users"),
    (said({"error": "no"}, 400), 'answered 400: {"error": "no"}'),
    (said({"error": "key"}, 401), "answered 401"),
    ((302, b"", {"Location": "http://127.0.0.1:9/"}), "answered 302"),
]


@pytest.mark.parametrize(("answer", "why"), GARBAGE)
def test_garbage_fails_the_whole_batch_at_once(answer: Answer, why: str) -> None:
    with serving(lambda *_: answer) as seen:
        found = rank(Service(seen.url))
    assert set(found.failures) == {0, 1, 2}
    assert all(why in one for one in found.failures.values())
    assert len(seen.requests) == 1


def test_fewer_items_may_be_allowed() -> None:
    with serving(lambda *_: said({"slates": [["i0"], [], ["i1", 5]]})) as seen:
        found = rank(Service(seen.url, fewest=1))
    assert set(found.failures) == {1, 2}
    assert "item '5' is not in the catalogue" in found.failures[2]
    assert found.items[0].tolist() == [0, -1, -1, -1]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again(status: int) -> None:
    good = first_items(KEYS)

    def way(path: str, body: Any, number: int) -> Answer:
        return (
            (status, b"busy", {"Retry-After": "0.01"}) if number < 3 else good(path, body, number)
        )

    with serving(way) as seen:
        assert rank(Service(seen.url)).failures == {}
        assert len(seen.requests) == 3
    with serving(lambda *_: (status, b"busy")) as seen:
        found = rank(Service(seen.url, tries=2))
    assert f"answered {status}: busy (after 2 attempts)" in found.failures[0]


def test_a_slow_answer_is_a_failure_and_is_not_waited_for_again() -> None:
    given_up = Event()

    def way(path: str, body: Any, number: int) -> Answer:
        given_up.wait(120.0)
        return said({})

    with serving(way) as seen:
        found = rank(Service(seen.url, timeout=0.5))
        given_up.set()
    assert "gave no answer within 0.5 s" in found.failures[0]
    assert len(seen.requests) <= 1


def test_a_service_that_keeps_failing_is_left_alone_until_the_round_is_over() -> None:
    with serving(lambda *_: (500, b"")) as seen:
        service = Service(seen.url, tries=1)
        ranker, users = ranker_of(service), np.arange(2)
        told = [ranker.rank(users, 1, context(users)) for _ in range(5)]
        assert len(seen.requests) == 3
        last = told[-1]
        assert isinstance(last, Ranked)
        assert "failed 3 times in a row; asked again next round" in last.failures[0]
        service.wire.recover()
        ranker.rank(users, 1, context(users))
        assert len(seen.requests) == 4
        service.close()


def test_the_event_loop_goes_on_while_a_service_is_slow() -> None:
    good, waited = first_items(KEYS), Event()

    def way(path: str, body: Any, number: int) -> Answer:
        assert waited.wait(120.0)
        return good(path, body, number)

    async def both(ranker: AsyncRanker) -> None:
        users = np.arange(2)
        asked = asyncio.create_task(ranker.rank_async(users, 2, context(users)))
        for _ in range(4):
            await asyncio.sleep(0.01)
            assert not asked.done()
        waited.set()
        assert np.asarray(await asked).tolist() == [[0, 1], [0, 1]]

    with serving(way) as seen:
        service = Service(seen.url, timeout=150.0)
        ranker = ranker_of(service)
        assert isinstance(ranker, AsyncRanker)
        asyncio.run(both(ranker))
        service.close()


def test_the_key_comes_from_the_environment_and_is_never_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="the key SHOP_KEY is not set"):
        Service("http://127.0.0.1:9", key_env="SHOP_KEY")
    monkeypatch.setenv("SHOP_KEY", "s3cr3t-of-the-shop")
    items = write_items(tmp_path / "items.csv", KEYS)
    with example(items, "--key-env", "SHOP_KEY") as server:
        assert Service(server.url, key_env="SHOP_KEY").check().name == "example"
        with pytest.raises(BadInput, match=r"answered 401.*name the variable that holds its key"):
            Service(server.url).check()
        monkeypatch.setenv("SHOP_KEY", "another-one")
        with pytest.raises(BadInput, match="answered 401"):
            Service(server.url, key_env="SHOP_KEY").check()
    with serving(lambda path, body, number: said({"echo": body}, 400)) as seen:
        with pytest.raises(BadInput) as refused:
            Service(seen.url, key_env="SHOP_KEY", header="X-Shop").check()
        assert seen.requests[0][1]["X-Shop"] == "another-one"
    assert "another-one" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "options", "why"),
    [
        ("127.0.0.1:80", {}, "is no address .*; write http://host:port"),
        ("ftp://host", {}, "is no address"),
        ("http://me:word@host/", {}, "holds a password; put it into the environment"),
        ("http://host", {"key_env": "sk-123456789"}, "is not the name of a variable"),
        ("http://host", {"timeout": 0.0}, "give more than 0 seconds"),
        ("http://host", {"tries": 0}, "at least 1 try"),
        ("https://host", {"ca": "/no/such.pem"}, "cannot be read"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(
    url: str, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadInput, match=why) as refused:
        Service(url, **options)
    assert "word" not in str(refused.value).replace("password", "")
    assert "sk-123" not in str(refused.value)


def test_the_contract_is_sound() -> None:
    document = contract()
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {"/health", "/rank", "/feedback"}
    text = json.dumps(document)
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    used = {part.partition('"')[0] for part in text.split('"$ref": "')[1:]}
    assert used <= known
    for schema in document["components"]["schemas"].values():
        assert set(schema.get("required", ())) <= set(schema.get("properties", ()))
    for path in document["paths"].values():
        for operation in path.values():
            assert operation["operationId"]
            assert operation["responses"]


def test_the_types_are_those_of_the_contract() -> None:
    from audience.recommenders.service_wire import (
        Health,
        RankAnswer,
        RankedUser as Asking,
        RankRequest,
    )

    schemas = contract()["components"]["schemas"]
    kinds: dict[str, type[msgspec.Struct]] = {
        "User": Asking,
        "RankRequest": RankRequest,
        "RankAnswer": RankAnswer,
        "Health": Health,
    }
    for name, kind in kinds.items():
        fields = msgspec.structs.fields(kind)
        assert {field.name for field in fields} == set(schemas[name]["properties"])
        assert {field.name for field in fields if field.required} == set(schemas[name]["required"])
