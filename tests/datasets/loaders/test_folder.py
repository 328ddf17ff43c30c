from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from audience.datasets.loaders import Folder
from audience.errors import BadInput
from audience.world import Clock, Genesis, Habits, Past, SocialGraph

CLOCK = Clock()
ITEMS = """id,title,tags,about,year,minutes,quality
g1,Chess,Board|Strategy,"Two kings, sixty-four squares",1475,60,0.9
g2,Go,Board | Strategy|Board,,-500,,
g3,Tetris,Puzzle,Blocks fall,1984,5,0.75
"""
PEOPLE = """id,name,gender,age,traits,career,interests,features,chatter,activity
anna,Anna Öst,female,34,curious|calm,nurse,Board|Knitting,Watcher;Critic,,2.5
bo,Bo Ek,,,,,,,0.4,
cy,,,,,,Puzzle,,,
"""
TIES = """from,to,kind,closeness,direction
anna,bo,sibling,0.9,
bo,cy,,,one
"""
INTERACTIONS = """person,item,at,fraction,stars
anna,g1,2025-01-02T00:00,1,5
bo,g3,86400,0.25,
cy,g2,,,
"""


def fill(folder: Path, **texts: str | bytes) -> Path:
    for name, text in texts.items():
        raw = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.csv").write_bytes(raw)
    return folder


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return fill(tmp_path, items=ITEMS, people=PEOPLE, ties=TIES, interactions=INTERACTIONS)


def genesis(folder: Path, people: int = 3) -> Genesis:
    return Folder(folder).genesis(people, 1, CLOCK)


def test_items_arrive_whole(whole: Path) -> None:
    chess, go, tetris = genesis(whole).catalogue.items
    assert (chess.key, chess.title, chess.tags) == ("g1", "Chess", ("Board", "Strategy"))
    assert chess.about == "Two kings, sixty-four squares"
    assert (chess.year, chess.minutes, chess.quality) == (1475, 60.0, 0.9)
    assert (go.year, go.minutes, go.quality, go.tags) == (-500, 0.0, 0.5, ("Board", "Strategy"))
    assert tetris.id == 2


def test_people_arrive_whole(whole: Path) -> None:
    anna, bo, cy = genesis(whole).profiles
    assert (anna.key, anna.name, anna.age, anna.career) == ("anna", "Anna Öst", 34, "nurse")
    assert (anna.traits, anna.interests) == (("curious", "calm"), ("Board", "Knitting"))
    assert anna.habits == Habits(watcher=1.0, critic=1.0)
    assert bo.habits == Habits(chatter=0.4)
    assert anna.activity == 2.5
    assert bo.activity > 0
    assert bo.activity != cy.activity
    assert (cy.name, cy.age, cy.interests) == ("", None, ("Puzzle",))


def test_ties_go_both_ways_unless_told_otherwise(whole: Path) -> None:
    graph = SocialGraph(genesis(whole).ties)
    sibling = graph.tie(0, 1)
    assert sibling is not None
    assert sibling.kind == "sibling"
    assert sibling.closeness == pytest.approx(0.9)
    assert graph.neighbours(1) == (0, 2)
    assert graph.neighbours(2) == ()
    friend = graph.tie(1, 2)
    assert friend is not None
    assert (friend.kind, friend.closeness) == ("friend", 0.5)


def test_a_line_for_the_way_back_wins_over_the_mirror(whole: Path) -> None:
    fill(whole, ties=TIES + "bo,anna,rival,0.1,\n")
    graph = SocialGraph(genesis(whole).ties)
    back, forth = graph.tie(1, 0), graph.tie(0, 1)
    assert back is not None
    assert forth is not None
    assert (back.kind, forth.kind) == ("rival", "sibling")


def test_interactions_become_the_past_in_order_of_time(whole: Path) -> None:
    second_of_january = 1735776000
    assert genesis(whole).past == (
        Past(2, 1, 0, 1.0, 0),
        Past(1, 2, 86400, 0.25, 0),
        Past(0, 0, second_of_january, 1.0, 5),
    )


def test_fewer_people_keep_only_what_is_among_them(whole: Path) -> None:
    small = genesis(whole, 1)
    assert [who.key for who in small.profiles] == ["anna"]
    assert len(small.ties.others) == 0
    assert [lived.agent for lived in small.past] == [0]


def test_missing_people_are_drawn_in_a_small_world(tmp_path: Path) -> None:
    fill(tmp_path, items=ITEMS)
    drawn = Folder(tmp_path, activity="pareto", noun="game", plural="games", past="played")
    found = drawn.genesis(60, 1, CLOCK)
    assert len({who.name for who in found.profiles}) == 60
    assert {tag for who in found.profiles for tag in who.interests} == {
        "Board",
        "Strategy",
        "Puzzle",
    }
    assert len(found.ties.others) > 200
    assert found.domain.past == "played"
    assert found.digest == drawn.genesis(60, 1, CLOCK).digest


def test_missing_ties_are_drawn_among_given_people(whole: Path) -> None:
    (whole / "ties.csv").unlink()
    assert np.array_equal(genesis(whole).ties.others, [1, 2, 0, 2, 0, 1])


def test_spreadsheets_are_understood(tmp_path: Path) -> None:
    text = '\ufeffID,Title\r\n\r\n1,"A ""B""\nC"\r\n,\r\n2,D\r\n'
    fill(tmp_path, items=text)
    assert [item.title for item in genesis(tmp_path).catalogue.items] == ['A "B"\nC', "D"]


def test_the_genesis_of_a_folder_survives_packing(whole: Path) -> None:
    found = genesis(whole)
    again = Genesis.unpack(found.packed)
    assert again.profiles == found.profiles
    assert again.past == found.past
    assert again.digest == found.digest


def refused(folder: Path, message: str, people: int = 3) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        genesis(folder, people)


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    refused(tmp_path / "none", f"{tmp_path / 'none'} is not a folder; give the path of a folder")
    refused(tmp_path, "items.csv does not exist; write it with at least the columns id and title")
    (tmp_path / "items.csv").mkdir()
    refused(tmp_path, "items.csv cannot be read: Is a directory; check the file")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "items.csv: is empty; its first line names the columns 'id', 'title'"),
        ("id,title\n", "items.csv: has no items; add a line for each under the header"),
        ("id,name\n1,A\n", "line 1: column 'title' is missing; add it (found: 'id', 'name')"),
        ("id,title,id\n1,A,2\n", "line 1: column 'id' appears twice; rename one"),
        ("id,title\n1,A\n2,B\n1,C\n", "line 4, column 'id': '1' is already in line 2"),
        ("id,title\n,A\n", "line 2, column 'id': is empty; every line needs one id"),
        ("id,title\n1,\n", "line 2, column 'title': is empty; every line needs one title"),
        ("id,title\n1,A,B\n", "line 2 has 3 cells where the header has 2; quote cells"),
        ('id,title\n1,"A\n', "near line 2: unexpected end of data; check the quotes"),
        (b"id,title\n1,caf\xe9\n", "items.csv: line 2 is not UTF-8; save the file as UTF-8"),
        (b"id,title\n1,A\n2,\0\n", "items.csv: line 3 holds a NUL byte, so it is not text"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str | bytes, message: str) -> None:
    refused(fill(tmp_path, items=text), message)


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        (
            "quality",
            "1.2",
            "column 'quality': 1.2 is not from 0 to 1; correct it or leave it empty",
        ),
        ("quality", "-0.1", "column 'quality': -0.1 is not from 0 to 1"),
        ("quality", "nan", "column 'quality': 'nan' is not a finite number; leave unknown ones"),
        ("minutes", "inf", "column 'minutes': 'inf' is not a finite number"),
        ("minutes", "-3", "column 'minutes': -3 is not of 0 or more"),
        ("minutes", "long", "column 'minutes': 'long' is not a number; write it as in 0.5"),
        ("year", "1999.5", "column 'year': 1999.5 is not a whole number; round it"),
        ("year", "99999", "column 'year': 99999 is not from -5000 to 3000"),
    ],
)
def test_bad_numbers_of_items(tmp_path: Path, column: str, cell: str, message: str) -> None:
    fill(tmp_path, items=f"id,title,{column}\n1,A,\n2,B,{cell}\n")
    refused(tmp_path, f"{tmp_path / 'items.csv'}: line 3, {message}")


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("age", "200", "column 'age': 200 is not from 0 to 130"),
        ("critic", "7", "column 'critic': 7 is not from 0 to 1"),
        ("activity", "0", "column 'activity': 0 is not from 1e-06 to 1e+06"),
        ("activity", "NaN", "column 'activity': 'NaN' is not a finite number"),
        (
            "features",
            "Critik",
            "column 'features': habit 'critik' is unknown (did you mean 'critic'?)",
        ),
    ],
)
def test_bad_cells_of_people(tmp_path: Path, column: str, cell: str, message: str) -> None:
    fill(tmp_path, items=ITEMS, people=f"id,{column}\na,{cell}\n")
    refused(tmp_path, f"{tmp_path / 'people.csv'}: line 2, {message}")


def test_two_people_may_not_share_an_id(whole: Path) -> None:
    fill(whole, people="id\na\nb\na\n")
    refused(whole, "people.csv: line 4, column 'id': 'a' is already in line 2; ids must differ")


def test_more_people_than_there_are(whole: Path) -> None:
    refused(whole, "people.csv: has 3 people and 4 were requested; ask for at most 3", 4)
    refused(whole, "0 people were requested; ask for at least one", 0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "anna,zoe,,,",
            "column 'to': 'zoe' is not in people.csv; add it there or delete this line",
        ),
        ("zoe,anna,,,", "column 'from': 'zoe' is not in people.csv"),
        ("cy,cy,,,", "column 'to': 'cy' is tied to itself; delete the line"),
        ("anna,bo,,,", "column 'to': repeats the tie of line 2; delete one of the two"),
        ("anna,cy,,1.01,", "column 'closeness': 1.01 is not from 0 to 1"),
        ("anna,cy,,inf,", "column 'closeness': 'inf' is not a finite number"),
        ("anna,cy,,,two", "column 'direction': 'two' is neither 'one' nor 'both'"),
        ("anna,,,,", "column 'to': is empty; every line needs one to"),
    ],
)
def test_bad_ties(whole: Path, line: str, message: str) -> None:
    fill(whole, ties=f"{TIES}{line}\n")
    refused(whole, f"{whole / 'ties.csv'}: line 4, {message}")


def test_a_tie_has_at_most_so_many_kinds(tmp_path: Path) -> None:
    people = "id\n" + "".join(f"p{place}\n" for place in range(300))
    lines = "".join(f"p{place},p{place + 1},kind {place}\n" for place in range(299))
    fill(tmp_path, items=ITEMS, people=people, ties=f"from,to,kind\n{lines}")
    refused(tmp_path, "column 'kind': there are more than 256 kinds; merge some")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("zoe,g1,,,", "column 'person': 'zoe' is not in people.csv"),
        ("bo,g9,,,", "column 'item': 'g9' is not in items.csv"),
        ("bo,g1,,2,", "column 'fraction': 2 is not from 0 to 1"),
        ("bo,g1,,,6", "column 'stars': 6 is not from 1 to 5"),
        ("bo,g1,,,3.5", "column 'stars': 3.5 is not a whole number; round it"),
        ("bo,g1,soon,,", "column 'at': 'soon' is not a moment; write seconds since 1970 or a date"),
    ],
)
def test_bad_interactions(whole: Path, line: str, message: str) -> None:
    fill(whole, interactions=f"{INTERACTIONS}{line}\n")
    refused(whole, f"{whole / 'interactions.csv'}: line 5, {message}")


@pytest.mark.parametrize("name", ["ties", "interactions"])
def test_ties_and_interactions_need_people(tmp_path: Path, name: str) -> None:
    fill(tmp_path, items=ITEMS, **{name: {"ties": TIES, "interactions": INTERACTIONS}[name]})
    refused(
        tmp_path, f"{name}.csv names people but people.csv does not exist; write it with at least"
    )


def test_a_folder_can_be_halved_so_that_minds_know_other_people(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(9)]
    people = "id\n" + "".join(f"{name}\n" for name in names)
    lived = "".join(f"{name},g{1 + place % 3},{place},,4\n" for place, name in enumerate(names))
    ties = "".join(f"{one},{other}\n" for one, other in pairwise(names))
    fill(
        tmp_path,
        items=ITEMS,
        people=people,
        ties=f"from,to\n{ties}",
        interactions=f"person,item,at,fraction,stars\n{lived}",
    )
    made = Folder(tmp_path, apart=True).genesis(4, 1, CLOCK)
    mine = [who.key for who in made.profiles]
    assert [who.id for who in made.profiles] == [0, 1, 2, 3]
    assert len(made.past) == 4
    assert len(made.others) == 5
    assert {names[past.at] for past in made.others}.isdisjoint(mine)
    assert [names[past.at] for past in made.past] == [mine[past.agent] for past in made.past]
    graph = SocialGraph(made.ties)
    for who in range(4):
        for other in graph.neighbours(who):
            assert abs(names.index(mine[who]) - names.index(mine[other])) == 1
    again = Folder(tmp_path, apart=True).genesis(4, 2, CLOCK)
    assert [who.key for who in again.profiles] != mine
    with pytest.raises(BadInput, match="has 4 people in the half that may be served and 5 were"):
        Folder(tmp_path, apart=True).genesis(5, 1, CLOCK)


def test_who_cannot_be_halved_is_told(tmp_path: Path) -> None:
    fill(tmp_path, items=ITEMS, people=PEOPLE)
    with pytest.raises(BadInput, match="3 people with 0 interactions, who cannot be halved"):
        Folder(tmp_path, apart=True).genesis(1, 1, CLOCK)
