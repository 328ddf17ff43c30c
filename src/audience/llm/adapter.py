"""The adapter that makes `audience-135m` of the embedded model: its file and its terms of use."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from audience.errors import BadInput
from audience.files import checksum_of
from audience.llm import embedded
from audience.llm.merged import merge

TUNED = "audience-135m"
"""The name of the embedded model with the adapter, and of the same model on any server."""
FOLDER = Path(__file__).parent / "tuned"
"""The adapter's folder: the file, its checksum, the model card and the terms of use."""
_REINSTALL = "install Audience again, or use `voiced` minds, which need no adapter"


def tuned_terms() -> str:
    """Return the terms of use in a line, for whoever loads the adapter."""
    return (
        f"{TUNED} was trained on MovieLens data: for research, no commercial use without the "
        f"permission of GroupLens; see {FOLDER / 'LICENSE.md'}"
    )


def tuned_missing() -> str:
    """Return what `audience-135m` lacks on this machine, or an empty text."""
    try:
        tuned_file()
    except BadInput as error:
        return str(error)
    return embedded.missing()


def tuned_file() -> Path:
    """Return the adapter's file, verified; raise BadInput with a remedy."""
    path, note = FOLDER / f"{TUNED}.gguf", FOLDER / f"{TUNED}.gguf.sha256"
    if not path.is_file() or not note.is_file():
        lost = path if not path.is_file() else note
        raise BadInput(f"the adapter of {TUNED} is not here ({lost} is missing); {_REINSTALL}")
    sha256 = note.read_text("utf-8").split()[:1]
    if not sha256 or not embedded.is_whole(path, sha256[0]):
        raise BadInput(f"{path} is not the published adapter (its sha256 differs); {_REINSTALL}")
    return path


def tuned_model(said: Callable[[str], None]) -> Path:
    """Return the embedded model with the adapter as one file, which is made once and kept."""
    parts = embedded.model_file(), tuned_file()
    made_of = sha256("".join(map(checksum_of, parts)).encode()).hexdigest()[:12]
    path = embedded.cache_folder() / TUNED / made_of / f"{TUNED}.gguf"
    note = path.with_name(f"{path.name}.sha256")
    try:
        if path.is_file() and note.is_file() and embedded.is_whole(path, note.read_text("utf-8")):
            return path
        said(f"making {TUNED} of the embedded model and its adapter; it is kept in {path.parent}")
        merge(*parts, path)
        note.write_text(checksum_of(path), "utf-8")
    except OSError as error:
        raise BadInput(
            f"{path}: {error.strerror or error}; make 150 MB of room there, or set XDG_CACHE_HOME "
            "to a folder that has it"
        ) from error
    return path
