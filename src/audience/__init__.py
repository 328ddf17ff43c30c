"""A simulated audience for recommender systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from audience.experiments import Outcome, Scenario, branch, compared, load, resume, run
    from audience.log import Log

__all__ = ["Log", "Outcome", "Scenario", "branch", "compared", "load", "resume", "run"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in __all__:
        raise AttributeError(f"module 'audience' has no attribute {name!r}")
    from importlib import import_module

    room = "audience.log" if name == "Log" else "audience.experiments"
    return getattr(import_module(room), name)
