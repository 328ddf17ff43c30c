from __future__ import annotations

import pytest

from audience.datasets.people import TagWords

MOVIELENS = (
    "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama",
    "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War",
    "Western",
)  # fmt: skip


@pytest.mark.parametrize(
    ("interest", "genres"),
    [
        ("sci-fi movies", ("Sci-Fi",)),
        ("Science fiction", ("Sci-Fi",)),
        ("romantic movies", ("Romance",)),
        ("documentaries", ("Documentary",)),
        ("family-friendly films", ("Children's",)),
        ("children’s films", ("Children's",)),
        ("romantic comedies", ("Romance", "Comedy")),
        ("rom-coms", ("Romance", "Comedy")),
        ("action/adventure", ("Action", "Adventure")),
        ("action-comedy", ("Action", "Comedy")),
        ("90s thrillers", ("Thriller",)),
        ("animated", ("Animation",)),
        ("film noir", ("Film-Noir",)),
        ("westerns", ("Western",)),
        ("wars", ("War",)),
        ("war movies", ("War",)),
        ("classic movies", ()),
        ("warm stories", ()),
        ("knitting", ()),
        ("movies", ()),
        ("", ()),
    ],
)
def test_an_interest_in_words_means_genres(interest: str, genres: tuple[str, ...]) -> None:
    assert TagWords(MOVIELENS).tags_of(interest) == genres


def test_synonyms_are_those_of_the_catalogue() -> None:
    assert TagWords(("Family", "Science Fiction")).tags_of("kids") == ("Family",)
    assert TagWords(("Family", "Science Fiction")).tags_of("sci-fi") == ("Science Fiction",)
    assert TagWords(("Poetry",)).tags_of("kids") == ()
