"""The datasets that are read from files, and how a path is recognised as one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from audience.datasets.aligned import Loaded
from audience.datasets.corpus import Corpus
from audience.datasets.loaders.download_list import PUBLIC, folder_of
from audience.datasets.loaders.folder import is_own
from audience.datasets.loaders.lastfm import FILES as LASTFM, read_lastfm
from audience.datasets.loaders.movielens import LAYOUTS, layout_of, read_movielens
from audience.datasets.loaders.recagent import find_recagent, read_recagent
from audience.datasets.loaders.reviews import read_amazon, read_steam
from audience.datasets.loaders.tables import read_atomic, read_mapped
from audience.datasets.source import Source
from audience.errors import BadInput, unknown
from audience.outside import DatasetName
from audience.plugins import known


class MovieLens(Loaded):
    """MovieLens 100K, 1M, 25M or latest as published: an archive or a folder."""

    reads: ClassVar[Callable[..., Corpus]] = read_movielens


class Atomic(Loaded):
    """RecBole's atomic files of any dataset: .inter, and .item, .user, .net if present."""

    reads: ClassVar[Callable[..., Corpus]] = read_atomic


class RecAgentFiles(Loaded):
    """RecAgent's item.csv, user_1000.csv, relationship_1000.csv and interaction.csv."""

    reads: ClassVar[Callable[..., Corpus]] = read_recagent


class Amazon(Loaded):
    """Amazon reviews of 2018 or 2023, one JSON object a line, with a meta file if present."""

    reads: ClassVar[Callable[..., Corpus]] = read_amazon


class Steam(Loaded):
    """Steam reviews as published (steam_reviews.json.gz), with steam_games.json.gz if present."""

    reads: ClassVar[Callable[..., Corpus]] = read_steam


class LastFm(Loaded):
    """HetRec 2011 Last.fm: artists, how often each is played, and friends."""

    reads: ClassVar[Callable[..., Corpus]] = read_lastfm


class MappedTables(Loaded):
    """Interactions in a CSV file of any columns, with a mapping of the columns."""

    reads: ClassVar[Callable[..., Corpus]] = read_mapped


class RecognisedDataset(msgspec.Struct, frozen=True):
    """The dataset at a path."""

    kind: str
    """The kind that a scenario names."""
    make: type[Loaded]
    what: str


KINDS: dict[str, type[Loaded]] = {
    "movielens": MovieLens,
    "recbole": Atomic,
    "recagent": RecAgentFiles,
    "amazon": Amazon,
    "steam": Steam,
    "lastfm": LastFm,
    "csv": MappedTables,
}


def recognise(path: str | Path) -> RecognisedDataset:
    """Return the kind of dataset at a path; raise with what was looked for."""
    source = Source(path)
    kind, what = _kind(source) or ("", "")
    if kind:
        return RecognisedDataset(kind, KINDS[kind], what)
    layouts = "; ".join(f"{name} ({', '.join(files)})" for name, files in LAYOUTS.items())
    seen = ", ".join(source.names[:6]) or "nothing"
    raise BadInput(
        f"{path} is not a known dataset. Looked for: items.csv of your own; {layouts}; "
        f"RecBole (*.inter); RecAgent (item.csv, user*.csv); Last.fm ({', '.join(LASTFM)}); Steam "
        "(steam_reviews.json.gz); Amazon (*.json.gz, *.jsonl.gz); one CSV file with columns for "
        f"user and item. Found: {seen}. Other tables: [dataset] kind = 'csv' with their columns"
    )


def options_for(wanted: str) -> str | dict[str, str]:
    """Return the `dataset` of a scenario for a path or a name, as `--data` takes them.

    A kind goes before a path, a path before a published dataset of the same name.
    """
    kinds = known("datasets")
    if wanted in kinds:
        return wanted
    if Path(wanted).exists():
        if is_own(Path(wanted)):
            return {"kind": "folder", "path": wanted}
        return {"kind": recognise(wanted).kind, "path": wanted}
    names = [one.name for one in PUBLIC]
    if wanted not in names:
        raise BadInput(
            f"--data {wanted}: there is no such folder, and "
            f"{unknown('dataset', wanted, [*kinds, *names])}"
        )
    folder_of(wanted)
    return {"kind": "public", "name": wanted}


def public(name: DatasetName, **options: Any) -> Loaded:  # noqa: ANN401
    """Return a published dataset by its name, after `audience data get NAME`."""
    place = folder_of(name)
    return recognise(place).make(place, **options)


def _kind(source: Source) -> tuple[str, str] | None:
    layout = layout_of(source)
    if layout:
        return "movielens", layout
    if source.ending(".inter"):
        return "recbole", "RecBole atomic files"
    if find_recagent(source):
        return "recagent", "RecAgent's files"
    if all(name in source for name in LASTFM):
        return "lastfm", "HetRec Last.fm"
    lines = source.ending(".json", ".jsonl")
    if any("steam_reviews" in name for name in lines):
        return "steam", "Steam reviews"
    if lines:
        return "amazon", "Amazon reviews"
    if len(source.ending(".csv", ".tsv")) == 1:
        return "csv", "one table of interactions"
    return None
