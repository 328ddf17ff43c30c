"""For plugin authors and our own tests: tiny worlds, scripted minds, conformance suites."""

from audience.testing.minds import (
    Diary as Diary,
    check_batch_mind as check_batch_mind,
    check_memory as check_memory,
    check_mind as check_mind,
)
from audience.testing.parts import (
    check_dataset as check_dataset,
    check_metric as check_metric,
    check_recommender as check_recommender,
)
from audience.testing.worlds import (
    Exhausted as Exhausted,
    ListKeeper as ListKeeper,
    ScriptedMind as ScriptedMind,
    SlowMind as SlowMind,
    simulate as simulate,
    tiny_genesis as tiny_genesis,
)
