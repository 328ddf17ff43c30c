from __future__ import annotations

from audience.lab.probing.town import Town, dressed, invented, listed
from audience.world import Item, mentioned, same

MATRIX = Item(3, "The Matrix", tags=("Action", "Sci-Fi"), year=1999, key="2571")


def test_the_same_title_is_known_in_any_dress() -> None:
    ways = ("The Matrix", "matrix, the (1999)", "Matrix", "THE MATRIX!", " the  matrix ")
    assert {same(one) for one in ways} == {"matrix"}
    assert same("Amélie & Me") == same("Amelie and me")
    assert same("Matrix Reloaded") != same("Matrix")
    assert same("1984") == "1984"


def test_titles_are_found_in_angle_brackets_only() -> None:
    text = "I loved <Heat> and <heat (1995)>, not <title> or Casablanca. <Heat>"
    assert mentioned(text) == ["Heat", "heat (1995)"]


def test_a_line_is_as_the_file_has_it() -> None:
    assert listed(MATRIX) == "2571::Matrix, The (1999)::Action|Sci-Fi"


def test_a_hidden_or_invented_title_tells_nothing_of_the_real_one(town: Town) -> None:
    assert dressed(MATRIX, "real", 1, "film") == "<The Matrix>"
    assert dressed(MATRIX, "masked", 1, "film") == "<film 4>"
    made_up = dressed(MATRIX, "invented", 1, "film")
    assert made_up == f"<{invented(MATRIX, 1)}>"
    assert "Matrix" not in made_up
    real = {same(item.title) for item in town.genesis.catalogue.items}
    assert not real & {same(invented(item, 1)) for item in town.genesis.catalogue.items}
