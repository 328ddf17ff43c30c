"""What an evaluation keeps in its folder, so that nothing is computed or paid for twice."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from audience.experiments.evaluation.cases import Task
from audience.grounding.lives import Lives
from audience.llm import Counts
from audience.results import replace_all
from audience.world.rng import Floats

VERSION = 1
"""Raised when a contestant or a protocol changes, so that older scores are not taken for new."""


class Kept(msgspec.Struct, frozen=True, eq=False):
    """The answers of one contestant to one task."""

    scores: Sequence[Floats]
    spent: Counts = msgspec.field(default_factory=Counts)

    @property
    def unreadable(self) -> int:
        """Cases without a usable answer."""
        return sum(bool(np.isnan(one).any()) for one in self.scores)


class Keeper:
    """Answers by task and contestant. Without a folder it keeps nothing; `fresh` finds nothing."""

    def __init__(self, folder: Path | None, *, fresh: bool = False) -> None:
        self.folder = folder / "scores" if folder else None
        self.fresh = fresh

    def find(self, task: str, contestant: str, digest: str) -> Kept | None:
        """Return what was kept; a file that cannot be read counts as none."""
        if self.folder is None or self.fresh:
            return None
        try:
            content = io.BytesIO(self._path(task, contestant, digest).read_bytes())
            with np.load(content, allow_pickle=False) as held:
                sizes, values = held["sizes"], held["values"]
                spent = msgspec.json.decode(held["spent"].tobytes(), type=Counts)
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError):
            return None
        return Kept(np.split(values, np.cumsum(sizes)[:-1].tolist()), spent)

    def keep(self, task: str, contestant: str, digest: str, kept: Kept) -> None:
        """Write answers down."""
        if self.folder is None:
            return
        out = io.BytesIO()
        sizes = np.array([len(one) for one in kept.scores], np.int64)
        values = np.concatenate(list(kept.scores)) if len(sizes) else np.empty(0)
        spent = np.frombuffer(msgspec.json.encode(kept.spent), np.uint8)
        np.savez_compressed(out, sizes=sizes, values=values, spent=spent)
        replace_all({self._path(task, contestant, digest): out.getvalue()})

    def _path(self, task: str, contestant: str, digest: str) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", f"{task} {contestant}".lower()).strip("-")
        return (self.folder or Path()) / f"{slug[:80]}-{digest[:16]}.npz"


def task_digest(task: Task, lives: Lives) -> str:
    """Return the hash of all that a contestant is told: the cases and the training part."""
    found = blake2b(f"{VERSION}/{task.name}".encode(), digest_size=16)
    found.update(msgspec.json.encode(task.cases))
    for column in (lives.users, lives.items, lives.at, lives.stars):
        found.update(np.ascontiguousarray(column).tobytes())
    for item in lives.catalogue.items:
        found.update(f"{item.title}/{item.tags}/{item.year}".encode())
    return found.hexdigest()


def joined(*parts: str) -> str:
    """Return one hash for several texts."""
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
