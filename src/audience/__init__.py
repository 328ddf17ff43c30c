"""A simulated audience for recommender systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audience.log import Log
    from audience.runs import Outcome, Run, branch, compared, load_any as load, resume, run, sweep
    from audience.scenario import Scenario

__all__ = [
    "Log",
    "Outcome",
    "Run",
    "Scenario",
    "branch",
    "compared",
    "load",
    "resume",
    "run",
    "sweep",
]
_ROOMS = {"Log": "log", "Scenario": "scenario"}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        from importlib.metadata import version

        return version("audience")
    if name not in __all__:
        raise AttributeError(f"module 'audience' has no attribute {name!r}")
    from importlib import import_module

    room = import_module(f"audience.{_ROOMS.get(name, 'runs')}")
    return getattr(room, "load_any" if name == "load" else name)
