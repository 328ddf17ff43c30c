"""Packages that come with an extra."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from audience.errors import BadInput


def needed(package: str, kind: str) -> Any:  # noqa: ANN401
    """Return a package, or say how to install it."""
    if find_spec(package) is None:
        raise BadInput(
            f"recommender {kind!r} needs the package {package}; install it with "
            f"pip install 'audience[{kind}]'"
        )
    return import_module(package)
