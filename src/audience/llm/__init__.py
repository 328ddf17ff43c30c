"""Asking a language model: one door, whatever stands behind it. Knows nothing of agents."""

from audience.llm.budgeted import Budget, BudgetSpent
from audience.llm.cached import Mode
from audience.llm.endpoint import Endpoint
from audience.llm.gateway import Door, compose, open_gateway
from audience.llm.kinds import Gateway, Message, Outcome, Reply, Request, Usage
from audience.llm.metered import Counts, Meter
from audience.llm.prices import Price, Prices, load_prices
from audience.llm.store import Call, CallStore

__all__ = [
    "Budget",
    "BudgetSpent",
    "Call",
    "CallStore",
    "Counts",
    "Door",
    "Endpoint",
    "Gateway",
    "Message",
    "Meter",
    "Mode",
    "Outcome",
    "Price",
    "Prices",
    "Reply",
    "Request",
    "Usage",
    "compose",
    "load_prices",
    "open_gateway",
]
