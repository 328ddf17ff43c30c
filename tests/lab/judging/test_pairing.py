from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.lab.judging.sheets import walks, write

from audience.errors import BadInput
from audience.lab.judging.cases import (
    Made,
    Reference,
    References,
    SequenceFile,
    read_file,
    text_pairs,
    way_pairs,
)


def test_every_two_ways_for_each_number_of_steps(tmp_path: Path) -> None:
    found = read_file(write(tmp_path, "s.json", walks(30)), SequenceFile, "--sequences")
    made = list(way_pairs(found, 20, 1))
    assert len(made) == 2 * 20 * 3
    against = {frozenset((seal.first, seal.second)) for _, seal in made}
    assert against == {
        frozenset(("grounded", "recsim")),
        frozenset(("grounded", "truth")),
        frozenset(("recsim", "truth")),
    }
    assert {seal.table for _, seal in made} == {"N=5", "N=10"}


def test_sides_are_drawn_and_stars_do_not_give_them_away(tmp_path: Path) -> None:
    found = read_file(write(tmp_path, "s.json", walks(40)), SequenceFile, "--sequences")
    made = [
        (seen, seal)
        for seen, seal in way_pairs(found, 40, 1)
        if "truth" in (seal.first, seal.second)
    ]
    share = sum(seal.first == "truth" for _, seal in made) / len(made)
    assert 0.35 < share < 0.65
    for seen, seal in made:
        assert "stars" not in " ".join((*seen.first, *seen.second))
        real = seen.first if seal.first == "truth" else seen.second
        assert real[0] == "true 0"
        assert seen.lines == ("Before · Drama · 5 of 5 stars",)


def test_each_text_of_a_person_beside_the_agents() -> None:
    made = Made("T2", "3-7", "Ann.", ("One.", "Two."), "I understood.")
    found = References((Reference(made, {"bo": "I got it.", "cy": "Hm."}),))
    pairs = list(text_pairs(found, 1))
    assert {seal.author for _, seal in pairs} == {"bo", "cy"}
    for seen, seal in pairs:
        sides = {seal.first: seen.first, seal.second: seen.second}
        assert sides["agent"] == ("I understood.",)
        assert sides["person"] == ({"bo": "I got it.", "cy": "Hm."}[seal.author],)
        assert (seen.about, seen.lines) == ("T2", ("One.", "Two."))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not such a file"),
        (b'{"walks": [{"user": "x"}]}', "is not such a file"),
        (msgspec.json.encode(References(())), "is not such a file"),
        (b'{"walks": [], "format": "other"}', "its format is 'other'"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(BadInput, match=f"--sequences.*{message}"):
        read_file(tmp_path / "f", SequenceFile, "--sequences")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"--references .* cannot be read"):
        read_file(tmp_path / "none", References, "--references")
