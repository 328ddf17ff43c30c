"""Local models: the embedded ones, the user's GGUF files, and a few that can be downloaded."""

from __future__ import annotations

from pathlib import Path

import msgspec

from audience.errors import BadInput, unknown
from audience.files import Progress, download
from audience.llm import adapter, embedded
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
    """Its file; None: not downloaded yet."""
    remedy: str = ""
    """How to get it."""


def list_models(
    folder: Path | None = None, known: tuple[DownloadableModel, ...] = KNOWN
) -> list[Local]:
    """Return every local model: the embedded ones, the known ones, then other files found."""
    place = folder or cache_folder()
    listed = [_embedded(), _tuned(), *(_known(model, place) for model in known)]
    taken = {model.file for model in known}
    for path in sorted(place.glob("*.gguf")):
        if path.name not in taken:
            listed.append(Local(path.stem, "a file of your own", path.stat().st_size, path))
    return listed


def _embedded() -> Local:
    path = embedded.packaged_file()
    size = path.stat().st_size if path else 98_362_432
    about = "SmolLM2-135M-Instruct, Q4_1, Apache-2.0: the embedded model"
    return Local(embedded.NAME, about, size, path, embedded.missing())


def _tuned() -> Local:
    about = "the embedded model that has learnt from MovieLens to be a user: for research only"
    wrong = adapter.tuned_missing()
    path = None if wrong else adapter.tuned_file()
    size = path.stat().st_size if path else 0
    return Local(adapter.TUNED, about, size, path, wrong)


def _known(model: DownloadableModel, place: Path) -> Local:
    path, about = place / model.file, f"{model.about}, {model.license}"
    if path.is_file():
        return Local(model.name, about, model.size, path)
    return Local(model.name, about, model.size, None, f"audience model get {model.name}")


def find_model(
    name: str, folder: Path | None = None, known: tuple[DownloadableModel, ...] = KNOWN
) -> Path:
    """Return the file of a model given by name or path; raise BadInput if there is none."""
    if name == embedded.NAME:
        return embedded.model_file()
    if name == adapter.TUNED:
        return adapter.tuned_file()
    if name.endswith(".gguf"):
        return _own_file(Path(name).expanduser())
    listed = {model.name: model for model in list_models(folder, known)}
    if name not in listed:
        raise unknown("model", name, [*listed, "PATH.gguf"])
    model = listed[name]
    if model.path is None:
        raise BadInput(f"model {name!r} is not here yet; {model.remedy}")
    return _own_file(model.path)


def get_model(
    name: str,
    progress: Progress | None = None,
    folder: Path | None = None,
    known: tuple[DownloadableModel, ...] = KNOWN,
) -> Path:
    """Return the file of a model, downloading it first if necessary."""
    model = next((model for model in known if model.name == name), None)
    if model is None:
        return find_model(name, folder, known)
    path = (folder or cache_folder()) / model.file
    if path.is_file() and is_whole(path, model.sha256):
        return path
    return download(model.url, path, model.sha256, model.size, progress)


def _own_file(path: Path) -> Path:
    if not path.is_file():
        raise BadInput(f"{path} does not exist; give the path of a GGUF file")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadInput(f"{path} is not a GGUF file; llama.cpp reads no other")
    return path
