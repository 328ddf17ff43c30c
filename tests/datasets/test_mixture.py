"""People mixed field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.datasets.files import LASTFM, ML_100K, RECAGENT, write

from audience.datasets import (
    Dataset,
    Films,
    Mixture,
    RecSimTopics,
    draft,
    finish,
    row_of,
    split_options,
)
from audience.datasets.loaders import Folder, LastFm, MovieLens, RecAgentFiles
from audience.datasets.mixture import FILLED
from audience.datasets.people import known_of
from audience.datasets.people.traits import WORDS
from audience.errors import BadInput
from audience.world import Clock, Genesis, Habits, Profile

LINES = [f"{n % 3 + 1}\t{10 * (n % 2 + 1)}\t{n % 5 + 1}\t{n}\n" for n in range(30)]
RATINGS = {"u.data": "".join(LINES[:9])}


def mixed(dataset: Dataset, people: int, **keys: Any) -> Genesis:
    return finish(draft(dataset, Mixture(**keys), people, 1, Clock()))


@pytest.fixture
def lens(tmp_path: Path) -> MovieLens:
    return MovieLens(write(tmp_path / "ml", {**ML_100K, **RATINGS}, "latin-1"))


def test_a_table_goes_before_what_is_drawn() -> None:
    table = [{"name": "Zoe", "age": 17}, {"career": "nurse", "interests": ["Drama"], "activity": 3}]
    genesis = mixed(Films(), 4, profiles=table)
    zoe, nurse, *others = genesis.profiles
    plain = Films().genesis(4, 1, Clock()).profiles
    assert (zoe.name, zoe.age) == ("Zoe", 17)
    assert zoe.career in ("pupil", "student")
    assert (nurse.career, nurse.interests, nurse.activity) == ("nurse", ("Drama",), 3.0)
    assert nurse.name == plain[1].name
    assert others == list(plain[2:])


def test_the_past_and_the_ties_are_those_of_the_people_in_the_table() -> None:
    table = [{"interests": "Western"}] * 30
    genesis = mixed(Films(past=20), 30, profiles=table)
    west = [lived for lived in genesis.past if "Western" in genesis.catalogue[lived.item].tags]
    assert len(west) > 0.7 * len(genesis.past) > 0
    assert genesis.past != Films(past=20).genesis(30, 1, Clock()).past


def test_a_table_longer_than_the_people_is_cut_and_gives_keys() -> None:
    genesis = mixed(Films(), 2, profiles=[{"id": "a"}, {"id": "b"}, {"id": "c"}])
    assert [who.key for who in genesis.profiles] == ["a", "b"]


def test_fields_of_the_data_are_kept_and_the_rest_is_drawn(lens: MovieLens) -> None:
    genesis = mixed(lens, 3, fill="drawn")
    assert [(who.gender, who.age) for who in genesis.profiles] == [
        ("male", 24),
        ("female", 53),
        ("female", 33),
    ]
    assert genesis.profiles[0].career == "technician"
    assert all(who.name and who.traits for who in genesis.profiles)
    assert genesis.past == lens.genesis(3, 1, Clock()).past


def test_a_table_finds_people_of_the_data_by_id(lens: MovieLens) -> None:
    table = [{"id": "3", "name": "Third"}, {"id": "1", "age": 90}]
    people = mixed(lens, 3, profiles=table).profiles
    assert people[2].name == "Third"
    assert [who.age for who in people] == [90, 53, 33]
    assert mixed(lens, 2, profiles=table).profiles[0].age == 90


def test_an_id_that_nobody_has_is_named(lens: MovieLens, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,name\n1,Ann\n77,Bob\n")
    with pytest.raises(BadInput, match=r"p\.csv: line 3, column 'id': '77' is not a person"):
        mixed(lens, 3, profiles=str(tmp_path / "p.csv"))


def test_ignored_fields_are_taken_as_missing(lens: MovieLens) -> None:
    blank = mixed(lens, 3, fill={"career": "none"}, ignore=("career",))
    assert [who.career for who in blank.profiles] == ["", "", ""]
    assert [who.age for who in blank.profiles] == [24, 53, 33]


def test_traits_and_features_follow_from_what_people_did(lens: MovieLens) -> None:
    genesis = mixed(lens, 3, traits="aligned", fill={"features": "aligned"})
    words = {word for listed in WORDS.values() for word in listed}
    assert all(set(who.traits) <= words and len(who.traits) == 3 for who in genesis.profiles)
    drawn = lens.genesis(3, 1, Clock()).profiles
    for who, other in zip(genesis.profiles, drawn, strict=True):
        assert who.habits.poster == other.habits.poster
        assert who.habits.watcher == 0.5  # all three have three ratings
        assert (who.name, who.interests, who.activity) == (
            other.name,
            other.interests,
            other.activity,
        )


def test_what_is_held_out_reaches_no_trait(tmp_path: Path) -> None:
    last = [f"{n}\t30\t{stars}\t{99 + n}\n" for n, stars in ((1, 1), (2, 5), (3, 3))]
    found = []
    for name, tail in (
        ("one", last),
        ("two", [line.replace("\t30\t5", "\t30\t1") for line in last]),
    ):
        folder = write(tmp_path / name, {**ML_100K, "u.data": "".join(LINES + tail)}, "latin-1")
        genesis = mixed(MovieLens(folder, hold_last=1), 3, fill={"features": "aligned"})
        found.append([who.habits for who in genesis.profiles])
    assert found[0] == found[1]


def test_aligned_needs_a_history(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="'aligned' needs interactions"):
        mixed(Films(), 3, traits="aligned")
    no_history = {key: text for key, text in RECAGENT.items() if key != "interaction.csv"}
    dataset = RecAgentFiles(write(tmp_path / "r", no_history))
    with pytest.raises(BadInput, match="'aligned' needs interactions"):
        mixed(dataset, 2, fill={"features": "aligned"})


def test_ties_come_from_the_data_or_are_drawn(tmp_path: Path) -> None:
    lastfm = LastFm(write(tmp_path / "l", LASTFM))
    assert mixed(lastfm, 2, ties="data").ties.others.tolist() == [1, 0]
    assert mixed(lastfm, 2, ties="none").ties.others.tolist() == []
    drawn = mixed(lastfm, 2, ties="drawn").ties
    assert set(drawn.names) > {"family", "colleague"}
    with pytest.raises(BadInput, match="ties = 'data', but this dataset has no ties"):
        mixed(Films(), 3, ties="data")


def test_a_folder_of_yours_is_completed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "items.csv": "id,title,tags\n1,One,Drama\n2,Two,War\n",
            "people.csv": "id,name,activity\nx,Ann,2\ny,,\n",
            "interactions.csv": "person,item,stars\nx,1,5\nx,2,4\ny,1,1\n",
        },
    )
    begun = draft(Folder(tmp_path), Mixture(fill="drawn", traits="aligned"), 2, 1, Clock())
    ann, other = finish(begun).profiles
    assert (ann.name, ann.activity) == ("Ann", 2.0)
    assert other.name
    assert ann.traits[0] == WORDS["activity"][2]
    assert other.traits[0] == WORDS["activity"][0]


def test_what_another_dataset_says_is_kept() -> None:
    genesis = mixed(RecSimTopics(), 3, fill="drawn", profiles=[{"age": 40}])
    plain = RecSimTopics().genesis(3, 1, Clock()).profiles
    assert genesis.profiles[0].age == 40
    assert [who.leaning for who in genesis.profiles] == [who.leaning for who in plain]
    assert [who.name for who in genesis.profiles] == [who.name for who in plain]


def test_a_model_is_asked_for_what_is_missing_alone(lens: MovieLens) -> None:
    mixture = Mixture(fill={"name": "llm", "age": "llm", "traits": "llm"})
    begun = draft(lens, mixture, 3, 1, Clock())
    assert begun.asked == ("name", "traits")  # everybody's age is in the data
    assert begun.rows[0]["career"] == "technician"
    assert "name" not in begun.rows[0]
    with pytest.raises(BadInput, match="no model has filled"):
        finish(begun)
    written = [{**row, "name": f"N{n}", "traits": "calm|shy"} for n, row in enumerate(begun.rows)]
    del written[2]["traits"]
    people = finish(begun, written).profiles
    assert [who.name for who in people] == ["N0", "N1", "N2"]
    assert [who.traits for who in people] == [("calm", "shy"), ("calm", "shy"), ()]
    assert [who.age for who in people] == [24, 53, 33]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"fill": "lmm"}, "source 'lmm' is unknown .did you mean 'llm'"),
        ({"fill": {"nam": "llm"}}, "field 'nam' is unknown .did you mean 'name'"),
        ({"fill": {"activity": "llm"}}, "field 'activity' is unknown"),
        ({"fill": "aligned"}, "name cannot be 'aligned'"),
        ({"traits": "real"}, "traits: source 'real' is unknown"),
        ({"ties": "lots"}, "ties 'lots' is unknown"),
        ({"ignore": ["carer"]}, "field 'carer' is unknown .did you mean 'career'"),
        ({"fill": 3}, "dataset: Expected"),
        ({"profiles": 3}, "dataset: Expected"),
    ],
)
def test_a_wrong_key_is_named(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        split_options(keys)


def test_options_are_split() -> None:
    assert split_options({"path": "x", "degree": 3}) == (None, {"path": "x", "degree": 3})
    mixture, rest = split_options({"path": "x", "fill": "llm", "traits": "aligned"})
    assert mixture == Mixture(fill="llm", traits="aligned")
    assert mixture.asked == tuple(field for field in FILLED if field != "traits")
    assert rest == {"path": "x"}


def test_a_row_says_what_is_known() -> None:
    who = Profile(0, "Ann", "", 5, ("calm", "shy"), habits=Habits(critic=0.6, poster=0.2))
    assert row_of(known_of(who)) == {
        "name": "Ann",
        "age": "5",
        "traits": "calm|shy",
        "features": "Critic",
    }
