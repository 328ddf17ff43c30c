"""Finding parts by entry point, `package.module:Class` or `file.py:Class`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from audience.errors import BadInput, known_name, unknown
from audience.user_code import LONGEST, PASSING, Late, said, within

GROUPS = (
    "minds",
    "memories",
    "recommenders",
    "datasets",
    "metrics",
    "embedders",
    "studies",
    "commands",
)
_SINGULAR = {"memories": "memory", "studies": "study"}


_OFFERED: dict[str, object] = {}
_OBJECT = "object:"


def offer(part: object) -> str:
    """Return the kind by which this process names an existing object."""
    name = f"{_OBJECT}{type(part).__name__}"
    kind, count = name, 1
    while _OFFERED.setdefault(kind, part) is not part:
        count += 1
        kind = f"{name}-{count}"
    return kind


def holds_objects(text: str) -> bool:
    """Return whether a scenario's text names an object that this process alone has."""
    return any(kind in text for kind in _OFFERED)


@lru_cache
def known(group: str) -> dict[str, EntryPoint]:
    """Return every registered part of a group by its kind, as installed at the first call."""
    return {point.name: point for point in entry_points(group=f"audience.{group}")}


def find(group: str, kind: str) -> Any:  # noqa: ANN401
    """Return what a kind, `package.module:Class` or `file.py:Class` names."""
    if not isinstance(kind, str):
        raise BadInput(f'{singular(group)}: kind: {kind!r} is no text; give a name, as in "rule"')
    if kind in _OFFERED:
        return lambda: _OFFERED[kind]
    if kind.startswith(_OBJECT):
        raise BadInput(
            f"{singular(group)} {kind!r} was a Python object of another process; to go on with "
            "its run, put its class into a file and name it as file.py:Class"
        )
    path, colon, name = kind.rpartition(":")
    if colon and path.endswith(".py"):
        return _from_file(Path(path), name)
    if colon and all(part.isidentifier() for part in path.split(".")):
        return _from_module(path, name)
    parts = known(group)
    kind = known_name(singular(group), kind, parts)
    try:
        with within(LONGEST):
            return parts[kind].load()
    except PASSING:
        raise
    except BaseException as error:
        raise BadInput(f"{group} {kind!r} could not be loaded: {said(error)}") from error


def singular(group: str) -> str:
    """Return the singular of a group's name."""
    return _SINGULAR.get(group, group.removesuffix("s"))


def _from_module(path: str, name: str) -> Any:  # noqa: ANN401
    try:
        with within(LONGEST):
            module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        raise BadInput(
            f"{path}:{name}: there is no module {error.name!r}; install its package, or give the "
            "path of a Python file, as in my_rec.py:MyClass"
        ) from None
    except PASSING:
        raise
    except BaseException as error:
        raise BadInput(f"{path} {said(error)}; fix it and try again") from error
    return _named(module, name, path)


def _named(module: ModuleType, name: str, where: str | Path) -> Any:  # noqa: ANN401
    try:
        return getattr(module, name)
    except AttributeError:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise unknown(f"{where}: class", name, classes) from None


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
    folder = str(path.parent.resolve())
    if folder not in sys.path:
        sys.path.append(folder)  # a file may import its neighbours, after our own modules
    try:
        with within(LONGEST):
            spec.loader.exec_module(module)
    except SyntaxError as error:
        where = f"{error.filename or path}, line {error.lineno}"
        raise BadInput(f"{where}: {error.msg}; fix it and try again") from error
    except PASSING:
        raise
    except BaseException as error:
        frames = [one for one in extract_tb(error.__traceback__) if one.filename == str(path)]
        where = f"{path}, line {frames[-1].lineno}" if frames else str(path)
        what = said(error) if isinstance(error, Late) else repr(error)
        raise BadInput(f"{where}: {what}; fix it and try again") from error
    return _named(module, name, path)
