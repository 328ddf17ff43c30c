"""One round: rules, platform, activation, the loop and its drivers."""

from audience.engine.activation import METHODS as METHODS
from audience.engine.activation import Activation as Activation
from audience.engine.consolidation import LivedRound as LivedRound
from audience.engine.consolidation import consolidate as consolidate
from audience.engine.control import Control as Control
from audience.engine.control import MakeMind as MakeMind
from audience.engine.control import Queued as Queued
from audience.engine.control import Steering as Steering
from audience.engine.groups import Groups as Groups
from audience.engine.interventions import objection as objection
from audience.engine.platform import FEEDS as FEEDS
from audience.engine.platform import Platform as Platform
from audience.engine.platform import RecommenderFault as RecommenderFault
from audience.engine.rounds import Paused as Paused
from audience.engine.rounds import run as run
from audience.engine.simulation import DIALOGUES as DIALOGUES
from audience.engine.simulation import ORDERS as ORDERS
from audience.engine.simulation import Keeper as Keeper
from audience.engine.simulation import Listener as Listener
from audience.engine.simulation import Parts as Parts
from audience.engine.simulation import Rules as Rules
from audience.engine.simulation import Simulation as Simulation
from audience.engine.simulation import run_sync as run_sync
from audience.engine.ties import TieRules as TieRules
