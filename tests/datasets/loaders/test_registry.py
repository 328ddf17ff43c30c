from __future__ import annotations

from pathlib import Path

import pytest
from tests.datasets import files as f

from audience.datasets.loaders import MovieLens, options_for, public, recognise
from audience.datasets.loaders.download_list import root_folder
from audience.errors import BadInput


def test_each_layout_is_recognised(tmp_path: Path) -> None:
    layouts = {
        "MovieLens 100K": f.ML_100K,
        "MovieLens 1M": f.ML_1M,
        "MovieLens": f.ML_CSV,
        "MovieLens 1M, positions only": f.POSITIONS,
        "RecBole atomic files": f.ATOMIC,
        "RecAgent's files": f.RECAGENT,
        "HetRec Last.fm": f.LASTFM,
        "Steam reviews": {"steam_reviews.json": f.STEAM},
        "Amazon reviews": {"Beauty.jsonl": f.lines(f.AMAZON_2023)},
        "one table of interactions": {"log.csv": "user,item\na,b\nc,b\n"},
    }
    for number, (what, files) in enumerate(layouts.items()):
        for path in (
            f.write(tmp_path / str(number), files),
            f.packed(tmp_path / f"{number}.zip", files, inside="inner/"),
        ):
            found = recognise(path)
            assert found.what == what
            assert len(found.make(path).corpus().people) >= 2


def test_what_is_not_recognised_says_what_was_looked_for(tmp_path: Path) -> None:
    f.write(tmp_path, {"notes.txt": "hello"})
    with pytest.raises(BadInput, match=r"Looked for: .*u\.data.*\*\.inter.*Found: notes\.txt"):
        recognise(tmp_path)


def test_a_path_or_a_name_becomes_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert options_for("films") == "films"
    f.packed(tmp_path / "a.zip", f.ML_1M, "latin-1")
    assert options_for("a.zip") == {"kind": "movielens", "path": "a.zip"}
    f.write(tmp_path / "mine", {"items.csv": "id,title\n1,A\n"})
    assert options_for("mine") == {"kind": "folder", "path": "mine"}
    with pytest.raises(BadInput, match=r"'ml-1m' is not here yet; audience data get ml-1m"):
        options_for("ml-1m")
    f.write(root_folder() / "ml-1m" / "ml-1m", f.ML_1M, "latin-1")
    assert options_for("ml-1m") == {"kind": "public", "name": "ml-1m"}
    assert isinstance(public("ml-1m", sample=True), MovieLens)
    with pytest.raises(BadInput, match=r"--data ml-2m: there is no such .*mean 'ml-25m'"):
        options_for("ml-2m")
