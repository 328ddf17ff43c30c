"""Atomic writes and resumable downloads: files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import http.client
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from audience.errors import BadInput


def replace_all(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write files and return their paths; if one cannot be written, all stay as they were."""
    parts = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in contents}
    path = Path()
    try:
        for path, content in contents.items():
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "a folder is in its place")
            path.parent.mkdir(parents=True, exist_ok=True)
            parts[path].write_bytes(content)
        for path, part in parts.items():
            part.replace(path)
    except OSError as error:
        raise BadInput(
            f"{path} could not be written: {error.strerror or error}; "
            "nothing was changed. Choose a folder you may write to, or free some space"
        ) from error
    finally:
        _discard(parts.values())
    return list(contents)


def append_line(path: Path, line: bytes, *, sync: bool = True) -> None:
    """Append a line to a file; half a line left by a crash is cut off.

    It outlives this process at once and, with `sync`, the machine too.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size and (file.seek(size - 1), file.read(1))[1] != b"\n":
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)
            file.write(line.rstrip(b"\n") + b"\n")
            file.flush()
            if sync:
                os.fsync(file.fileno())
    except OSError as error:
        raise BadInput(
            f"{path} could not be written: {error.strerror or error}; free some space, or give "
            "the folder to yourself, and try again"
        ) from error


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines of a file that were written to their end; none if there is no file."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return []
    return text[: text.rfind(b"\n") + 1].splitlines()


def check_regular(path: Path) -> None:
    """Raise BadInput for a device, a pipe or a socket: reading one may never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise BadInput(f"{path} is a device or a pipe; copy what it gives into a file, and name it")


def free_path(stem: Path) -> Path:
    """Return the first of STEM-1, STEM-2 and so on that does not exist."""
    count = 1
    while (place := stem.parent / f"{stem.name}-{count}").exists():
        count += 1
    return place


def slug_of(text: str) -> str:
    """Return a text as a slug for a folder's name."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write to, which replaces `path` once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        _discard([part])


def claim(mark: Path, text: str, other: str) -> None:
    """Claim a folder by a marker file in it; refuse one that holds something else."""
    folder = mark.parent
    if mark.is_file():
        if mark.read_text("utf-8") != text:
            raise BadInput(f"--out {folder} holds {other}; choose another folder with --out")
        return
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"--out {folder} is not empty; choose another folder with --out")
    replace_all({mark: text.encode()})


def _discard(parts: Iterable[Path]) -> None:
    for part in parts:
        with suppress(OSError):
            part.unlink(missing_ok=True)


Progress = Callable[[int, int], None]
"""Called with the bytes so far and the total; 0 if the total is unknown."""
_PIECE = 1 << 18
_PATIENCE = 30.0
"""Seconds without a byte before a download counts as stuck."""
_ALGORITHMS = {32: "md5", 64: "sha256"}
"""The checksum algorithm by the length of its hexadecimal text."""


def kept_folder(kind: str) -> Path:
    """Return the cache folder for files of a kind: below XDG_CACHE_HOME or ~/.cache."""
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "audience" / kind


def download(
    url: str, path: Path, checksum: str = "", size: int = 0, progress: Progress | None = None
) -> Path:
    """Download `url` to `path` and return it; raise BadInput with a remedy if that fails.

    `checksum` is a sha256 or an md5; without one, and without a size, the server's length is
    trusted.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    _check_room(path.parent, size - _size(partial))
    if size and _size(partial) > size:
        _drop(partial)
    whole = size
    try:
        if not size or _size(partial) < size:
            whole = _fetch(url, partial, size, progress)
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError) and error.code == 416:
            _drop(partial)  # it belongs to another file
        raise _unreachable(url, path, checksum, partial, error) from error
    if _size(partial) < whole:
        raise _unreachable(url, path, checksum, partial, "the connection ended early")
    algorithm = _ALGORITHMS.get(len(checksum), "sha256")
    if checksum and checksum_of(partial, algorithm) != checksum:
        _drop(partial)
        raise BadInput(
            f"what {url} gave is not the published file (its {algorithm} differs) and was removed; "
            f"try again, or put the right file at {path}"
        )
    partial.replace(path)
    _drop(partial)
    return path


def checksum_of(path: Path, algorithm: str = "sha256") -> str:
    """Return the checksum of a file."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BadInput(f"{folder} has {free / 1e9:.1f} GB free, {needed / 1e9:.1f} are needed")


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _drop(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _mark(partial).unlink(missing_ok=True)


def _mark(partial: Path) -> Path:
    """Return the file that notes which version a partial download belongs to."""
    return partial.with_name(f"{partial.name}.etag")


def _fetch(url: str, partial: Path, size: int, progress: Progress | None) -> int:
    """Continue the partial file, and return its final length; 0 if that is unknown.

    If the server knows no ranges, or has another version by now, start afresh.
    """
    done = _size(partial)
    asked = urllib.request.Request(url)  # noqa: S310 (the table's own addresses, checked by hash)
    if done:
        asked.add_header("Range", f"bytes={done}-")
        with contextlib.suppress(OSError):
            asked.add_header("If-Range", _mark(partial).read_text("ascii"))
    with urllib.request.urlopen(asked, timeout=_PATIENCE) as came:  # noqa: S310
        resumed = came.status == 206 and _start(came.headers.get("Content-Range")) == done
        done = done if resumed else 0
        whole = size or done + int(came.headers.get("Content-Length") or 0)
        _check_room(partial.parent, whole - done)
        if came.headers.get("ETag", "").startswith('"'):
            _mark(partial).write_text(came.headers["ETag"], "ascii")
        with partial.open("ab" if resumed else "wb") as file:
            for piece in _pieces(came, whole - done if whole else None):
                file.write(piece)
                done += len(piece)
                if progress is not None:
                    progress(done, whole)
    return int(whole)


def _pieces(came: IO[bytes], left: int | None) -> Iterator[bytes]:
    """Yield chunks as they arrive, at most `left` bytes."""
    while left is None or left > 0:
        piece = came.read(_PIECE if left is None else min(_PIECE, left))
        if not piece:
            return
        yield piece
        left = None if left is None else left - len(piece)


def _start(header: str | None) -> int:
    """Return the start of a range such as `bytes 100-199/200`; -1 if there is none."""
    digits = (header or "").removeprefix("bytes ").partition("-")[0]
    return int(digits) if digits.isdigit() else -1


def _unreachable(
    url: str, path: Path, checksum: str, partial: Path, error: Exception | str
) -> BadInput:
    why = error.reason if type(error) is urllib.error.URLError else error
    kept = _size(partial)
    again = f"{kept / 1e6:.0f} MB are kept: the same command goes on from there. " if kept else ""
    algorithm = _ALGORITHMS.get(len(checksum), "sha256")
    same = f"check that its {algorithm} is {checksum}, and " if checksum else ""
    return BadInput(
        f"{url} could not be fetched ({why}). {again}By hand: fetch it with a browser or on "
        f"another machine, {same}put it at {path}; a proxy is taken from HTTPS_PROXY"
    )
