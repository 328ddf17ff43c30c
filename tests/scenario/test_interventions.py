"""Each kind of intervention, written into a scenario file and seen in the log it leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.log import Log, world_at
from audience.runs import start
from audience.scenario import DEEDS, changes_of, genesis_of, load
from audience.world import World, changes as c, events as e

PEOPLE = 20
SCENARIO = """
agents = 20
rounds = 4
recommender = "popular"
[dataset]
kind = "folder"
path = "mine"
[platform]
page_size = 3
[activation]
method = "random"
share = 1.0
loyalty = 0.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine"
    place.mkdir()
    items = "".join(f"i{n},Item {n},{'ab'[n % 2]},10,0.9\n" for n in range(12))
    (place / "items.csv").write_text(f"id,title,tags,minutes,quality\n{items}")
    people = "".join(f"p{n},Person {n},{'ab'[n % 2]},1\n" for n in range(PEOPLE))
    (place / "people.csv").write_text(f"id,name,interests,activity\n{people}")
    ties = "".join(f"p{n},p{(n + 1) % PEOPLE}\n" for n in range(PEOPLE))
    (place / "ties.csv").write_text(f"from,to\n{ties}")
    return tmp_path


def lived(folder: Path, *interventions: str) -> tuple[World, list[e.Record]]:
    """Run the scenario with interventions; return its last world and its records."""
    text = SCENARIO + "".join(f"[[interventions]]\n{one}\n" for one in interventions)
    (folder / "s.toml").write_text(text)
    start(load(folder / "s.toml"), 1, folder / "run")
    with Log.open(folder / "run") as log:
        return world_at(log, 4), list(log.records())


def interventions_in(records: list[e.Record]) -> list[tuple[int, c.AnyChange]]:
    return [(r.round, r.event.change) for r in records if isinstance(r.event, e.Intervened)]


def test_every_kind_of_change_can_be_written() -> None:
    assert set(DEEDS.values()) == set(c.AnyChange.__args__)


def test_change_profile(folder: Path) -> None:
    world, records = lived(
        folder, "round = 2\ndo = 'change_profile'\nagent = 'p3'\nage = 99\ninterests = ['a']"
    )
    assert interventions_in(records) == [(2, c.ChangeProfile(3, {"age": 99, "interests": ["a"]}))]
    assert (world.profile(3).age, world.profile(3).interests) == (99, ("a",))
    assert (world.profile(5).age, world.profile(5).interests) == (None, ("b",))


def test_add_person(folder: Path) -> None:
    world, records = lived(
        folder,
        "round = 3\ndo = 'add_person'\nname = 'Nova'\nkey = 'nova'\nfriends = ['p1', 2]",
        "round = 4\ndo = 'silence'\nagent = 'nova'",
    )
    assert world.profile(PEOPLE).name == "Nova"
    assert {tie.other for tie in world.graph.ties(PEOPLE)} == {1, 2}
    visits = [r.round for r in records if isinstance(r.event, e.Woke) and r.event.agent == PEOPLE]
    assert visits == [3]


def test_add_item(folder: Path) -> None:
    world, records = lived(
        folder,
        "round = 2\ndo = 'add_item'\ntitle = 'New'\ntags = ['a']\nquality = 1.0",
        "round = 2\ndo = 'announce'\ntext = 'Look'\nitems = ['New']",
    )
    assert world.catalogue[12].title == "New"
    shown = [r.round for r in records if isinstance(r.event, e.SlateShown) and 12 in r.event.items]
    assert shown
    assert min(shown) >= 2
    heard = [r.event for r in records if isinstance(r.event, e.Delivered) and r.event.author < 0]
    assert heard[0].items == (12,)


def test_announce(folder: Path) -> None:
    _, records = lived(folder, "round = 2\ndo = 'announce'\ntext = 'Hello'\nitems = ['Item 4']")
    heard = [r for r in records if isinstance(r.event, e.Delivered) and r.event.author < 0]
    assert [r.round for r in heard] == [2]
    assert isinstance(heard[0].event, e.Delivered)
    assert heard[0].event.to == tuple(range(PEOPLE))
    assert (heard[0].event.text, heard[0].event.items) == ("Hello", (4,))


def test_advertise(folder: Path) -> None:
    _, records = lived(
        folder,
        "round = 2\ndo = 'advertise'\ntext = 'Buy'\ninterest = 'b'",
        "round = 3\ndo = 'advertise'\ntext = 'Buy'\nagents = ['p2', 7]",
    )
    heard = [r.event for r in records if isinstance(r.event, e.Delivered) and r.event.author < 0]
    assert [event.to for event in heard] == [tuple(range(1, PEOPLE, 2)), (2, 7)]


def test_swap_recommender(folder: Path) -> None:
    world, records = lived(folder, "round = 3\ndo = 'swap_recommender'\nkind = 'random'")
    fits = [
        (r.round, r.phase, r.event.kind)
        for r in records
        if isinstance(r.event, e.RecommenderFitted)
    ]
    assert fits == [
        (1, e.OPENING, "popular"), (1, e.CLOSING, "popular"), (2, e.CLOSING, "popular"),
        (3, e.OPENING, "random"), (3, e.CLOSING, "random"), (4, e.CLOSING, "random"),
    ]  # fmt: skip
    assert world.recommender == c.SwapRecommender("random")


def test_a_swapped_in_file_is_found_beside_the_scenario_and_named_without_its_path(
    folder: Path,
) -> None:
    (folder / "mine.py").write_text(
        "from audience.recommenders import Random\nclass Mine(Random): pass\n"
    )
    _, records = lived(folder, "round = 3\ndo = 'swap_recommender'\nkind = 'mine.py:Mine'")
    kinds = {r.event.kind for r in records if isinstance(r.event, e.RecommenderFitted)}
    assert kinds == {"popular", "Mine"}
    assert interventions_in(records) == [(3, c.SwapRecommender("Mine"))]


def test_add_tie_and_cut_tie(folder: Path) -> None:
    world, records = lived(
        folder,
        "round = 2\ndo = 'add_tie'\nagent = 'p0'\nother = 9\nkind = 'rival'\ncloseness = 0.2",
        "round = 3\ndo = 'cut_tie'\nagent = 4\nother = 'p5'",
    )
    assert [change for _, change in interventions_in(records)] == [
        c.AddTie(0, 9, "rival", 0.2),
        c.CutTie(4, 5),
    ]
    assert ("rival", 0.2) in {(t.kind, t.closeness) for t in world.graph.ties(0) if t.other == 9}
    assert 5 not in {tie.other for tie in world.graph.ties(4)}
    assert 4 in {tie.other for tie in world.graph.ties(5)}


def test_silence(folder: Path) -> None:
    _, records = lived(
        folder,
        "round = 2\ndo = 'silence'\nagent = 6",
        "round = 4\ndo = 'silence'\nagent = 6\nsilent = false",
    )
    visits = [r.round for r in records if isinstance(r.event, e.Woke) and r.event.agent == 6]
    assert visits == [1, 4]


def test_changes_happen_in_the_order_of_rounds_and_then_of_the_file(folder: Path) -> None:
    _, records = lived(
        folder,
        "round = 3\ndo = 'add_item'\ntitle = 'Third'",
        "round = 2\ndo = 'add_item'\ntitle = 'First'",
        "round = 2\ndo = 'add_item'\ntitle = 'Second'",
    )
    added = [
        change.item for _, change in interventions_in(records) if isinstance(change, c.AddItem)
    ]
    assert [(item.id, item.title) for item in added] == [
        (12, "First"),
        (13, "Second"),
        (14, "Third"),
    ]


@pytest.mark.parametrize(
    ("one", "told"),
    [
        ({"round": 2, "do": "silence", "agent": 20}, "person 20 does not exist; there are 20"),
        ({"round": 2, "do": "silence", "agent": "p77"}, "person 'p77' is unknown"),
        ({"round": 2, "do": "silence", "agent": 1.5}, "Expected 'int', got 'float'"),
        ({"round": 2, "do": "announce", "text": "x", "items": 3}, "Expected 'array', got 'int'"),
        ({"round": 2, "do": "announce"}, "missing required field 'text'"),
        ({"round": 2, "do": "add_tie", "agent": 1, "other": 1}, "a tie needs two people"),
        ({"round": 2, "do": "change_profile", "agent": 1, "agee": 3}, "did you mean 'age'"),
        ({"round": 2, "do": "change_profile", "agent": 1, "age": "old"}, "Expected 'int"),
        ({"round": 2, "do": "add_person", "nmae": "X"}, "did you mean 'name'"),
        ({"round": 2, "do": "advertise", "text": "x", "agents": [99]}, "person 99 does not exist"),
        ({"round": "two", "do": "announce", "text": "x"}, "give the round it happens in"),
    ],
)
def test_a_mistake_names_the_intervention(folder: Path, one: dict[str, object], told: str) -> None:
    (folder / "s.toml").write_text(SCENARIO)
    genesis = genesis_of(load(folder / "s.toml"), 1)
    sound: dict[str, object] = {"round": 1, "do": "announce", "text": "x"}
    with pytest.raises(BadInput, match=r"^intervention 2") as refused:
        changes_of([sound, one], genesis)
    assert told in str(refused.value)
