"""Demographics guessed from texts whose authors are known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.errors import BadInput
from audience.lab.probing import authors_in, demographics
from audience.lab.probing.demographics_probe import BANDS, Author, Authors, guess_rows, truth_of
from audience.llm import Request
from audience.llm.fake import Fake
from audience.runs import start
from audience.scenario import parse
from audience.world import Profile

Serving = Callable[..., AbstractContextManager[Fake]]
ADA = Profile(0, "Ada", "woman", 34, career="nurse")
BEN = Profile(1, "Ben", "man", 61, career="cook")
CLEO = Profile(2, "Cleo", "woman", 17)
OPTIONS = {"gender": ("man", "woman"), "age": BANDS, "occupation": ("cook", "nurse")}


def authors(*profiles: Profile) -> Authors:
    people = tuple(Author(who, (f"I am {who.name}.",) * 3) for who in profiles)
    return Authors(people, OPTIONS, "films", 4)


def test_guesses_are_compared_with_profiles_and_the_commonest_value(scripted: Any) -> None:
    def says(request: Request) -> str:
        text = request.messages[-1].content
        if "Ben" in text:
            return "no idea"
        age = "35-44" if "Ada" in text else "under 18"
        return json.dumps({"gender": "Woman", "age": age, "occupation": "nurse"})

    model = scripted(says)
    table = asyncio.run(demographics(model.asker(), authors(ADA, BEN, CLEO)))
    found = {(row.part, row.what): row for row in table.rows}
    gender = found["gender", "guessed right"]
    assert gender.value == gender.chance == pytest.approx(2 / 3)
    assert (gender.count, gender.unreadable) == (3, 1)
    assert found["gender", "better than always “woman”"].value == 0.0
    assert found["age", "guessed right"].value == pytest.approx(1 / 3)
    assert found["occupation", "guessed right"].count == 2  # Cleo has none
    schema = model.asked[0].schema
    assert schema["properties"]["age"]["enum"] == list(BANDS)
    assert len({json.dumps(request.schema) for request in model.asked}) == 1
    assert "4 people with fewer than 3 texts" in table.notes[0]


def test_always_guessing_the_commonest_value_is_no_better_than_itself() -> None:
    pairs = [(n, "a", "a" if n < 6 else "b") for n in range(10)]
    right, better = guess_rows("x", pairs, 1)
    assert (right.value, right.chance, better.value) == (0.6, 0.6, 0.0)
    sure = [(n, truth, truth) for n, (_, _, truth) in enumerate(pairs)]
    right, better = guess_rows("x", sure, 1)
    assert right.value == 1.0
    assert better.value == pytest.approx(0.4)
    assert better.low is not None
    assert better.low > 0.0
    assert guess_rows("x", [], 1) == []


@pytest.mark.parametrize(
    ("age", "band"), [(0, "under 18"), (18, "18-24"), (34, "25-34"), (54, "45-54"), (99, BANDS[-1])]
)
def test_ages_have_bands(age: int, band: str) -> None:
    assert truth_of(Profile(0, age=age), "age") == band
    assert truth_of(Profile(0), "age") == ""


def test_a_run_without_words_is_refused(tmp_path: Path) -> None:
    start(parse("agents = 3\nrounds = 1\nrecommender = 'popular'"), 1, tmp_path / "run")
    with pytest.raises(BadInput, match="nobody wrote 3 texts; give a run of minds that speak"):
        authors_in(tmp_path / "run", 10, 1)


def test_nothing_to_guess_is_refused(scripted: Any) -> None:
    nothing = Authors((), {}, "films", 0)
    with pytest.raises(BadInput, match="neither gender, age nor career"):
        asyncio.run(demographics(scripted(lambda _: "").asker(), nothing))
