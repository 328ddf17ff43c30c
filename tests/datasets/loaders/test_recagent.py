from __future__ import annotations

from pathlib import Path

import pytest
from tests.datasets.files import ABSENT, RECAGENT, SHARED, write

from audience.datasets import Corpus
from audience.datasets.loaders import RecAgentFiles
from audience.errors import BadInput
from audience.world import Clock, Habits, SocialGraph


def read(path: Path) -> Corpus:
    return RecAgentFiles(path).corpus()


def test_files_as_they_are(tmp_path: Path) -> None:
    found = read(write(tmp_path, RECAGENT))
    first, second = found.items
    assert (first.title, first.tags) == ("First", ("Sci-Fi", "War"))
    assert first.about == "One, <First>, is long."
    ann, bob = found.people
    assert (ann.name, ann.age, ann.traits) == ("Ann", 25, ("caring", "calm"))
    assert ann.interests == ("Sci-Fi", "knitting")
    assert ann.habits == Habits(watcher=1.0, critic=1.0)
    assert (bob.age, bob.interests, second.key) == (None, ("Comedy",), "1")
    assert [(one.reason, one.count) for one in found.skipped] == [
        ("interests that name no genre: 'knitting' 1; 0 people have no others", 1),
        ("shown and not watched", 1),
    ]
    assert len(found.lived) == 2


def test_ties_keep_kind_and_closeness_of_each_direction(tmp_path: Path) -> None:
    genesis = RecAgentFiles(write(tmp_path, RECAGENT)).genesis(2, 1, Clock())
    graph = SocialGraph(genesis.ties)
    there, back = graph.tie(0, 1), graph.tie(1, 0)
    assert there is not None
    assert back is not None
    assert (there.kind, back.kind) == ("friend", "boss")
    assert there.closeness == pytest.approx(0.9)
    assert genesis.profiles[0].name == "Ann"


def test_without_interactions_people_begin_without_a_past(tmp_path: Path) -> None:
    files = {name: text for name, text in RECAGENT.items() if name != "interaction.csv"}
    assert len(read(write(tmp_path, files)).lived) == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        (
            "user_1000.csv",
            "Watcher;",
            "Singer;",
            r"line 2, column 'feature': 'singer' is not a feat",
        ),
        ("user_1000.csv", ",25,", ",young,", r"line 2, column 'age': 'young' is not a number"),
        ("user_1000.csv", "feature", "habit", r"column 'feature' is missing"),
        (
            "relationship_1000.csv",
            "1,0,boss",
            "1,7,boss",
            r"line 3, .*'7' is not an id of the people",
        ),
        ("relationship_1000.csv", "0.9", "1.9", r"line 2, column 'closeness': 1.9 is out of range"),
        ("interaction.csv", "0,1,1", "0,1,5", r"line 2, column 'rating': 5 is out of range"),
    ],
)
def test_a_mistake_is_named_by_file_and_line(
    tmp_path: Path, file: str, old: str, new: str, told: str
) -> None:
    with pytest.raises(BadInput, match=told):
        read(write(tmp_path, {**RECAGENT, file: RECAGENT[file].replace(old, new)}))


def test_interests_become_genres_and_the_rest_is_counted(tmp_path: Path) -> None:
    lines = ("romantic comedies, war films", "classic movies", "old films,classic movies")
    rows = [f'{i},P{i},,,,,"{interests}",' for i, interests in enumerate(lines)]
    files = {
        "item.csv": "id,title,genre,description\n0,First,Comedy|Romance|War,\n",
        "user_1000.csv": "\n".join([RECAGENT["user_1000.csv"].splitlines()[0], *rows]) + "\n",
    }
    found = read(write(tmp_path, files))
    assert [person.interests for person in found.people] == [
        ("Romance", "Comedy", "War"),
        ("classic movies",),
        ("old films", "classic movies"),
    ]
    (left,) = found.skipped
    assert left.reason == (
        "interests that name no genre: 'classic movies' 2, 'old films' 1; 2 people have no others"
    )
    assert (left.count, left.first.rpartition(": ")[2]) == (3, "line 3")


@pytest.mark.skipif(not (SHARED / "yulan-rec").is_dir(), reason=ABSENT)
def test_the_published_files() -> None:
    found = read(SHARED / "yulan-rec")
    assert (len(found.items), len(found.people)) == (3883, 1000)
    tags = {tag for item in found.items for tag in item.tags}
    losing = [person for person in found.people if not tags.issuperset(person.interests)]
    without = [person for person in losing if tags.isdisjoint(person.interests)]
    assert (len(losing), len(without)) == (404, 32)
    (left,) = found.skipped
    assert left.count == 404, "classic films are of any genre"
    assert found.ties is not None
    assert len(found.ties.firsts) == 20_846
