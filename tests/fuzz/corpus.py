"""Inputs as files: what once crashed is kept in tests/corpus and tried again on every check."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1] / "corpus"
FOLDERS = {"bodies": "replies"}
"""Targets whose inputs lie in the folder of another."""


def kept() -> list[Path]:
    """Return the inputs that are kept."""
    return sorted(ROOT.glob("*/fuzz-*.json"))


def load(path: Path) -> tuple[str, Any]:
    """Return the target and the input of a file."""
    name, value = json.loads(path.read_text("utf-8"))
    return name, _from_plain(value)


def keep(name: str, value: Any) -> Path:
    """Write an input into the corpus and return its path."""
    text = json.dumps([name, _to_plain(value)], indent=1)
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    path = ROOT / FOLDERS.get(name, name) / f"fuzz-{name}-{digest}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", "utf-8")
    return path


def _to_plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, tuple):
        return {"tuple": [_to_plain(one) for one in value]}
    if isinstance(value, list):
        return [_to_plain(one) for one in value]
    if isinstance(value, dict):
        return {"pairs": [[_to_plain(key), _to_plain(one)] for key, one in value.items()]}
    return value


def _from_plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    (kind, inner), *_ = value.items()
    if kind == "bytes":
        return base64.b64decode(inner)
    if kind == "tuple":
        return tuple(_from_plain(one) for one in inner)
    return {_from_plain(key): _from_plain(one) for key, one in inner}
