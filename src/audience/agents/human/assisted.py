"""Minds with human assistance: some visits are played or corrected by a person.

The person is a script that answers the questions of `audience play` as a player would. It likes
items with a tag among the agent's interests, and nothing else.
"""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace

from audience.agents.human.mind import About, HumanMind
from audience.agents.mind import Decision, Mind
from audience.errors import BadInput, unknown
from audience.llm import Reply, Request
from audience.memory import Memory
from audience.outside import KindOf, OptionsOf
from audience.plugins import find
from audience.world import Dice, Observation, actions as a, key

WAYS = ("played", "corrected")
PLAYED, CORRECTED = "played by a person", "corrected by a person"
"""The reasons in the log for what a person did."""
_PAGES = 2
"""Pages without a pick after which the script leaves."""


class ScriptedPerson:
    """Plays one decision, typing what a person with the agent's interests would."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self.has_picked = False

    async def answer(self, about: About, request: Request) -> Reply:
        return Reply(request.key, "reply", (self.typed(about),), model="script")

    def typed(self, about: About = "turn") -> str:
        """Return the answer to a question."""
        match about:
            case "watched":
                return "100"
            case "stars":
                return str(min(5, 3 + liking(self.seen, self._best())))
            case "satisfaction":
                return "9" if self.has_picked or self.seen.me.situation.picks else "4"
            case "turn":
                ways = {"home": "r", "social": "l", "news": "l", "conversation": ""}
                way = ways.get(self.seen.surface)
                return self._on_page() if way is None else way
        return ""

    def _on_page(self) -> str:
        best = self._best()
        if not self.has_picked and best is not None and liking(self.seen, best):
            self.has_picked = True
            return str(self.seen.me.situation.slate.index(best) + 1)
        is_early = self.seen.me.situation.pages < _PAGES and not self.has_picked
        return "n" if is_early and "NextPage" in self.seen.menu else "l"

    def _best(self) -> int | None:
        lived = {entry.item for entry in self.seen.me.lived_now()}
        left = [item for item in self.seen.me.situation.slate if item not in lived]
        return max(left, key=lambda item: liking(self.seen, item), default=None)


def liking(seen: Observation, item: int | None) -> int:
    """Return how many of an agent's interests are tags of an item."""
    if item is None:
        return 0
    return len(set(seen.me.profile.interests) & set(seen.catalogue[item].tags))


class AssistedMind:
    """Decides like the mind `of`, except for a share of visits that a person plays or corrects.

    `played`: the person decides. `corrected`: the mind decides, and the person takes over where it
    picked an item without any of the agent's interests, or passed over one with two. The visits
    are drawn by agent and visit, and are the same in every arm.
    """

    def __init__(
        self,
        share: float = 0.2,
        way: str = "played",
        of: Annotated[str, KindOf("minds")] = "rule",
        **options: Annotated[float | str, OptionsOf("minds", "of")],
    ) -> None:
        if way not in WAYS:
            raise unknown("touched: way", way, WAYS)
        if not 0.0 <= share <= 1.0:
            raise BadInput(f"touched: share: {share} is not between 0 and 1")
        self.share = share
        self.way = way
        self.of: Mind = find("minds", of)(**options)

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        own = await self.of.decide(seen, memory, dice)
        # A visit's moment depends on the run's seed and is the same at each of its turns.
        me = seen.me
        draw = key(0, "touched", me.profile.id, me.visits, me.situation.at) / 2.0**64
        if draw >= self.share:
            return own
        if self.way == "corrected" and not is_odd(own, seen):
            return own
        typed = await HumanMind(ScriptedPerson(seen)).decide(seen, memory, dice)
        reason = PLAYED if self.way == "played" else CORRECTED
        # The script can be asked again at any time, so its answers need not be stored as calls.
        return replace(typed, reason=reason, calls=())


def is_odd(decision: Decision, seen: Observation) -> bool:
    """Return True if a human would override this decision on a page."""
    if seen.surface not in a.PAGE_SURFACES:
        return False
    picked = [action.item for action in decision.actions if isinstance(action, a.Pick)]
    if picked:
        return any(not liking(seen, item) for item in picked)
    return any(liking(seen, item) > 1 for item in seen.me.situation.slate)
