"""Tables of people for a dataset."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.experiments import write_people
from audience.experiments.models import Models, Spending
from audience.llm import BudgetSpent
from audience.llm.fake import Fake

Serving = Callable[..., AbstractContextManager[Fake]]


def write(
    url: str, folder: Path, agents: int, **more: object
) -> tuple[list[dict[str, str]], list[str]]:
    told: list[int] = []
    given = {"dataset": "films", "seed": 1, "spending": Spending(), **more}
    spending = given.pop("spending")
    assert isinstance(spending, Spending)
    found = write_people(
        [{"name": "Mia", "interests": "Drama"}],
        agents,
        Models(url=url),
        spending,
        store=folder / "people.calls.db",
        progress=told.append,
        **given,  # type: ignore[arg-type]
    )
    assert told in ([], sorted(told))
    return found


def test_interests_are_tags_of_the_dataset(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "songs").mkdir()
    (tmp_path / "songs" / "items.csv").write_text("id,title,tags\n1,One,Jazz|Blues\n2,Two,Folk\n")
    with serving() as fake:
        people, wrong = write(fake.url, tmp_path, 5, dataset=str(tmp_path / "songs"))
    assert wrong == []
    assert people[0]["interests"] == "Drama"
    for row in people[1:]:
        assert set(row["interests"].split("|")) <= {"Jazz", "Blues", "Folk"}


def test_a_table_that_stopped_at_its_budget_goes_on(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        with pytest.raises(BudgetSpent, match="4 of 4 calls"):
            write(fake.url, tmp_path, 8, spending=Spending(max_calls=4))
        assert fake.requests == 4
        people, _ = write(fake.url, tmp_path, 8)
        asked = fake.requests
        again, _ = write(fake.url, tmp_path, 8)
        assert fake.requests == asked
    assert again == people
    assert asked >= 8
    alone, _ = write("http://127.0.0.1:9", tmp_path, 8, spending=Spending("stored"))
    assert alone == people


def test_another_seed_gives_other_people(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        one, _ = write(fake.url, tmp_path, 4)
        other, _ = write(fake.url, tmp_path, 4, seed=2)
    assert one[1:] != other[1:]


def test_an_unknown_dataset_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="dataset 'flims' is unknown"):
        write("http://127.0.0.1:9", tmp_path, 3, dataset="flims")
