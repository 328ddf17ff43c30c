from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from tests.datasets.files import ABSENT, LASTFM, ML_1M, ML_100K, RECAGENT, SHARED, write
from tests.datasets.test_corpus import corpus

from audience.datasets import SourceOptions, genesis_of
from audience.datasets.loaders import LastFm, MovieLens, RecAgentFiles
from audience.datasets.mixture import origin_of
from audience.errors import BadInput
from audience.testing import check_dataset
from audience.world import Clock, World

LATER = Clock("2000-01-01", "1d")


def test_every_loaded_dataset_is_sound(tmp_path: Path) -> None:
    check_dataset(MovieLens(write(tmp_path / "a", ML_100K, "latin-1")), people=(1, 2, 3))
    check_dataset(LastFm(write(tmp_path / "b", LASTFM)), people=(1, 2))
    check_dataset(RecAgentFiles(write(tmp_path / "c", RECAGENT)), people=(1, 2))


def test_what_the_data_says_stays_and_the_rest_is_drawn(tmp_path: Path) -> None:
    genesis = MovieLens(write(tmp_path, ML_100K, "latin-1")).genesis(3, 1, LATER)
    ann, ben, cat = genesis.profiles
    assert (ann.age, ann.gender, ann.career, ann.key) == (24, "male", "technician", "1")
    assert all(who.name and who.traits for who in genesis.profiles)
    assert ann.interests
    assert cat.interests == ()
    assert ann.activity > ben.activity > cat.activity > 0
    assert [one.at for one in genesis.past] == [100, 200, 300]
    world = World(genesis)
    assert [lived.item for lived in world.agents[0].history] == [1, 0]
    assert world.interactions.stars.tolist() == [3, 4, 5]


def test_a_smaller_population_is_the_beginning_of_a_larger_one() -> None:
    whole = corpus([(n % 6, n % 5, n) for n in range(40)])
    few, all_ = (genesis_of(whole, n, 3, LATER) for n in (2, 6))
    assert few.profiles == all_.profiles[:2]
    assert few.catalogue.items == all_.catalogue.items


def test_choices_are_kept(tmp_path: Path) -> None:
    whole = corpus([(n % 6, n % 5, n) for n in range(40)])
    held = genesis_of(whole, 6, 1, LATER, SourceOptions(hold_last=2))
    assert len(held.past) == len(whole.lived) - 12
    moved = genesis_of(whole, 6, 1, LATER, SourceOptions(move=True))
    assert moved.past[-1].at == LATER.at(1) - 1
    drawn = genesis_of(whole, 6, 1, LATER, SourceOptions(activity="equal", degree=0))
    assert {who.activity for who in drawn.profiles} == {1.0}
    assert len(drawn.ties.others) == 0
    folder = write(tmp_path, ML_1M, "latin-1")
    assert len(MovieLens(folder, min_per_person=2).genesis(1, 1, LATER).profiles) == 1
    with pytest.raises(BadInput, match="activity 'daily' is unknown"):
        MovieLens(folder, activity="daily")


def test_apart_no_interaction_reaches_both_minds_and_recommenders() -> None:
    rows = [(n % 6, (n * 7) % 5, n) for n in range(60)]
    whole = corpus(rows)
    genesis = genesis_of(whole, 3, 2, LATER, SourceOptions(apart=True))
    mine = {who.key for who in genesis.profiles}
    moments = {one.at for one in genesis.past}
    assert moments == {at for user, _, at in rows if f"p{user}" in mine}
    assert {one.at for one in genesis.others} == {at for *_, at in rows} - moments
    assert World(genesis).interactions.at.tolist() == [one.at for one in genesis.past]


def test_apart_what_is_known_of_items_comes_from_the_others_alone() -> None:
    rows = [(n % 6, (n * 7) % 5, n) for n in range(60)]
    before = genesis_of(corpus(rows), 3, 2, LATER, SourceOptions(apart=True))
    mine = int(before.profiles[0].key[1:])
    theirs = ({*range(6)} - {int(who.key[1:]) for who in before.profiles}).pop()
    after = [
        genesis_of(corpus([*rows, (who, 0, 70)]), 3, 2, LATER, SourceOptions(apart=True))
        for who in (mine, theirs)
    ]
    assert after[0].catalogue.items == before.catalogue.items
    assert after[0].others == before.others
    assert after[0].past != before.past
    assert after[1].past == before.past
    assert after[1].catalogue[0].quality != before.catalogue[0].quality


def test_apart_cannot_be_mixed_with_made_up_people(tmp_path: Path) -> None:
    dataset = MovieLens(write(tmp_path, ML_100K, "latin-1"), apart=True)
    with pytest.raises(BadInput, match="apart = true takes people as the data has them"):
        origin_of(dataset, 1, 1, LATER)


def test_a_past_after_the_beginning_is_refused() -> None:
    whole = corpus([(0, 0, 1), (0, 1, 9)])
    with pytest.raises(BadInput, match=r"reaches 1970-01-01 00:00, but the run begins .*start = …"):
        genesis_of(whole, 1, 1, Clock("1970-01-01", "1d"))


def test_what_was_left_out_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        LastFm(write(tmp_path, LASTFM)).genesis(2, 1, LATER)
    assert "Last.fm: 1 left out: a tie of somebody without interactions" in caplog.text


@pytest.mark.skipif(not (SHARED / "ml-100k").is_dir(), reason=ABSENT)
def test_quality_follows_the_ratings_of_everybody() -> None:
    from audience.datasets.loaders import Atomic

    found = Atomic(SHARED / "ml-100k")
    genesis = found.genesis(10, 1, Clock())
    by_title = {item.title: item.quality for item in genesis.catalogue.items}
    assert by_title["Star Wars"] > 0.7
    assert by_title["Star Wars"] > by_title["Leave It to Beaver"]
    assert np.isfinite(genesis.catalogue.quality).all()
