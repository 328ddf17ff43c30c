"""What exists and what happened: pure, no I/O."""

from audience.world.agent import Agent, Heard, Laws, Lived, Situation, fold_agent
from audience.world.clock import Clock, shown
from audience.world.events import AnyEvent, Chapter, Entry, Record
from audience.world.genesis import Domain, Genesis, Past
from audience.world.graph import SocialGraph, Tie, Ties
from audience.world.interactions import Interactions
from audience.world.items import Catalogue, Item
from audience.world.observe import Friend, Observation, observe, overhear
from audience.world.people import HABITS, Habits, Profile
from audience.world.rng import Dice, dice, key, keys, rank, rng
from audience.world.spread import Spread, SpreadView, Standing
from audience.world.taste import taste_of, tastes
from audience.world.topics import Message, Topic
from audience.world.world import View, World

__all__ = [
    "HABITS",
    "Agent",
    "AnyEvent",
    "Catalogue",
    "Chapter",
    "Clock",
    "Dice",
    "Domain",
    "Entry",
    "Friend",
    "Genesis",
    "Habits",
    "Heard",
    "Interactions",
    "Item",
    "Laws",
    "Lived",
    "Message",
    "Observation",
    "Past",
    "Profile",
    "Record",
    "Situation",
    "SocialGraph",
    "Spread",
    "SpreadView",
    "Standing",
    "Thought",
    "Tie",
    "Ties",
    "Topic",
    "View",
    "World",
    "dice",
    "fold_agent",
    "key",
    "keys",
    "observe",
    "overhear",
    "rank",
    "rng",
    "shown",
    "taste_of",
    "tastes",
]
