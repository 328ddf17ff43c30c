"""The metrics of a run kept beside its log when it ends, so that nobody folds the log again."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np

import audience.metrics
from audience.files import replace_all
from audience.log import Log, last_arrival
from audience.plugins import known
from audience.results import Measured
from audience.runs.progress import Panel
from audience.scenario import Scenario
from audience.world import Floats

T = TypeVar("T")
KEPT = "metrics.msgpack"
MOST = 2_000_000
"""The most people whose numbers are kept: a hundred bytes or so for each."""


class Numbers(Protocol):
    """The metrics of a run as they are read: folded just now, or kept."""

    def value(self) -> dict[str, float]: ...

    def per_agent(self) -> dict[str, Floats]: ...

    def by_round(self) -> list[dict[str, float]]: ...


class Kept(msgspec.Struct, frozen=True):
    """What was measured when a run ended, with what it is true of."""

    of: str
    """The metrics' source, hashed: other metrics may give other numbers."""
    last: int
    """The number of the log's last chapter."""
    measured: Measured
    panel: Panel | None = None
    """The world at a glance, without what the log counts; None in files of earlier versions."""

    def value(self) -> dict[str, float]:
        return dict(self.measured.totals)

    def per_agent(self) -> dict[str, Floats]:
        return dict(self.measured.agents)

    def by_round(self) -> list[dict[str, float]]:
        return [dict(numbers) for numbers in self.measured.rounds]


def keep_measures(log: Log, scenario: Scenario, measured: Measured, panel: Panel) -> None:
    """Keep what was measured of a finished run; a disk that is full keeps nothing."""
    people = max((len(numbers) for numbers in measured.agents.values()), default=0)
    if people > MOST or not _is_fixed(scenario):
        return
    with suppress(OSError):
        kept = Kept(_source(), last_arrival(log), measured, panel)
        replace_all({log.folder / KEPT: packed(kept)})


def kept_of(log: Log) -> Kept | None:
    """Return what was kept of a run, if its log and the metrics are still the same."""
    with suppress(OSError, msgspec.DecodeError, ValueError):
        kept = unpacked((log.folder / KEPT).read_bytes(), Kept)
        if kept.of == _source() and kept.last == last_arrival(log):
            return kept
    return None


def packed(value: object) -> bytes:
    """Return numbers as bytes, the arrays in them as they lie in memory."""
    return msgspec.msgpack.encode(value, enc_hook=_encoded)


def unpacked(body: bytes, kind: type[T]) -> T:
    """Return what `packed` made; raise msgspec.DecodeError or ValueError if it is none."""
    return msgspec.msgpack.decode(body, type=kind, dec_hook=_decoded)


def _is_fixed(scenario: Scenario) -> bool:
    """Return whether all metrics are ours: those of others change without our seeing it."""
    return not scenario.metrics and set(known("metrics")) <= {"builtin"}


@cache
def _source() -> str:
    """Return the hash of all that metrics are made of here."""
    found = hashlib.blake2b(digest_size=16)
    folder = Path(audience.metrics.__file__).parent
    for path in sorted(folder.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def _encoded(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.astype("<f8").tobytes()
    if isinstance(value, np.floating):
        return float(value)
    raise NotImplementedError(f"{type(value)} cannot be kept")


def _decoded(kind: Any, value: Any) -> Any:  # noqa: ANN401
    del kind
    return np.frombuffer(value, "<f8")
