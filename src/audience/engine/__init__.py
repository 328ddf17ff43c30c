"""Running rounds: visits, rules, platform, activation, conversations, drivers, control."""

from audience.engine.activation import METHODS as METHODS, Activation as Activation
from audience.engine.consolidation import LivedRound as LivedRound, consolidate as consolidate
from audience.engine.control import (
    Control as Control,
    MakeMind as MakeMind,
    Queued as Queued,
    Steering as Steering,
)
from audience.engine.drivers import DriverStage as DriverStage
from audience.engine.event_loop import run_sync as run_sync, stop_at_once as stop_at_once
from audience.engine.follower import Follower as Follower
from audience.engine.forks import cores as cores, pickled as pickled
from audience.engine.groups import Groups as Groups
from audience.engine.harvest import Told as Told
from audience.engine.interventions import objection as objection
from audience.engine.keepers import Keeper as Keeper, Measures as Measures
from audience.engine.own_clock import (
    GAPS as GAPS,
    OWN as OWN,
    TIMES as TIMES,
    Rhythm as Rhythm,
    Timetable as Timetable,
    drawn_gaps as drawn_gaps,
    following as following,
)
from audience.engine.plans import Plan as Plan, Row as Row
from audience.engine.platform import (
    FEEDS as FEEDS,
    Platform as Platform,
    RecommenderFault as RecommenderFault,
)
from audience.engine.rounds import Paused as Paused, run as run
from audience.engine.shards import (
    Blocks as Blocks,
    Crew as Crew,
    can_share as can_share,
    cuts_of as cuts_of,
    plans_of as plans_of,
)
from audience.engine.simulation import (
    DIALOGUES as DIALOGUES,
    ORDERS as ORDERS,
    TOGETHER as TOGETHER,
    Listener as Listener,
    Parts as Parts,
    Rules as Rules,
    Simulation as Simulation,
)
from audience.engine.ties import TieRules as TieRules
