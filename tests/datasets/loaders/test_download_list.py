from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.datasets.files import ML_1M, packed

from audience.datasets.loaders import PUBLIC, Published, fetch, published, recognise
from audience.datasets.loaders.download_list import File, unpack
from audience.errors import BadInput


def archive() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as found:
        for name, text in ML_1M.items():
            found.writestr(f"ml/{name}", text.encode("latin-1"))
        found.writestr("ml/filler.bin", bytes(range(256)) * 4000)
    return held.getvalue()


class Cut(BaseHTTPRequestHandler):
    """Serves one archive and hangs up in the middle of the first answer."""

    content = b""
    asked: list[str | None] = []  # noqa: RUF012
    tag = '"v1"'

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        first = not self.asked
        self.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if self.headers.get("If-Range") not in (None, self.tag):
            start = 0
        self.send_response(206 if start else 200)
        if start:
            whole = len(self.content)
            self.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
        self.send_header("ETag", self.tag)
        rest = self.content[start:]
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: len(rest) // 2] if first else rest)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Cut.content, Cut.asked, Cut.tag = archive(), [], '"v1"'
    with ThreadingHTTPServer(("127.0.0.1", 0), Cut) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def known(address: str, checksum: str = "") -> tuple[Published, ...]:
    file = File(f"{address}/ml.zip", checksum)
    return (Published("ml", "Some films.", "https://films.example/", (file,)),)


def test_a_cut_download_goes_on_and_ends_unpacked(address: str, tmp_path: Path) -> None:
    wanted = known(address, md5(archive()).hexdigest())
    with pytest.raises(BadInput, match=r"MB are kept: the same command .*films\.example"):
        fetch("ml", root=tmp_path, known=wanted)
    assert not (tmp_path / "ml").exists()
    seen: list[tuple[int, int]] = []
    folder = fetch("ml", lambda done, whole: seen.append((done, whole)), tmp_path, wanted)
    half = len(Cut.content) // 2
    assert Cut.asked == [None, f"bytes={half}-"]
    assert seen[-1] == (len(Cut.content), len(Cut.content))
    assert recognise(folder).what == "MovieLens 1M"
    assert [one.name for one in tmp_path.iterdir()] == ["ml"]
    assert fetch("ml", root=tmp_path, known=wanted) == folder
    assert len(Cut.asked) == 2


def test_a_file_that_changed_meanwhile_is_fetched_anew(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="could not be fetched"):
        fetch("ml", root=tmp_path, known=known(address))
    Cut.tag = '"v2"'
    folder = fetch("ml", root=tmp_path, known=known(address))
    assert (folder / "ml" / "filler.bin").read_bytes() == bytes(range(256)) * 4000


def test_another_file_than_the_published_one_is_dropped(address: str, tmp_path: Path) -> None:
    Cut.asked.append("")
    with pytest.raises(BadInput, match="its md5 differs"):
        fetch("ml", root=tmp_path, known=known(address, "0" * 32))
    assert list((tmp_path / "ml.coming").iterdir()) == []


def test_an_archive_that_does_harm_leaves_nothing_behind(address: str, tmp_path: Path) -> None:
    Cut.asked.append("")
    Cut.content = packed(tmp_path / "x.zip", {"../../out.csv": "1"}).read_bytes()
    with pytest.raises(BadInput, match="would lie outside"):
        fetch("ml", root=tmp_path / "root", known=known(address))
    assert not (tmp_path / "root" / "ml").exists()
    assert not (tmp_path / "out.csv").exists()


def test_a_bomb_is_refused_before_anything_is_unpacked(tmp_path: Path) -> None:
    path = packed(tmp_path / "bomb.zip", {"big.csv": "0" * 20_000_000})
    (tmp_path / "to").mkdir()
    with pytest.raises(BadInput, match=r"bomb.zip would unpack to 0.0 GB in 1 files, far more"):
        unpack(path, tmp_path / "to")
    assert list((tmp_path / "to").iterdir()) == []


def test_a_size_that_lies_is_found_out(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"x.csv": "12345678" * 10})
    told = path.read_bytes().replace((80).to_bytes(4, "little"), (8).to_bytes(4, "little"))
    path.write_bytes(told)
    (tmp_path / "to").mkdir()
    with pytest.raises(BadInput, match=r"'x.csv' is (damaged|longer)"):
        unpack(path, tmp_path / "to")


def test_names_are_known_and_addresses_are_the_publishers() -> None:
    assert {one.name for one in PUBLIC} >= {"ml-100k", "ml-1m", "ml-25m", "ml-latest-small"}
    for one in PUBLIC:
        assert all(file.url.startswith("https://") for file in one.files)
        assert all(len(file.md5) in (0, 32) for file in one.files)
    with pytest.raises(BadInput, match=r"'ml-1n' is unknown \(did you mean 'ml-1m'"):
        published("ml-1n")


def test_no_network_tells_what_to_do_by_hand(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"By hand: .*put it at .*ml\.zip.*described at https://fil"):
        fetch("ml", root=tmp_path, known=known("http://127.0.0.1:9"))
