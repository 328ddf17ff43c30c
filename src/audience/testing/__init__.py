"""For authors of plugins and for our own tests: tiny worlds, scripted minds, conformance suites."""

from audience.testing._datasets import check_dataset
from audience.testing._memories import check_memory
from audience.testing._metrics import check_metric
from audience.testing._minds import check_batch_mind, check_mind
from audience.testing._recommenders import check_recommender
from audience.testing.memories import Diary
from audience.testing.scripted import Exhausted, ScriptedMind, SlowMind
from audience.testing.worlds import ListKeeper, simulate, tiny_genesis

__all__ = [
    "Diary",
    "Exhausted",
    "ListKeeper",
    "ScriptedMind",
    "SlowMind",
    "check_batch_mind",
    "check_dataset",
    "check_memory",
    "check_metric",
    "check_mind",
    "check_recommender",
    "simulate",
    "tiny_genesis",
]
