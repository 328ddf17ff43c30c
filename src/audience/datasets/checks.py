"""What a dataset contains: `audience data check` and `audience data list`."""

from __future__ import annotations

import difflib
from pathlib import Path

import msgspec

from audience.datasets.builtin import Books, Films, RecSimTopics
from audience.datasets.corpus import SkippedLines
from audience.datasets.csv_table import COLUMNS, CsvTable
from audience.datasets.embedded import embedded_catalogue
from audience.datasets.loaders import (
    PUBLIC,
    Contents,
    Folder,
    Published,
    is_here,
    is_own,
    read_folder,
    recognise,
)
from audience.errors import BadInput
from audience.plugins import find, known


class Checked(msgspec.Struct, frozen=True):
    """What a folder contains, and warnings about it."""

    items: int
    people: int
    ties: int
    """Directed: a friendship is two."""
    interactions: int
    tags: int
    warnings: tuple[str, ...]
    what: str = "your own tables"
    skipped: tuple[SkippedLines, ...] = ()
    """Lines that were left out, by reason."""


class Listed(msgspec.Struct, frozen=True):
    """A dataset by the name that `--data` takes."""

    name: str
    what: str
    items: int | None = None
    tags: int | None = None
    state: str = ""
    """Of a published dataset: whether it is here, or how to get it."""

    @property
    def counts(self) -> str:
        """Its size in words, or its state; empty if that depends on your files."""
        return self.state if self.items is None else f"{self.items:,} items, {self.tags} tags"


def check(path: str | Path) -> Checked:
    """Return what a path contains; raise `BadInput` for a mistake in it."""
    place = Path(path)
    if place.exists() and not is_own(place):
        return _loaded(place)
    contents = read_folder(place)
    warnings = [note for table in contents.tables.values() for note in _column_notes(table)]
    warnings += [*_item_notes(contents), *_people_notes(contents)]
    return Checked(
        len(contents.items),
        len(contents.people or ()),
        len(contents.ties or ()),
        len(contents.past or ()),
        len({tag for item in contents.items for tag in item.tags}),
        tuple(warnings),
    )


def _loaded(place: Path) -> Checked:
    recognised_dataset = recognise(place)
    corpus = recognised_dataset.make(place).corpus()
    bare = sum(not item.tags for item in corpus.items)
    notes = [*corpus.notes]
    if bare:
        notes.append(f"{bare} of {len(corpus.items)} items have no tags")
    if not corpus.dated and len(corpus.lived):
        notes.append("there are no moments: only the order of each person's interactions is known")
    return Checked(
        len(corpus.items),
        len(corpus.people),
        0 if corpus.ties is None else len(corpus.ties.firsts),
        len(corpus.lived),
        len({tag for item in corpus.items for tag in item.tags}),
        tuple(notes),
        recognised_dataset.what,
        corpus.skipped,
    )


def listing() -> tuple[Listed, ...]:
    """Return every dataset, the built-in ones first."""
    topics = RecSimTopics()
    ours = (
        *(_embedded(name, what) for name, what in (("films", Films), ("books", Books))),
        Listed("folder", _first_line(Folder)),
        Listed("recsim", _first_line(RecSimTopics), topics.items, len(topics.tags)),
    )
    names = {listed.name for listed in ours}
    foreign = (
        Listed(name, _foreign(name)) for name in sorted(known("datasets")) if name not in names
    )
    return (*ours, *foreign, *(_published(one) for one in PUBLIC))


def _published(published: Published) -> Listed:
    state = "is here" if is_here(published.name) else f"audience data get {published.name}"
    return Listed(published.name, f"{published.what}", state=state)


def _embedded(name: str, dataset: type) -> Listed:
    catalogue = embedded_catalogue(name, 0)
    return Listed(name, _first_line(dataset), len(catalogue), len(catalogue.tags))


def _foreign(name: str) -> str:
    try:
        return _first_line(find("datasets", name))
    except BadInput as error:
        return str(error)


def _first_line(what: object) -> str:
    return (what.__doc__ or "").strip().partition("\n")[0]


def _column_notes(table: CsvTable) -> list[str]:
    columns = COLUMNS[Path(table.path).name]
    notes = []
    for column in table.columns:
        if column not in columns:
            near = difflib.get_close_matches(column, columns, n=1, cutoff=0.6)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            notes.append(f"{Path(table.path).name}: column {column!r} is not used{hint}")
    return notes


def _item_notes(contents: Contents) -> list[str]:
    bare = sum(not item.tags for item in contents.items)
    notes = [f"items.csv: {bare} of {len(contents.items)} items have no tags"] if bare else []
    titles = len(contents.items) - len({(item.title, item.year) for item in contents.items})
    if titles:
        notes.append(f"items.csv: {titles} items repeat the title and year of another")
    return notes


def _people_notes(contents: Contents) -> list[str]:
    if contents.people is None:
        return ["people.csv is missing: people will be drawn"]
    count = len(contents.people)
    notes = []
    bare = sum(not who.interests for who in contents.people)
    if bare:
        notes.append(f"people.csv: {bare} of {count} people have no interests")
    tags = {tag for item in contents.items for tag in item.tags}
    foreign = {interest for who in contents.people for interest in who.interests} - tags
    if foreign:
        some = ", ".join(repr(interest) for interest in sorted(foreign)[:5])
        notes.append(f"people.csv: {len(foreign)} interests are no item's tag, such as {some}")
    if contents.ties is None:
        return [*notes, "ties.csv is missing: ties will be drawn"]
    tied = {place for tie in contents.ties for place in (tie.first, tie.other)}
    if len(tied) < count:
        notes.append(f"ties.csv: {count - len(tied)} of {count} people have no ties")
    return notes
