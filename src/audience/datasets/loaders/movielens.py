"""MovieLens in all its layouts, with titles as people say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np

from audience.datasets.corpus import Corpus
from audience.datasets.loaders.blocks import Block, Gathering, TableFormat, table_blocks
from audience.datasets.source import Source
from audience.errors import BadInput
from audience.world import Domain, Item, Profile

_YEAR = re.compile(r"\s*\((\d{4})(?:[-–]\d{0,4})?\)\s*$")
_ARTICLE = re.compile(
    r"^(.*?), (The|A|An|Les|Le|La|L'|Il|I|Lo|Gli|Der|Die|Das|El|Los|Las|De|Det|Den|Het|O|Os)"
    r"((?: \(.*\))?)$"
)


def title_of(text: str) -> tuple[str, int | None]:
    """Return title and year of a name such as `Matrix, The (1999)`."""
    match = _YEAR.search(text)
    title = text[: match.start()] if match else text.strip()
    year = int(match[1]) if match else None
    return article_first(title), year


def article_first(title: str) -> str:
    """Return a title as people say it: `The Matrix` for `Matrix, The`."""
    moved = _ARTICLE.match(title)
    if not moved:
        return title
    gap = "" if moved[2].endswith("'") else " "
    return f"{moved[2]}{gap}{moved[1]}{moved[3]}"


FILMS = Domain("film", "films", "watched")
_GENDERS = {"F": "female", "M": "male"}
_GENRES_100K = (
    *("unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime"),
    *("Documentary", "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance"),
    *("Sci-Fi", "Thriller", "War", "Western"),
)
_AGES_1M = {1: 15, 18: 21, 25: 30, 35: 40, 45: 47, 50: 53, 56: 62}
"""The middle of each age group that users.dat names by its lower end."""
_JOBS_1M = (
    *("other", "academic/educator", "artist", "clerical/admin", "college/grad student"),
    *("customer service", "doctor/health care", "executive/managerial", "farmer", "homemaker"),
    *("K-12 student", "lawyer", "programmer", "retired", "sales/marketing", "scientist"),
    *("self-employed", "technician/engineer", "tradesman/craftsman", "unemployed", "writer"),
)
_FILM = ("id", "title", "genres")
_ITEM_100K = ("id", "title", "released", "video", "url", *(f"genre {n}" for n in range(19)))
LAYOUTS = {
    "MovieLens 100K": ("u.data", "u.item", "u.user"),
    "MovieLens 1M": ("ratings.dat", "movies.dat", "users.dat"),
    "MovieLens 1M, positions only": ("interactions.csv", "movies.dat", "users.dat"),
    "MovieLens": ("ratings.csv", "movies.csv"),
}
"""The files that make a layout, by its name."""


def layout_of(source: Source) -> str | None:
    """Return which layout the files are in, or None if they are in none."""
    layouts = (name for name, files in LAYOUTS.items() if all(file in source for file in files))
    return next(layouts, None)


def read_movielens(source: Source) -> Corpus:
    """Return MovieLens from a folder or an archive, whichever of its layouts it is in.

    A copy of 1M that has positions instead of ratings and timestamps loads too: its timestamps are
    invented so that each person's order is kept, and the corpus is not `dated`.
    """
    layout = layout_of(source)
    if layout is None:
        layouts = "; ".join(", ".join(files) for files in LAYOUTS.values())
        raise BadInput(f"{source.path} is not MovieLens; it should hold one of: {layouts}")
    return {"MovieLens 100K": _read_100k, "MovieLens": _read_csv}.get(layout, _read_dat)(source)


def _read_100k(source: Source) -> Corpus:
    gathering = Gathering(source.shown("u.data"), best=5.0)
    rows = chain.from_iterable(map(_films_100k, _blocks(source, "u.item", "|", _ITEM_100K)))
    films = gathering.number_items(rows, source.shown("u.item"))
    header = ("id", "age", "gender", "career", "zip")
    everybody = chain.from_iterable(map(_people_100k, _blocks(source, "u.user", "|", header)))
    people = gathering.number_people(everybody, source.shown("u.user"))
    for block in _blocks(source, "u.data", "\t", ("user", "item", "rating", "time")):
        _add(gathering, block, 1.0)
    return gathering.corpus("MovieLens 100K", films, people, FILMS)


def _read_dat(source: Source) -> Corpus:
    rated = "ratings.dat" in source
    file = "ratings.dat" if rated else "interactions.csv"
    gathering = Gathering(source.shown(file), best=5.0)
    rows = chain.from_iterable(map(_films, _blocks(source, "movies.dat", "::", _FILM)))
    films = gathering.number_items(rows, source.shown("movies.dat"))
    header = ("id", "gender", "age", "career", "zip")
    everybody = chain.from_iterable(map(_people_1m, _blocks(source, "users.dat", "::", header)))
    people = gathering.number_people(everybody, source.shown("users.dat"))
    if rated:
        for block in _blocks(source, file, "::", ("user", "item", "rating", "time")):
            _add(gathering, block, 1.0)
        return gathering.corpus("MovieLens 1M", films, people, FILMS)
    _add_positions(gathering, source)
    return gathering.corpus("MovieLens 1M, positions only", films, people, FILMS)


def _read_csv(source: Source) -> Corpus:
    gathering = Gathering(source.shown("ratings.csv"), best=5.0)
    form = TableFormat(quoted=True)
    needed = ("movieid", "title", "genres")
    blocks = table_blocks(source, "movies.csv", form, needed)
    rows = chain.from_iterable(_films(_renamed(block, needed, _FILM)) for block in blocks)
    films = gathering.number_items(rows, source.shown("movies.csv"))
    rated = ("userid", "movieid", "rating", "timestamp")
    for block in table_blocks(source, "ratings.csv", TableFormat(), rated):
        _add(gathering, _renamed(block, rated, ("user", "item", "rating", "time")), 0.5)
    return gathering.corpus("MovieLens", films, (), FILMS)


def _blocks(source: Source, name: str, separator: str, header: tuple[str, ...]) -> Iterator[Block]:
    form = TableFormat(separator, "latin-1", header=header)
    return table_blocks(source, name, form, header)


def _renamed(block: Block, old: tuple[str, ...], new: tuple[str, ...]) -> Block:
    columns = {name: block.columns[was] for was, name in zip(old, new, strict=True)}
    return Block(block.where, block.line, columns, block.lines)


def _add(gathering: Gathering, block: Block, least: float) -> None:
    gathering.add(
        block,
        block.keys("user"),
        block.keys("item"),
        at=block.moments("time"),
        ratings=block.numbers("rating", low=least, high=5.0),
    )


def _add_positions(gathering: Gathering, source: Source) -> None:
    needed = ("user_id", "movie_id", "position")
    for block in table_blocks(source, "interactions.csv", TableFormat(), needed):
        position = block.numbers("position", low=0.0).astype(np.int64)
        gathering.add(block, block.keys("user_id"), block.keys("movie_id"), at=position)
    gathering.dated = False


def _films(block: Block) -> Iterator[Item]:
    genres = block.columns["genres"]
    for row, (key, text) in enumerate(zip(block.keys("id"), block.columns["title"], strict=True)):
        title, year = title_of(text)
        tags = tuple(tag for tag in genres[row].strip().split("|") if tag and tag[0] != "(")
        yield Item(row, title or key, tags=tuple(dict.fromkeys(tags)), year=year, key=key)


def _films_100k(block: Block) -> Iterator[Item]:
    flags = [block.columns[f"genre {n}"] for n in range(19)]
    for row, (key, text) in enumerate(zip(block.keys("id"), block.columns["title"], strict=True)):
        title, year = title_of(text)
        tags = (genre for genre, flag in zip(_GENRES_100K, flags, strict=True) if flag[row] == "1")
        kept = tuple(tag for tag in tags if tag != "unknown")
        yield Item(row, title or key, tags=kept, year=year, key=key)


def _people_100k(block: Block) -> Iterator[Profile]:
    ages = block.numbers("age", low=0, high=130).astype(np.int64).tolist()
    genders, careers = block.columns["gender"], block.columns["career"]
    for row, key in enumerate(block.keys("id")):
        gender = _GENDERS.get(genders[row], "")
        career = careers[row] if careers[row] not in ("other", "none") else ""
        yield Profile(row, gender=gender, age=ages[row], career=career, key=key)


def _people_1m(block: Block) -> Iterator[Profile]:
    ages = block.numbers("age", low=0, high=130).astype(np.int64).tolist()
    jobs = block.numbers("career", low=0, high=len(_JOBS_1M) - 1).astype(np.int64).tolist()
    genders = block.columns["gender"]
    for row, key in enumerate(block.keys("id")):
        career = _JOBS_1M[jobs[row]] if jobs[row] else ""
        age = _AGES_1M.get(ages[row], ages[row])
        yield Profile(row, gender=_GENDERS.get(genders[row], ""), age=age, career=career, key=key)
