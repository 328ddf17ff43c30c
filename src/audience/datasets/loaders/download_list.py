"""Datasets that their owners publish: where they are, and fetching them."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import msgspec

from audience.datasets.loaders.tables import installed_ml100k
from audience.datasets.source import BROKEN, zipped
from audience.errors import BadInput, unknown
from audience.files import Progress, download, kept_folder

_LENS = "https://files.grouplens.org/datasets"
_STEAM = "https://cseweb.ucsd.edu/~wckang"
_RATIO = 200
"""An archive that unpacks to more than so many times its size is refused."""
_MOST_FILES = 10_000


class File(msgspec.Struct, frozen=True):
    """A file to fetch."""

    url: str
    md5: str = ""
    """As its publisher gives it; empty: none is published, so it cannot be checked."""

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[-1]


class Published(msgspec.Struct, frozen=True):
    """A dataset that can be fetched."""

    name: str
    what: str
    page: str
    """Where its owners describe it and its terms."""
    files: tuple[File, ...]


PUBLIC = (
    Published(
        "ml-100k",
        "MovieLens 100K: 100,000 ratings of 1,682 films by 943 people, 1998.",
        "https://grouplens.org/datasets/movielens/100k/",
        (File(f"{_LENS}/movielens/ml-100k.zip", "0e33842e24a9c977be4e0107933c0723"),),
    ),
    Published(
        "ml-1m",
        "MovieLens 1M: 1,000,209 ratings of 3,883 films by 6,040 people, 2000 to 2003.",
        "https://grouplens.org/datasets/movielens/1m/",
        (File(f"{_LENS}/movielens/ml-1m.zip", "c4d9eecfca2ab87c1945afe126590906"),),
    ),
    Published(
        "ml-25m",
        "MovieLens 25M: 25 million ratings of 62,000 films by 162,000 people, to 2019.",
        "https://grouplens.org/datasets/movielens/25m/",
        (File(f"{_LENS}/movielens/ml-25m.zip", "6b51fb2759a8657d3bfcbfc42b592ada"),),
    ),
    Published(
        "ml-latest-small",
        "MovieLens latest, small: 100,000 ratings of 9,000 films by 600 people.",
        "https://grouplens.org/datasets/movielens/latest/",
        (File(f"{_LENS}/movielens/ml-latest-small.zip"),),
    ),
    Published(
        "hetrec-lastfm",
        "HetRec 2011 Last.fm: 92,834 listens of 1,892 people with 12,717 friendships.",
        "https://grouplens.org/datasets/hetrec-2011/",
        (File(f"{_LENS}/hetrec2011/hetrec2011-lastfm-2k.zip"),),
    ),
    Published(
        "steam-reviews",
        "Steam reviews: 7.8 million reviews of 15,000 games with hours of play (1.3 GB).",
        "https://cseweb.ucsd.edu/~jmcauley/datasets.html#steam_data",
        (File(f"{_STEAM}/steam_reviews.json.gz"), File(f"{_STEAM}/steam_games.json.gz")),
    ),
)


def root_folder() -> Path:
    """Return where fetched datasets are kept: XDG_CACHE_HOME or ~/.cache."""
    return kept_folder("datasets")


def published(name: str, known: tuple[Published, ...] = PUBLIC) -> Published:
    """Return a dataset by name; an unknown one names the nearest."""
    dataset = next((one for one in known if one.name == name), None)
    if dataset is None:
        raise unknown("published dataset", name, [one.name for one in known])
    return dataset


def is_here(name: str, root: Path | None = None) -> bool:
    """Return whether a published dataset was fetched, or is part of an installed package."""
    return _place(name, root) is not None


def folder_of(name: str, root: Path | None = None) -> Path:
    """Return the folder of a fetched dataset; raise BadInput if it is not here yet."""
    published(name)
    place = _place(name, root)
    if place is None:
        raise BadInput(f"dataset {name!r} is not here yet; audience data get {name}")
    return place


def _place(name: str, root: Path | None) -> Path | None:
    folder = (root or root_folder()) / name
    if folder.is_dir():
        return folder
    return installed_ml100k() if name == "ml-100k" else None


def fetch(
    name: str,
    progress: Progress | None = None,
    root: Path | None = None,
    known: tuple[Published, ...] = PUBLIC,
) -> Path:
    """Return the folder of a published dataset; fetch and unpack it if needed.

    What was fetched is kept; an interrupted download continues where it stopped.
    """
    dataset = published(name, known)
    folder = (root or root_folder()) / name
    if folder.is_dir():
        return folder
    coming = folder.with_name(f"{name}.coming")
    coming.mkdir(parents=True, exist_ok=True)
    for file in dataset.files:
        path = coming / file.name
        if not path.is_file():
            try:
                download(file.url, path, file.md5, progress=progress)
            except BadInput as error:
                raise BadInput(f"{error}. The dataset is described at {dataset.page}") from error
    whole = folder.with_name(f"{name}.unpacked")
    shutil.rmtree(whole, ignore_errors=True)
    whole.mkdir()
    for file in dataset.files:
        _settle(coming / file.name, whole)
    whole.replace(folder)
    shutil.rmtree(coming, ignore_errors=True)
    return folder


def _settle(path: Path, folder: Path) -> None:
    if path.suffix != ".zip":
        shutil.copyfile(path, folder / path.name)
        return
    try:
        unpack(path, folder)
    except BadInput:
        path.unlink()
        raise


def unpack(path: Path, folder: Path) -> None:
    """Unpack an archive into a folder; a harmful one is refused before anything is unpacked."""
    with zipped(path) as archive:
        members = [one for one in archive.infolist() if not one.is_dir()]
        size, most = sum(member.file_size for member in members), _RATIO * path.stat().st_size
        if size > most or len(members) > _MOST_FILES:
            raise BadInput(
                f"{path} would unpack to {size / 1e9:.1f} GB in {len(members)} files, far more "
                "than such an archive holds; get it from its publisher"
            )
        if shutil.disk_usage(folder).free < size:
            raise BadInput(f"{folder} has no room for {size / 1e9:.1f} GB; make some")
        for member in members:
            _extract(archive, member, path, folder)


def _extract(archive: zipfile.ZipFile, one: zipfile.ZipInfo, path: Path, folder: Path) -> None:
    place = folder / one.filename.replace("\\", "/")
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with archive.open(one) as packed, place.open("wb") as file:
            # The size that an archive states may be wrong: no more than that is read.
            left = one.file_size
            while piece := packed.read(min(1 << 20, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise BadInput(f"{path}: {one.filename!r} is longer than it says; refused")
                file.write(piece)
    except BROKEN as error:
        raise BadInput(
            f"{path}: {one.filename!r} is damaged ({error}); it was removed, get it again"
        ) from None
