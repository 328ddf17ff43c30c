"""The files of a dataset: in a folder, in a zip archive, or a single file."""

from __future__ import annotations

import gzip
import io
import math
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from audience.errors import BadInput
from audience.files import check_regular

BLOCK = 1 << 22
"""Bytes read at once."""
LONGEST = 1 << 24
"""Maximum bytes of a line: an archive may contain an endless one."""
_RATIO = 100
"""How many times its own size a compressed table may have; texts have 3 to 20."""
_HARMLESS = 50_000_000
"""Bytes that may be unpacked from however little."""
_DEPTH = 3
_MOST = 5_000
BROKEN = (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile)
"""What reading raises when a compressed file is cut or damaged."""


class Source:
    """Files by their base name; `x.gz` is also found, and read, as `x`."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        check_regular(self.path)
        self._zip = zipped(self.path) if self.path.suffix == ".zip" else None
        if not self.path.exists():
            raise BadInput(f"{self.path} does not exist; give a folder, an archive or a file")
        self.names = tuple(sorted(self._listed(), key=lambda name: (name.count("/"), name)))
        """Paths inside, the shallowest first."""

    def _listed(self) -> list[str]:
        if self._zip is not None:
            return [one.filename for one in self._zip.infolist() if not one.is_dir()]
        if self.path.is_file():
            return [self.path.name]
        names: list[str] = []
        for place in _below(self.path, _DEPTH):
            names.append(place.relative_to(self.path).as_posix())
            if len(names) > _MOST:
                raise BadInput(
                    f"{self.path} holds more than {_MOST} files; give the folder of the dataset"
                )
        return names

    def find(self, name: str) -> str | None:
        """Return the path of a file inside, or nothing where there is none of this name."""
        spellings = {name.lower(), f"{name.lower()}.gz"}
        matches = [one for one in self.names if PurePosixPath(one).name.lower() in spellings]
        if len(matches) > 1 and matches[0].count("/") == matches[1].count("/"):
            raise BadInput(
                f"{self.path} holds both {matches[0]} and {matches[1]}; give the folder of one"
            )
        return matches[0] if matches else None

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def ending(self, *ends: str) -> tuple[str, ...]:
        """Return the files whose names, without .gz, end so."""
        return tuple(name for name in self.names if name.lower().removesuffix(".gz").endswith(ends))

    def shown(self, name: str) -> str:
        """Return the name of a file for messages."""
        inside = self.find(name) or name
        return str(self.path) if self.path.is_file() and not self._zip else f"{self.path}/{inside}"

    def open(self, name: str) -> IO[bytes]:
        """Open a file for reading; raise `BadInput` if that fails."""
        inside = name if name in self.names else self.find(name)
        if inside is None:
            raise BadInput(f"{self.path}: {name} is missing; it belongs to this dataset")
        packed = inside.lower().endswith(".gz")
        try:
            if self._zip is not None:
                member = self._zip.open(inside)
                return cast("IO[bytes]", gzip.GzipFile(fileobj=member)) if packed else member
            place = self.path if self.path.is_file() else self.path / inside
            return cast("IO[bytes]", gzip.open(place)) if packed else place.open("rb")
        except (*BROKEN, OSError, RuntimeError, NotImplementedError) as error:
            raise BadInput(f"{self.shown(name)} cannot be read: {error}; get it again") from None

    def blocks(self, name: str) -> Iterator[tuple[int, list[bytes]]]:
        """Yield whole lines without their ends, many at once, with the first one's number."""
        line, rest, where, size = 1, b"", self.shown(name), 0
        most = self._most(name)
        with self.open(name) as file:
            while True:
                try:
                    piece = file.read(BLOCK)
                    size += len(piece)
                except (*BROKEN, OSError) as error:
                    raise BadInput(
                        f"{where}: ends early or is damaged after line {line - 1} ({error}); "
                        "get it again"
                    ) from None
                if not piece:
                    break
                if size > most:
                    raise _bomb(where, size)
                whole, newline, rest = (rest + piece).rpartition(b"\n")
                if newline:
                    lines = whole.replace(b"\r\n", b"\n").split(b"\n")
                    yield line, lines
                    line += len(lines)
                elif len(rest) > LONGEST:
                    raise BadInput(f"{where}: line {line} is longer than {LONGEST >> 20} MB")
        if rest:
            yield line, [rest.removesuffix(b"\r")]

    def _most(self, name: str) -> float:
        """Return how many bytes a compressed file may hold: far more is no table."""
        inside = name if name in self.names else self.find(name)
        if inside is None or not inside.lower().endswith(".gz"):
            return math.inf
        if self._zip is not None:
            packed = self._zip.getinfo(inside).file_size
        else:
            place = self.path if self.path.is_file() else self.path / inside
            packed = place.stat().st_size
        return max(_HARMLESS, packed * _RATIO)


def unpacked(path: Path, packed: bytes) -> bytes:
    """Return what gzip packed; raise BadInput if that is far more than a table has."""
    most = max(_HARMLESS, len(packed) * _RATIO)
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        whole = file.read(most + 1)
    if len(whole) > most:
        raise _bomb(path, len(whole))
    return whole


def _bomb(where: object, size: int) -> BadInput:
    return BadInput(
        f"{where}: it holds {size / 1e6:,.0f} MB or more, over {_RATIO} times its own size, as no "
        "table does; unpack it and give the folder if you trust it"
    )


def zipped(path: Path) -> zipfile.ZipFile:
    """Return an archive whose names are all safe; raise if one is not."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; give a folder, an archive or a file") from None
    except (zipfile.BadZipFile, OSError) as error:
        raise BadInput(f"{path} is not a whole zip archive ({error}); download it again") from None
    for one in archive.infolist():
        check_name(path, one)
    size = sum(one.file_size for one in archive.infolist())
    if size > max(_HARMLESS, path.stat().st_size * _RATIO):
        archive.close()
        raise _bomb(path, size)
    return archive


def check_name(path: Path, one: zipfile.ZipInfo) -> None:
    """Refuse a member that is a link or would be unpacked outside the folder."""
    parts = PurePosixPath(one.filename.replace("\\", "/"))
    outside = parts.is_absolute() or ".." in parts.parts or ":" in one.filename.partition("/")[0]
    if outside or "\0" in one.filename:
        raise BadInput(
            f"{path}: {one.filename!r} would lie outside the archive's folder; do not trust this "
            "archive, get it from its publisher"
        )
    if stat.S_ISLNK(one.external_attr >> 16):
        raise BadInput(f"{path}: {one.filename!r} is a link; get the archive from its publisher")


def _below(folder: Path, depth: int) -> Iterator[Path]:
    for place in sorted(folder.iterdir()):
        if place.is_file():
            yield place
        elif depth > 1 and place.is_dir() and not place.is_symlink():
            yield from _below(place, depth - 1)
