"""Fetching one file that may be large: resumed where it stopped, kept only if it is whole."""

from __future__ import annotations

import http.client
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from audience.errors import BadInput
from audience.llm.embedded_file import checksum

Progress = Callable[[int, int], None]
"""Called with the bytes there are and the bytes there will be."""
_PIECE = 1 << 18
_PATIENCE = 30.0
"""Seconds without a byte before a download counts as stuck."""


def download(
    url: str, path: Path, sha256: str, size: int, progress: Progress | None = None
) -> Path:
    """Return `path` with the file that `url` gives, or raise BadInput that says what to do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    free = shutil.disk_usage(path.parent).free
    if free < size - _size(partial):
        raise BadInput(f"{path.parent} has {free / 1e9:.1f} GB free, {size / 1e9:.1f} are needed")
    if _size(partial) > size:
        partial.unlink()
    try:
        if _size(partial) < size:
            _fetch(url, partial, size, progress)
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError) and error.code == 416:
            partial.unlink()  # it was of another file: nothing to go on from
        raise _unreachable(url, path, sha256, partial, error) from error
    if _size(partial) < size:
        raise _unreachable(url, path, sha256, partial, "the connection ended early")
    if checksum(partial) != sha256:
        partial.unlink()
        raise BadInput(
            f"what {url} gave is not the published file (its sha256 differs) and was removed; "
            f"try again, or put the right file at {path}"
        )
    partial.replace(path)
    return path


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _fetch(url: str, partial: Path, size: int, progress: Progress | None) -> None:
    """Add to the partial file what it lacks; servers that know no ranges start anew."""
    done = _size(partial)
    asked = urllib.request.Request(url)  # noqa: S310 (the table's own addresses, checked by hash)
    if done:
        asked.add_header("Range", f"bytes={done}-")
    with urllib.request.urlopen(asked, timeout=_PATIENCE) as came:  # noqa: S310
        resumed = came.status == 206 and _start(came.headers.get("Content-Range")) == done
        done = done if resumed else 0
        with partial.open("ab" if resumed else "wb") as file:
            while done < size and (piece := came.read(min(_PIECE, size - done))):
                file.write(piece)
                done += len(piece)
                if progress is not None:
                    progress(done, size)


def _start(header: str | None) -> int:
    """Return where a `bytes 100-199/200` begins, -1 where it does not say."""
    digits = (header or "").removeprefix("bytes ").partition("-")[0]
    return int(digits) if digits.isdigit() else -1


def _unreachable(
    url: str, path: Path, sha256: str, partial: Path, error: Exception | str
) -> BadInput:
    why = error.reason if type(error) is urllib.error.URLError else error
    kept = _size(partial)
    again = f"{kept / 1e6:.0f} MB are kept: the same command goes on from there. " if kept else ""
    return BadInput(
        f"{url} could not be fetched ({why}). {again}By hand: fetch it with a browser or on "
        f"another machine, check that its sha256 is {sha256}, and put it at {path}; "
        "a proxy is taken from HTTPS_PROXY"
    )
