from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from audience.errors import BadInput
from audience.files import download, kept_folder

CONTENT = bytes(range(256)) * 4000
SHA256 = sha256(CONTENT).hexdigest()
SIZE = len(CONTENT)


class Files(BaseHTTPRequestHandler):
    """Serves one file under names that say how it misbehaves."""

    asked: list[str | None] = []  # noqa: RUF012

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if self.path == "/missing":
            self.send_error(404)
        elif self.path == "/beyond" and wanted:
            self.send_error(416)
        elif self.path == "/ranges" and start:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{SIZE - 1}/{SIZE}")
            self.give(CONTENT[start:])
        elif self.path == "/half":
            self.send_response(200)
            self.give(CONTENT[: SIZE // 2], SIZE)
        else:
            self.send_response(200)
            self.give(CONTENT if self.path != "/other" else CONTENT[::-1])

    def give(self, content: bytes, told: int | None = None) -> None:
        self.send_header("Content-Length", str(told or len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Files.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_download_is_checked_and_told_of(address: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = download(
        f"{address}/ranges",
        tmp_path / "models" / "m.gguf",
        SHA256,
        SIZE,
        lambda done, size: seen.append((done, size)),
    )
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (SIZE, SIZE)
    assert len(seen) > 1
    assert [one.name for one in path.parent.iterdir()] == ["m.gguf"]


def test_a_stopped_download_goes_on_where_it_was(address: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(CONTENT[:1000])
    path = download(f"{address}/ranges", tmp_path / "m.gguf", SHA256, SIZE)
    assert path.read_bytes() == CONTENT
    assert Files.asked == ["bytes=1000-"]


def test_a_server_without_ranges_starts_anew(address: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(b"x" * 1000)
    path = download(f"{address}/plain", tmp_path / "m.gguf", SHA256, SIZE)
    assert path.read_bytes() == CONTENT


def test_a_whole_part_is_not_fetched_again(address: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(CONTENT)
    assert download(f"{address}/ranges", tmp_path / "m.gguf", SHA256, SIZE).is_file()
    assert Files.asked == []


def test_a_part_that_is_too_long_is_dropped(address: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(CONTENT + b"more")
    assert download(f"{address}/ranges", tmp_path / "m.gguf", SHA256, SIZE).is_file()
    assert Files.asked == [None]


def test_a_connection_that_ends_early_keeps_what_came(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"MB are kept: the same command goes on from there"):
        download(f"{address}/half", tmp_path / "m.gguf", SHA256, SIZE)
    assert (tmp_path / "m.gguf.part").read_bytes() == CONTENT[: SIZE // 2]
    assert download(f"{address}/ranges", tmp_path / "m.gguf", SHA256, SIZE).is_file()


def test_another_file_is_not_kept(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="sha256 differs"):
        download(f"{address}/other", tmp_path / "m.gguf", SHA256, SIZE)
    assert list(tmp_path.iterdir()) == []


def test_a_range_beyond_the_end_drops_the_part(address: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").write_bytes(CONTENT[:1000])
    with pytest.raises(BadInput, match="416"):
        download(f"{address}/beyond", tmp_path / "m.gguf", SHA256, SIZE)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_and_a_closed_door_tell_what_to_do(address: str, tmp_path: Path) -> None:
    for url in (f"{address}/missing", "http://127.0.0.1:9/m.gguf"):
        with pytest.raises(BadInput, match="could not be fetched") as caught:
            download(url, tmp_path / "m.gguf", SHA256, SIZE)
        assert SHA256 in str(caught.value)
        assert str(tmp_path / "m.gguf") in str(caught.value)


def test_a_full_disk_is_noticed_before_anything_is_fetched(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="are needed"):
        download(f"{address}/ranges", tmp_path / "m.gguf", SHA256, 10**18)
    assert Files.asked == []


def test_an_md5_will_do_and_so_will_the_word_of_the_server(address: str, tmp_path: Path) -> None:
    seen: list[int] = []
    wanted = md5(CONTENT).hexdigest()
    download(
        f"{address}/ranges", tmp_path / "a", wanted, progress=lambda _, all_: seen.append(all_)
    )
    assert set(seen) == {SIZE}
    assert download(f"{address}/ranges", tmp_path / "b").read_bytes() == CONTENT
    with pytest.raises(BadInput, match="its md5 differs"):
        download(f"{address}/other", tmp_path / "c", wanted)
    with pytest.raises(BadInput, match="the connection ended early"):
        download(f"{address}/half", tmp_path / "d")
    assert download(f"{address}/ranges", tmp_path / "d").read_bytes() == CONTENT
    assert Files.asked[-1] == f"bytes={SIZE // 2}-"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b", "d"]


def test_what_is_kept_lies_below_the_setting_or_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert kept_folder("models") == tmp_path / "audience" / "models"
    for unset in ("", None):
        if unset is None:
            monkeypatch.delenv("XDG_CACHE_HOME")
        else:
            monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert kept_folder("people") == Path.home() / ".cache" / "audience" / "people"
