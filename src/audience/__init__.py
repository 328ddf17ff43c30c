"""A simulated audience for recommender systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audience.experiments import Outcome, Run, Scenario, branch, compared, resume, run
    from audience.experiments import load_any as load
    from audience.log import Log

__all__ = ["Log", "Outcome", "Run", "Scenario", "branch", "compared", "load", "resume", "run"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in __all__:
        raise AttributeError(f"module 'audience' has no attribute {name!r}")
    from importlib import import_module

    room = "audience.log" if name == "Log" else "audience.experiments"
    return getattr(import_module(room), "load_any" if name == "load" else name)
