from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from audience.datasets.embedded import embedded_catalogue, embedded_rows
from audience.datasets.embedded.catalogue import drawn_quality, slug

NAMES = ("films", "books")


def test_films_span_a_century_and_many_genres() -> None:
    films = embedded_catalogue("films", 1)
    decades = Counter((item.year or 0) // 10 * 10 for item in films.items)
    assert len(films) >= 600
    assert sorted(decades) == list(range(1920, 2021, 10))
    assert min(decades.values()) >= 25
    assert len(films.tags) >= 18


def test_books_are_a_second_domain() -> None:
    books = embedded_catalogue("books", 1)
    assert len(books) >= 150
    assert len(books.tags) >= 12
    assert not {"film", "Noir"} & set(books.tags)


@pytest.mark.parametrize(("name", "most"), [("films", 0.35), ("books", 0.40)])
def test_genres_are_balanced(name: str, most: float) -> None:
    catalogue = embedded_catalogue(name, 1)
    counts = Counter(tag for item in catalogue.items for tag in item.tags)
    shares = {tag: count / len(catalogue) for tag, count in counts.items()}
    assert min(shares.values()) >= 0.04, shares
    assert max(shares.values()) <= most, shares


@pytest.mark.parametrize("name", NAMES)
def test_no_duplicates_and_no_empty_fields(name: str) -> None:
    items = embedded_catalogue(name, 1).items
    assert len({(item.title.casefold(), item.year) for item in items}) == len(items)
    assert len({item.key for item in items}) == len(items)
    assert len({item.about for item in items}) == len(items)
    for item in items:
        assert item.title.strip() == item.title != ""
        assert item.tags
        assert len(set(item.tags)) == len(item.tags) <= 4
        assert all(tag.strip() == tag != "" for tag in item.tags)
        assert item.minutes >= 40
        assert item.year is not None


@pytest.mark.parametrize("name", NAMES)
def test_each_item_is_told_in_one_sentence(name: str) -> None:
    for item in embedded_catalogue(name, 1).items:
        assert re.fullmatch(r"[^<>{}\"\t]+[.?]", item.about), item.about
        assert not re.search(r"[a-z][.?!] [A-Z]", item.about), item.about
        assert item.about[0].isupper() or item.about[0].isdigit()
        assert 8 <= len(item.about.split()) <= 27, item.about
        if len(item.title.split()) > 2:
            assert item.title.casefold() not in item.about.casefold()


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_sorted_by_year_then_title(name: str) -> None:
    places = [(int(year), title) for title, year, *_ in embedded_rows(name)]
    assert places == sorted(places)


def test_quality_is_a_draw_by_seed_and_key() -> None:
    first, again, other = (embedded_catalogue("films", seed) for seed in (1, 1, 2))
    assert first.items == again.items
    assert (first.quality != other.quality).mean() > 0.99
    assert first.quality.mean() == pytest.approx(4 / 7, abs=0.03)
    assert np.quantile(first.quality, 0.02) > 0.1
    alone = drawn_quality([first[10].key], 1)
    assert alone[0] == first[10].quality


@pytest.mark.parametrize(
    ("title", "year", "key"),
    [
        ("The Third Man", 1949, "the-third-man-1949"),
        ("8½", 1963, "8-half-1963"),
        ("Amélie", 2001, "amelie-2001"),
        ("What's Up, Doc?", 1972, "whats-up-doc-1972"),
        ("M", None, "m"),
    ],
)
def test_slug_can_be_read_and_typed(title: str, year: int | None, key: str) -> None:
    assert slug(title, year) == key
