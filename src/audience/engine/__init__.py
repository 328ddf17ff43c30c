"""One round: rules, platform, activation, the loop and its drivers."""

from audience.engine.activation import METHODS, Activation
from audience.engine.changes import objection
from audience.engine.consolidation import LivedRound
from audience.engine.control import Control, Queued, Steering
from audience.engine.feed import FEEDS
from audience.engine.groups import Groups
from audience.engine.pacing import Paused
from audience.engine.platform import Platform, RecommenderFault
from audience.engine.rounds import run
from audience.engine.simulation import (
    DIALOGUES,
    ORDERS,
    Keeper,
    Listener,
    Parts,
    Rules,
    Simulation,
    run_sync,
)
from audience.engine.ties import TieRules

__all__ = [
    "DIALOGUES",
    "FEEDS",
    "METHODS",
    "ORDERS",
    "Activation",
    "Control",
    "Groups",
    "Keeper",
    "Listener",
    "LivedRound",
    "Parts",
    "Paused",
    "Platform",
    "Queued",
    "RecommenderFault",
    "Rules",
    "Simulation",
    "Steering",
    "TieRules",
    "objection",
    "run",
    "run_sync",
]
