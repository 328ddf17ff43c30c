"""For authors of plugins and for our own tests: tiny worlds, scripted minds, conformance suites."""

from audience.testing.minds import Diary as Diary
from audience.testing.minds import check_batch_mind as check_batch_mind
from audience.testing.minds import check_memory as check_memory
from audience.testing.minds import check_mind as check_mind
from audience.testing.parts import check_dataset as check_dataset
from audience.testing.parts import check_metric as check_metric
from audience.testing.parts import check_recommender as check_recommender
from audience.testing.worlds import Exhausted as Exhausted
from audience.testing.worlds import ListKeeper as ListKeeper
from audience.testing.worlds import ScriptedMind as ScriptedMind
from audience.testing.worlds import SlowMind as SlowMind
from audience.testing.worlds import simulate as simulate
from audience.testing.worlds import tiny_genesis as tiny_genesis
