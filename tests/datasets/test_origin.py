"""What datasets know of their people."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.datasets.files import LASTFM, ML_1M, RECAGENT, write

from audience.datasets import Books, counts_of
from audience.datasets.loaders import Folder, LastFm, MovieLens, RecAgentFiles
from audience.datasets.mixture import origin_of
from audience.errors import BadInput
from audience.world import Clock


def test_the_data_knows_what_it_says_and_what_follows_from_history(tmp_path: Path) -> None:
    dataset = MovieLens(write(tmp_path, ML_1M, "latin-1"))
    origin = origin_of(dataset, 2, 1, Clock())
    assert all({"gender", "age", "career", "interests"} == one.fields for one in origin.known)
    assert origin.training is not None
    assert origin.training.counts.tolist() == [2, 1]
    assert not origin.has_ties
    assert not origin.is_drawn


def test_of_a_drawn_audience_nothing_is_known() -> None:
    origin = origin_of(Books(), 3, 1, Clock())
    assert [one.fields for one in origin.known] == [frozenset()] * 3
    assert not origin.has_keys
    assert not origin.has_ties
    assert origin.is_drawn


def test_files_of_recagent_know_nearly_all(tmp_path: Path) -> None:
    origin = origin_of(RecAgentFiles(write(tmp_path, RECAGENT)), 2, 1, Clock())
    ann, bob = origin.known
    assert ann.fields == {"name", "gender", "age", "traits", "career", "interests", "features"}
    assert bob.fields == {"name", "gender", "interests"}
    assert origin.has_ties


def test_a_folder_without_people_knows_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"items.csv": "id,title,tags\n1,One,Drama\n"})
    origin = origin_of(Folder(tmp_path), 2, 1, Clock())
    assert [one.fields for one in origin.known] == [frozenset()] * 2
    assert origin.training is None


def test_people_with_ids_alone_are_not_drawn(tmp_path: Path) -> None:
    origin = origin_of(LastFm(write(tmp_path, LASTFM)), 2, 1, Clock())
    bare = replace(origin, known=tuple(replace(one, fields=frozenset()) for one in origin.known))
    assert origin.has_keys
    assert not bare.is_drawn
    assert replace(bare, has_keys=False).is_drawn


def test_counts_are_those_of_the_training_part(tmp_path: Path) -> None:
    folder = write(tmp_path / "l", LASTFM)
    assert counts_of(LastFm(folder)).tolist() == [2, 1]
    assert counts_of(LastFm(folder, hold_last=1)).tolist() == [1, 1]
    with pytest.raises(BadInput, match="no interactions to fit"):
        counts_of(Books())
