"""Local models: the embedded one, GGUF files a user has, and a few that can be downloaded."""

from __future__ import annotations

from pathlib import Path

import msgspec

from audience.errors import BadInput, unknown
from audience.files import Progress, download
from audience.llm import embedded
from audience.llm.embedded import cache_folder, is_whole

_HUB = "https://huggingface.co/Qwen"


class DownloadableModel(msgspec.Struct, frozen=True):
    """A model that can be downloaded."""

    name: str
    about: str
    license: str
    url: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        return self.url.rsplit("/", 1)[-1]


KNOWN = (
    DownloadableModel(
        "qwen2.5-0.5b",
        "Qwen2.5-0.5B-Instruct, Q4_K_M",
        "Apache-2.0",
        f"{_HUB}/Qwen2.5-0.5B-Instruct-GGUF/resolve/9217f5db79a29953eb74d5343926648285ec7e67"
        "/qwen2.5-0.5b-instruct-q4_k_m.gguf",
        "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
        491_400_032,
    ),
    DownloadableModel(
        "qwen2.5-1.5b",
        "Qwen2.5-1.5B-Instruct, Q4_K_M",
        "Apache-2.0",
        f"{_HUB}/Qwen2.5-1.5B-Instruct-GGUF/resolve/91cad51170dc346986eccefdc2dd33a9da36ead9"
        "/qwen2.5-1.5b-instruct-q4_k_m.gguf",
        "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        1_117_320_736,
    ),
)


class Local(msgspec.Struct, frozen=True):
    """A model as `audience model list` shows it."""

    name: str
    about: str
    size: int
    path: Path | None = None
    """Where it lies; None: not here yet."""
    remedy: str = ""
    """How to come by it."""


def list_models(
    folder: Path | None = None, known: tuple[DownloadableModel, ...] = KNOWN
) -> list[Local]:
    """Return every local model: the embedded one first, then known ones, then files found."""
    place = folder or cache_folder()
    listed = [_embedded(), *(_known(one, place) for one in known)]
    taken = {one.file for one in known}
    for path in sorted(place.glob("*.gguf")):
        if path.name not in taken:
            listed.append(Local(path.stem, "a file of your own", path.stat().st_size, path))
    return listed


def _embedded() -> Local:
    path = embedded.packaged_file()
    size = path.stat().st_size if path else 98_362_432
    about = "SmolLM2-135M-Instruct, Q4_1, Apache-2.0: the embedded model"
    return Local(embedded.NAME, about, size, path, embedded.missing())


def _known(model: DownloadableModel, place: Path) -> Local:
    path: Path | None = place / model.file
    if path and not path.is_file():
        path = None
    remedy = "" if path else f"audience model get {model.name}"
    return Local(model.name, f"{model.about}, {model.license}", model.size, path, remedy)


def find_model(
    name: str, folder: Path | None = None, known: tuple[DownloadableModel, ...] = KNOWN
) -> Path:
    """Return the file of a model given by name or by path; raise BadInput where there is none."""
    if name == embedded.NAME:
        return embedded.model_file()
    if name.endswith(".gguf"):
        return _own_file(Path(name).expanduser())
    listed = {one.name: one for one in list_models(folder, known)}
    if name not in listed:
        raise unknown("model", name, [*listed, "PATH.gguf"])
    found = listed[name]
    if found.path is None:
        raise BadInput(f"model {name!r} is not here yet; {found.remedy}")
    return _own_file(found.path)


def get_model(
    name: str,
    progress: Progress | None = None,
    folder: Path | None = None,
    known: tuple[DownloadableModel, ...] = KNOWN,
) -> Path:
    """Return the file of a model, downloaded first if it must be and the network allows it."""
    wanted = next((one for one in known if one.name == name), None)
    if wanted is None:
        return find_model(name, folder, known)
    path = (folder or cache_folder()) / wanted.file
    if path.is_file() and is_whole(path, wanted.sha256):
        return path
    return download(wanted.url, path, wanted.sha256, wanted.size, progress)


def _own_file(path: Path) -> Path:
    if not path.is_file():
        raise BadInput(f"{path} does not exist; give the path of a GGUF file")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadInput(f"{path} is not a GGUF file; llama.cpp reads no other")
    return path
