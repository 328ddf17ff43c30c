"""People by a model: tables of their own, and those of a scenario."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.datasets import Mixture, people_folder
from audience.errors import BadInput
from audience.llm import BudgetSpent
from audience.llm.fake import Fake
from audience.runs import PeopleTable, drawn_instead, run, settle_people, write_people
from audience.scenario import Models, Part, Scenario, SpendingOptions, from_tree, genesis_of
from audience.world import Profile

Serving = Callable[..., AbstractContextManager[Fake]]
MIA = {"name": "Mia", "interests": "Drama"}
RATINGS = "".join(f"{n % 3 + 1}::{10 * (n % 2 + 1)}::{n % 5 + 1}::{n}\n" for n in range(12))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what models write in a folder of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(url: str, folder: Path, agents: int, **more: Any) -> PeopleTable:
    told: list[int] = []
    given: dict[str, Any] = {"dataset": Part("films"), "seed": 1, "batch": 1, **more}
    mixture = Mixture(profiles=[MIA], fill="llm")
    found = write_people(
        given.pop("dataset"),
        given.pop("mixture", mixture),
        agents,
        Models(url=url),
        given.pop("spending", SpendingOptions()),
        store=folder / "people.calls.db",
        progress=told.append,
        **given,
    )
    assert told == sorted(told)
    return found


def people(table: PeopleTable) -> tuple[Profile, ...]:
    return table.genesis.profiles


def test_interests_are_tags_of_the_dataset(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "songs").mkdir()
    (tmp_path / "songs" / "items.csv").write_text("id,title,tags\n1,One,Jazz|Blues\n2,Two,Folk\n")
    songs = Part("folder", {"path": str(tmp_path / "songs")})
    with serving() as fake:
        table = write(fake.url, tmp_path, 5, dataset=songs)
    assert table.written is not None
    assert table.written.unfilled == []
    mia, *others = people(table)
    assert (mia.name, mia.interests) == ("Mia", ("Drama",))
    assert all(set(who.interests) <= {"Jazz", "Blues", "Folk"} for who in others)
    assert all(who.age and who.traits and who.career for who in people(table))


def test_a_table_that_stopped_at_its_budget_goes_on(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        with pytest.raises(BudgetSpent, match="4 of 4 calls"):
            write(fake.url, tmp_path, 8, spending=SpendingOptions(max_calls=4))
        assert fake.requests == 4
        first = people(write(fake.url, tmp_path, 8))
        asked = fake.requests
        again = people(write(fake.url, tmp_path, 8))
        assert fake.requests == asked >= 8
    assert again == first
    alone = write("http://127.0.0.1:9", tmp_path, 8, spending=SpendingOptions("stored"))
    assert people(alone) == first


def test_batches_ask_less(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        table = write(fake.url, tmp_path, 20, batch=10)
    assert table.written is not None
    assert table.written.asked < 20
    assert len({who.name for who in people(table)}) == 20


def test_another_seed_gives_other_people(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        one = people(write(fake.url, tmp_path, 4))
        other = people(write(fake.url, tmp_path, 4, seed=2))
    assert one[1:] != other[1:]


def test_without_a_model_nothing_is_asked(tmp_path: Path) -> None:
    mixture = Mixture(profiles=[MIA], fill="drawn")
    table = write("http://127.0.0.1:9", tmp_path, 4, mixture=mixture)
    assert table.written is None
    assert people(table)[0].name == "Mia"
    assert not (tmp_path / "people.calls.db").exists()


def test_an_unknown_dataset_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="dataset 'flims' is unknown"):
        write("http://127.0.0.1:9", tmp_path, 3, dataset=Part("flims"))


@pytest.fixture
def lens(tmp_path: Path) -> dict[str, Any]:
    """A small MovieLens as a scenario names it."""
    folder = tmp_path / "ml"
    folder.mkdir()
    (folder / "ratings.dat").write_text(RATINGS)
    (folder / "movies.dat").write_text("10::A (1995)::Comedy\n20::B (2001)::Drama\n")
    (folder / "users.dat").write_text("1::F::25::10::1\n2::M::35::16::1\n3::F::45::3::1\n")
    plugin = tmp_path / "own.py"
    plugin.write_text("from audience.datasets import MovieLens\n")
    return {"kind": f"{plugin}:MovieLens", "path": str(folder)}


def scenario(dataset: dict[str, Any], url: str, **more: Any) -> Scenario:
    tree = {"agents": 3, "rounds": 1, "recommender": "popular", "dataset": dataset, **more}
    return from_tree({**tree, "llm": {"url": url}})


def test_a_scenario_with_a_model_in_it_is_settled_once(
    serving: Serving, lens: dict[str, Any]
) -> None:
    filled = {**lens, "fill": {"name": "llm", "career": "drawn"}, "traits": "aligned"}
    with serving() as fake:
        wanted = scenario(filled, fake.url, seeds=2)
        with pytest.raises(BadInput, match="no model has written name of these 3 people yet"):
            genesis_of(wanted, 1)
        settled = settle_people(wanted, SpendingOptions(max_calls=50))
        assert len(settled.written) == 2  # one table a seed
        spent = 50 - (settled.left.max_calls or 0)
        assert spent == sum(one.asked for one in settled.written) == fake.requests > 0
        assert settle_people(wanted).written == ()
        genesis = genesis_of(wanted, 1)
        assert genesis_of(wanted, 2).profiles != genesis.profiles
        assert fake.requests == spent
    assert [who.age for who in genesis.profiles] == [30, 40, 47]
    assert all(who.name and len(who.traits) == 3 for who in genesis.profiles)
    assert len(genesis.past) == 12


def test_a_run_lets_the_model_write(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "some.json"
    table.write_text('[{"name": "Mia"}]')
    dataset = {"kind": "films", "profiles": str(table), "fill": "llm"}
    with serving() as fake:
        run(scenario(dataset, fake.url), out=tmp_path / "run", report=False)
        assert fake.requests > 0
        wanted = scenario(dataset, fake.url)
        assert genesis_of(wanted, 1).profiles[0].name == "Mia"


def test_a_damaged_table_is_named(serving: Serving) -> None:
    with serving() as fake:
        wanted = scenario({"kind": "books", "fill": {"name": "llm"}}, fake.url)
        settle_people(wanted)
        (kept,) = people_folder().glob("*.json")
        kept.write_text("[")
        with pytest.raises(BadInput, match="is damaged; delete it"):
            genesis_of(wanted, 1)


def test_people_are_drawn_where_nothing_may_be_asked() -> None:
    wanted = scenario(
        {"kind": "films", "fill": {"name": "llm", "age": "none"}}, "http://127.0.0.1:9"
    )
    changed = drawn_instead(wanted)
    assert changed.dataset.options["fill"] == {"name": "drawn", "age": "none"}
    assert genesis_of(changed, 1).profiles[0].name
    plain = scenario({"kind": "films"}, "")
    assert drawn_instead(plain) is plain


def test_a_taste_is_written_once_and_stands_beside_the_interests(
    serving: Serving, lens: dict[str, Any]
) -> None:
    plain = genesis_of(scenario(lens, "http://127.0.0.1:9"), 1)
    with serving() as fake:
        wanted = scenario({**lens, "taste": "llm"}, fake.url)
        with pytest.raises(BadInput, match="no model has written taste of these 3 people yet"):
            genesis_of(wanted, 1)
        (written,) = settle_people(wanted).written
        assert written.asked == fake.requests == 3
        assert settle_people(wanted).written == ()
        genesis = genesis_of(wanted, 1)
    for own, who in zip(plain.profiles, genesis.profiles, strict=True):
        assert who.interests[: len(own.interests)] == own.interests
        assert 1 <= len(who.interests) - len(own.interests) <= 3
    assert genesis.past == plain.past
    assert genesis_of(drawn_instead(wanted), 1).profiles == plain.profiles


def test_a_taste_and_other_fields_are_written_together(
    serving: Serving, lens: dict[str, Any]
) -> None:
    with serving() as fake:
        wanted = scenario({**lens, "taste": "llm", "fill": {"name": "llm"}}, fake.url)
        settle_people(wanted)
        people_there = genesis_of(wanted, 1).profiles
    assert all(who.name and len(who.interests) > 1 for who in people_there)


def test_a_taste_needs_a_history() -> None:
    with pytest.raises(BadInput, match="taste = 'llm' needs interactions"):
        settle_people(scenario({"kind": "films", "taste": "llm"}, "http://127.0.0.1:9"))
    with pytest.raises(BadInput, match="taste: source 'lmm' is unknown"):
        settle_people(scenario({"kind": "films", "taste": "lmm"}, "http://127.0.0.1:9"))


def test_a_path_in_a_scenario_starts_from_its_file(tmp_path: Path) -> None:
    from audience.scenario import load

    (tmp_path / "deep").mkdir()
    (tmp_path / "some.csv").write_text("name\nMia\n")
    text = '[dataset]\nkind = "films"\nprofiles = "../some.csv"\n'
    (tmp_path / "deep" / "s.toml").write_text("agents = 2\n" + text)
    assert genesis_of(load(tmp_path / "deep" / "s.toml"), 1).profiles[0].name == "Mia"
