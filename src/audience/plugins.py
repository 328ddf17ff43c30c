"""One door for built-in and foreign parts: entry points, or `file.py:Class`."""

from __future__ import annotations

import importlib.util
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb
from typing import Any

from audience.errors import BadInput, unknown

GROUPS = ("minds", "memories", "recommenders", "datasets", "metrics", "embedders", "commands")


@lru_cache
def known(group: str) -> dict[str, EntryPoint]:
    """Return every registered part of a group by its kind, as installed when first asked for."""
    return {point.name: point for point in entry_points(group=f"audience.{group}")}


def find(group: str, kind: str) -> Any:  # noqa: ANN401
    """Return the class or factory that a kind, or `file.py:Class`, names."""
    path, colon, name = kind.rpartition(":")
    if colon and path.endswith(".py"):
        return _from_file(Path(path), name)
    parts = known(group)
    if kind not in parts:
        raise unknown(group.removesuffix("s").replace("memorie", "memory"), kind, parts)
    try:
        return parts[kind].load()
    except Exception as error:
        raise BadInput(f"{group} {kind!r} could not be loaded: {error!r}") from error


def _from_file(path: Path, name: str) -> Any:  # noqa: ANN401
    if not path.is_file():
        raise BadInput(
            f"{path} does not exist; give the path of a Python file, as in my_rec.py:MyClass"
        )
    label = f"audience_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(label, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[label] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        where = f"{error.filename or path}, line {error.lineno}"
        raise BadInput(f"{where}: {error.msg}; mend it and try again") from error
    except Exception as error:
        frames = [one for one in extract_tb(error.__traceback__) if one.filename == str(path)]
        where = f"{path}, line {frames[-1].lineno}" if frames else str(path)
        raise BadInput(f"{where}: {error!r}; mend it and try again") from error
    try:
        return getattr(module, name)
    except AttributeError:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise unknown(f"{path}: class", name, classes) from None
