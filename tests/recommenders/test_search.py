from __future__ import annotations

from collections.abc import Sequence

from audience.recommenders import ItemSearch, search_in
from audience.recommenders.content import words
from audience.world import Catalogue, Item

ITEMS = (
    Item(0, "The Winter Harbour", "A keeper waits for spring.", ("Drama",)),
    Item(1, "Harbour Lights", "Winter comes to a small port.", ("Mystery",)),
    Item(2, "Spring", "Two sisters open a bakery.", ("Comedy", "Drama")),
    Item(3, "Der Räuber", "Ein Mann läuft davon.", ("Drama",)),
)
SEARCH = ItemSearch(Catalogue(ITEMS))


def test_a_title_counts_more_than_a_tag_and_a_tag_more_than_a_description() -> None:
    assert SEARCH.find("spring", 5) == (2, 0)
    assert SEARCH.find("winter", 5) == (0, 1)


def test_a_whole_title_finds_its_item_first() -> None:
    for item in ITEMS:
        assert SEARCH.find(item.title, 5)[0] == item.id


def test_case_and_punctuation_do_not_matter_and_letters_of_any_language_count() -> None:
    assert SEARCH.find("  hArBoUr, LIGHTS!", 1) == (1,)
    assert SEARCH.find("räuber", 5) == (3,)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert SEARCH.find("drama comedy", 4)[0] == 2


def test_misspelt_titles_are_found() -> None:
    for query in ("harbor lights", "The Wintr Harbuor", "raeuber", "harbourlights", "har bour"):
        assert SEARCH.find(query, 1)[0] == {"T": 0, "r": 3}.get(query[0], 1), query


def test_an_unknown_title_brings_its_neighbours() -> None:
    assert SEARCH.find("Winterreise", 5) == (0, 1)
    assert SEARCH.find("Springtime", 1) == (2,)


def meanings(texts: Sequence[str]) -> list[list[float]]:
    """Stand in for an embedder: one direction for water, one for bread."""
    water, bread = ("harbour", "port", "ocean", "sea"), ("bakery", "bread", "cake")
    lowered = [text.lower() for text in texts]
    return [
        [0.1, sum(word in text for word in water), sum(word in text for word in bread)]
        for text in lowered
    ]


def test_meaning_finds_what_words_do_not() -> None:
    search = ItemSearch(Catalogue(ITEMS), meanings)
    assert search.find("cake", 1) == (2,)
    assert set(search.find("ocean", 2)) == {0, 1}
    assert search.find("Der Räuber", 1) == (3,)
    assert search.find("", 3) == ()


def test_vectors_may_be_given() -> None:
    vectors = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert ItemSearch(Catalogue(ITEMS), meanings, vectors).find("cake", 1) == (3,)


def test_nothing_is_found_for_words_that_look_like_none() -> None:
    assert SEARCH.find("xyzzy", 5) == ()
    assert SEARCH.find("", 5) == ()


def test_no_more_than_asked_for() -> None:
    assert len(SEARCH.find("drama", 2)) == 2


def test_an_index_is_made_once_for_a_catalogue() -> None:
    catalogue = Catalogue(ITEMS)
    assert search_in(catalogue) is search_in(catalogue)
    more = catalogue.plus(Item(4, "Zebra"))
    assert search_in(more).find("zebra", 1) == (4,)
    assert 4 not in search_in(catalogue).find("zebra", 5)


def test_words_are_those_of_the_text() -> None:
    assert words("A day, a DAY: 2 days") == {"a", "day", "2", "days"}
