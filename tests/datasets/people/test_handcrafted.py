"""Tables of people by hand: CSV, JSON and TOML say the same, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.agents.language.population import FIELDS as ASKED
from audience.datasets.people import FIELDS, Handcrafted, known_of, read_people
from audience.errors import BadInput
from audience.world import Habits, Profile

CSV = """name,age,traits,interests,features,activity
"Stone, Mia",34,curious|calm,Drama,Watcher;Critic,1.5
Tom,,,,,
"""
JSON = """[
  {"name": "Stone, Mia", "age": 34, "traits": ["curious", "calm"],
   "interests": ["Drama"], "features": ["Watcher", "Critic"], "activity": 1.5},
  {"name": "Tom", "age": null}
]
"""
TOML = """
[[people]]
name = "Stone, Mia"
age = 34
traits = ["curious", "calm"]
interests = "Drama"
features = "Watcher;Critic"
activity = 1.5

[[people]]
name = "Tom"
"""


def read(folder: Path, name: str, text: str | bytes) -> Handcrafted:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_people(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", CSV),
        ("a.CSV", "\ufeff" + CSV),
        ("a.json", JSON),
        ("a.json", f'{{"people": {JSON}}}'),
        ("a.toml", TOML),
    ],
)
def test_all_forms_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    found = read(tmp_path, name, text)
    mia, tom = found.people
    habits = Habits(watcher=1.0, critic=1.0)
    assert mia.profile == Profile(
        0, "Stone, Mia", "", 34, ("curious", "calm"), "", ("Drama",), habits, 1.5
    )
    assert mia.fields == {"name", "age", "traits", "interests", "features", "activity"}
    assert tom.profile == Profile(1, "Tom")
    assert tom.fields == {"name"}
    assert not found.keyed


def test_people_may_stand_in_the_scenario_itself() -> None:
    found = read_people([{"id": "u7", "watcher": 0.3}, {"id": "u9", "name": ""}])
    assert [one.profile.key for one in found.people] == ["u7", "u9"]
    assert found.people[0].profile.habits == Habits(0.3)
    assert [one.fields for one in found.people] == [{"features"}, set()]
    assert found.keyed


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "name,agee\nTom,3\n", "a.csv: line 1: column 'agee' is unknown .did you mean"),
        ("a.csv", "name,age\nTom,3\nMia,old\n", "line 3, column 'age': 'old' is not a number"),
        ("a.csv", "name,age\nTom,3,4\n", "line 2 has 3 cells where the header has 2; quote"),
        ("a.csv", "", "a.csv: holds no people"),
        ("a.csv", "name\n", "a.csv: holds no people"),
        ("a.csv", b"name\nJos\xe9\n", "line 2 is not UTF-8"),
        (
            "a.json",
            '[\n{"age": 1},\n{"age": 500}]',
            "line 3, column 'age': 500 is not from 0 to 130",
        ),
        ("a.json", '[{"name": ["a"]}]', "line 1, column 'name': .'a'. does not fit"),
        ("a.json", '[{"traits": [1]}]', "column 'traits'"),
        ("a.json", '[{"age": true}]', "column 'age': True does not fit"),
        ("a.json", '[\n{"nam": "x"}]', "line 2: key 'nam' is unknown .did you mean 'name'"),
        ("a.json", '[\n{"name": }]', "line 2, column 10: Expecting value; fix the JSON"),
        ("a.json", "[3]", "line 1: is not a person"),
        ("a.json", '{"persons": []}', "is not a list of people"),
        ("a.json", "[]", "holds no people"),
        ("a.json", "[" * 100_000, "a.json: "),
        (
            "a.toml",
            '\n[[people]]\nid="x"\n\n[[people]]\nid="x"',
            "line 5.*'x' is already in line 2",
        ),
        ("a.toml", "[[people]]\nname = Tom", "at line 2, column 8.; fix the TOML"),
        ("a.toml", "people = 3", "write each person under a line"),
        ("a.toml", '[[people]]\nfeatures = "Watchr"', "line 1, column 'features': habit 'watchr'"),
        ("a.yaml", "", "is not a table of people; give a file that ends in .csv, .json, .toml"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, name: str, text: str | bytes, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        read(tmp_path, name, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.json does not exist"):
        read_people(tmp_path / "none.json")


def test_what_a_profile_says_is_known() -> None:
    assert known_of(Profile(0)).fields == frozenset()
    assert known_of(Profile(0, "Ann", age=0)).fields == {"name", "age"}


def test_a_model_can_be_asked_for_all_fields_but_activity() -> None:
    assert (*ASKED, "activity") == FIELDS
