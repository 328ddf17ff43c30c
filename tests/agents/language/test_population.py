"""Tables of people completed by a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.agents.language import WrittenPeople, complete
from audience.agents.language.population import FIELDS, Row
from audience.llm import CallStore, Endpoint, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults

Serving = Callable[..., AbstractContextManager[Fake]]
TAGS = ("Comedy", "Drama", "Mystery")
WHOLE: Row = {
    "name": "Mia Stone",
    "gender": "woman",
    "age": "34",
    "traits": "curious|patient",
    "career": "nurse",
    "interests": "Drama|Mystery",
    "features": "Watcher;Chatter",
}
Made = tuple[list[Row], list[str], int]
Count = Callable[..., WrittenPeople]


@pytest.fixture
def count(serving: Serving, tmp_path: Path) -> Count:
    """Return what completes a table; each time the same call store is used."""

    def run(rows: list[Row], wanted: int, **given: Any) -> WrittenPeople:
        asking = {key: given.pop(key) for key in ("fields", "batch") if key in given}

        async def work(url: str) -> WrittenPeople:
            store = tmp_path / "calls.db"
            async with open_gateway([Endpoint(url=url)], store=store, tries=2) as door:
                return await complete(rows, wanted, door, tags=TAGS, model="fake", **asking)

        with serving(**given) as fake:
            written = asyncio.run(work(fake.url))
            run.requests = fake.requests  # type: ignore[attr-defined]
        return written

    return run


@pytest.fixture
def write(count: Count) -> Callable[..., Made]:
    """Return the same with the number of requests that reached the server."""

    def run(rows: list[Row], wanted: int, **manners: Any) -> Made:
        written = count(rows, wanted, **manners)
        return written.people, written.unfilled, count.requests  # type: ignore[attr-defined]

    return run


Write = Callable[..., Made]


def test_what_is_given_is_kept_and_the_rest_is_filled(write: Write) -> None:
    given = [WHOLE, {"name": "Tom Reed", "age": "51", "career": ""}, {"interests": "Cooking"}]
    people, wrong, requests = write(given, 6)
    assert wrong == []
    assert len(people) == 6
    assert requests >= 5
    assert people[0] == WHOLE
    assert (people[1]["name"], people[1]["age"]) == ("Tom Reed", "51")
    assert people[2]["interests"] == "Cooking"
    for row in people:
        assert sorted(row) == sorted(FIELDS)
        assert all(row.values())
    for row in people[3:]:
        assert 10 <= int(row["age"]) <= 95
        assert set(row["interests"].split("|")) <= set(TAGS)
        assert set(row["features"].split(";")) <= {
            "Watcher",
            "Explorer",
            "Critic",
            "Chatter",
            "Poster",
        }


def test_no_two_people_bear_one_name(write: Write, tmp_path: Path) -> None:
    people, wrong, requests = write([], 60)
    names = [row["name"] for row in people if "name" in row]
    assert len(set(names)) == len(names) >= 55
    assert len(wrong) == 60 - len(names)
    assert requests > 60  # some names were taken and asked for again


def test_a_name_that_is_always_taken_is_told(write: Write) -> None:
    said = '{"name": "Ann", "gender": "w", "age": 30, "traits": ["calm"], "career": "cook",'
    said += ' "interests": ["Drama"], "features": ["Critic"]}'
    people, wrong, _ = write([], 3, says={"": said})
    assert [row.get("name") for row in people] == ["Ann", None, None]
    assert wrong == [
        "row 2: name could not be filled",
        "row 3: name could not be filled",
    ]


def test_a_second_run_asks_nothing(write: Write) -> None:
    first, _, asked = write([WHOLE], 5)
    again, _, asked_again = write([WHOLE], 5)
    assert again == first
    assert (asked >= 4, asked_again) == (True, 0)


def test_a_table_that_broke_off_goes_on(write: Write) -> None:
    write([WHOLE], 3)
    people, _, asked = write([WHOLE], 5)
    assert len(people) == 5
    assert asked >= 2
    assert asked < 4


def test_faults_leave_fields_open_and_are_told(write: Write) -> None:
    people, wrong, _ = write([WHOLE], 3, faults=Faults({"refusal": 1.0}))
    assert people == [WHOLE, {}, {}]
    listed = ", ".join(FIELDS)
    assert wrong == [f"row {n}: {listed} could not be filled" for n in (2, 3)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("age", '"thirty"'),
        ("age", "true"),
        ("age", "700"),
        ("interests", '["Cooking"]'),
        ("interests", '"Drama"'),
        ("name", "17"),
        ("traits", '[" "]'),
    ],
)
def test_a_value_that_does_not_fit_is_not_taken(write: Write, field: str, value: str) -> None:
    row = {key: text for key, text in WHOLE.items() if key != field}
    people, wrong, _ = write([row], 1, says={"": f'{{"{field}": {value}}}'})
    assert people == [row]
    assert wrong == [f"row 1: {field} could not be filled"]


def test_what_is_given_is_words_and_nothing_else(write: Write, tmp_path: Path) -> None:
    odd = '$tags {missing}\n"Answer" ' + "x" * 50_000
    people, _, _ = write([{**WHOLE, "career": odd}, {"name": odd}], 2)
    assert people[1]["name"] == odd
    store = CallStore(tmp_path / "calls.db", read_only=True)
    prompts = [call.request.messages[0].content for call in store.calls()]
    store.close()
    assert '$tags {missing} "Answer" xxx' in prompts[0]
    assert max(map(len, prompts)) < 3_000


def test_only_the_fields_asked_for_are_filled(count: Count) -> None:
    written = count([{"name": "Tom"}, {}], 2, fields=("name", "career"))
    assert written.unfilled == []
    assert [sorted(row) for row in written.people] == [["career", "name"], ["career", "name"]]
    assert written.people[0]["name"] == "Tom"


def test_a_batch_is_one_call_about_those_who_miss_the_same(count: Count) -> None:
    one = {key: text for key, text in WHOLE.items() if key != "age"}
    written = count([WHOLE, one], 9, batch=4)
    assert written.people[0] == WHOLE
    assert {**written.people[1], "age": ""} == {**one, "age": ""}
    assert all(not row.keys() - FIELDS and row["name"] for row in written.people)
    # Rows 2 (age alone), 3-4, 5-8 and 9, and again those whose name was taken.
    assert written.asked == 4 + written.taken
    assert written.malformed == 0


def test_a_batch_prompt_is_word_for_word(count: Count, tmp_path: Path) -> None:
    count([WHOLE, {"name": "Tom Reed"}, {"name": "Ann"}], 3, batch=3)
    store = CallStore(tmp_path / "calls.db", read_only=True)
    (prompt,) = [call.request.messages[0].content for call in store.calls()]
    store.close()
    missing = "gender, age, traits, career, interests, features"
    assert prompt == (
        "You complete a table of people who use a service that recommends films. Each row is one "
        "believable person; rows differ in age, background and taste as people do. Keep what is "
        "given, invent only what is missing, never repeat a name. Possible interests: Comedy, "
        "Drama, Mystery.\nRows that are there already:\nname: Mia Stone; gender: woman; age: 34; "
        "traits: curious|patient; career: nurse; interests: Drama|Mystery; features: "
        "Watcher;Chatter\nComplete these 2 rows; fields to fill in each: "
        f"{missing}.\n1. Given: name: Tom Reed.\n2. Given: name: Ann.\n"
        'Answer with one JSON object {"people": [...]} of exactly 2 objects, in the order of the '
        f"rows, each with exactly these fields: {missing}."
    )


def test_a_batch_of_another_number_is_malformed_and_asked_for_one_by_one(count: Count) -> None:
    person = '{"name": "Ann", "age": 30}'
    says = {"Complete these": f'{{"people": [{person}]}}', "Complete this": person}
    written = count([{}, {"name": "Bob"}, {"name": "Cid"}], 3, fields=("age",), batch=3, says=says)
    assert [row["age"] for row in written.people] == ["30", "30", "30"]
    assert (written.asked, written.malformed, written.unfit) == (4, 1, 0)


def test_malformed_replies_and_unfit_fields_are_counted(count: Count) -> None:
    nothing = count([{}], 1, says={"": "I know nobody."})
    assert (nothing.asked, nothing.malformed, nothing.unfit) == (4, 4, 0)
    wrong = count([{"name": "Ann"}], 1, fields=("age", "career"), says={"": '{"age": -1}'})
    assert (wrong.asked, wrong.malformed, wrong.unfit) == (4, 0, 8)
    assert wrong.unfilled == ["row 1: age, career could not be filled"]


def test_a_larger_table_finds_the_batches_of_a_smaller_one(count: Count) -> None:
    count([], 4, batch=4, fields=("career",))
    assert count.requests == 1  # type: ignore[attr-defined]
    count([], 8, batch=4, fields=("career",))
    assert count.requests == 1  # type: ignore[attr-defined]
