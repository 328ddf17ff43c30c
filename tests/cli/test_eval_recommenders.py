from __future__ import annotations

import json
from pathlib import Path

import pytest

from audience.cli import main


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["eval", "recommenders", *arguments])
    out, err = capsys.readouterr()
    return int(str(ended.value.code)), out, err


def files(folder: Path) -> Path:
    """Write people who all end with the item that most have lived."""
    rows = ["person,item,at"]
    for person in range(12):
        rows += [f"p{person},i{1 + (person + step) % 9},2020-01-0{1 + step}" for step in range(3)]
        if person:
            rows.append(f"p{person},i0,2020-02-01")
    rows += ["p0,i0,2020-01-09", "p0,i7,2020-02-01"]
    (folder / "items.csv").write_text(
        "id,title\n" + "".join(f"i{n},Item {n}\n" for n in range(10)), "utf-8"
    )
    (folder / "people.csv").write_text("id\n" + "".join(f"p{n}\n" for n in range(12)), "utf-8")
    (folder / "interactions.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


def test_a_table_with_intervals_users_and_seed_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--data", str(files(tmp_path)), "--recommender", "popular,random", "--k", "3")
    code, out, _ = told(capsys, *given)
    assert code == 0
    for word in ("recall@3", "ndcg@3", "mrr@3", "coverage@3", "gini@3", "popular", "random", "±"):
        assert word in out
    assert "12 users, 10 items, 37 interactions learnt from, seed 1" in out


def test_json_holds_the_same_from_one_process_and_from_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--data", str(files(tmp_path)), "--recommender", "popular,ease", "--k", "10", "--json")
    code, out, _ = told(capsys, *given)
    found = json.loads(out.splitlines()[-1])
    assert json.loads(told(capsys, *given, "--workers", "2")[1].splitlines()[-1]) == found
    assert (code, found["users"], found["k"], found["seed"]) == (0, 12, 10, 1)
    one = found["recommenders"][0]
    assert one["values"]["recall"] == 1.0
    assert one["intervals"]["recall"] == [1.0, 1.0]


def test_mistakes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(files(tmp_path))
    code, _, err = told(capsys, "--data", folder, "--recommender", "populr")
    assert code == 2
    assert "recommender 'populr' is unknown (did you mean 'popular'?)" in err
    code, _, err = told(capsys, "--data", folder, "--recommender", "popular", "--k", "11")
    assert code == 2
    assert "k is 11; give 1 to 10" in err
    code, _, err = told(capsys, "--data", folder, "--recommender", " , ")
    assert code == 2
    assert "--recommender: is empty" in err
