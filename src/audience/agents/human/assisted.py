"""Minds that people lend a hand: some visits are played by a person, or corrected by one.

The person is a script that is asked what a player is asked and types what a player types, as in
`audience play`. It likes what bears a tag of the agent's interests, and nothing else.
"""

from __future__ import annotations

from msgspec.structs import replace

from audience.agents.human.mind import About, HumanMind
from audience.agents.mind import Decision, Mind
from audience.errors import BadInput, unknown
from audience.llm import Reply, Request
from audience.memory import Memory
from audience.plugins import find
from audience.world import Dice, Observation, actions as a, key

WAYS = ("played", "corrected")
PLAYED, CORRECTED = "played by a person", "corrected by a person"
"""What stands in the log as the reason of what a person did."""
_PAGES = 2
"""Pages without a pick after which the person leaves."""


class ScriptedPerson:
    """Plays one decision, typing as a person with the agent's interests would."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self.has_picked = False

    async def answer(self, about: About, request: Request) -> Reply:
        return Reply(request.key, "reply", (self.typed(about),), model="script")

    def typed(self, about: About = "turn") -> str:
        """Return what is typed to a question."""
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
        lived = {one.item for one in self.seen.me.lived_now()}
        left = [item for item in self.seen.me.situation.slate if item not in lived]
        return max(left, key=lambda item: liking(self.seen, item), default=None)


def liking(seen: Observation, item: int | None) -> int:
    """Return how many of its interests an agent finds in an item."""
    if item is None:
        return 0
    return len(set(seen.me.profile.interests) & set(seen.catalogue[item].tags))


class AssistedMind:
    """Decides as the mind `of` does, but for the share of visits that a person has a hand in.

    `played`: the person decides. `corrected`: the mind decides, and the person takes over where it
    picked what the agent has no interest in, or passed by what it has two interests in. Which
    visits these are is drawn by agent and visit, and the same in every arm.
    """

    def __init__(
        self,
        share: float = 0.2,
        way: str = "played",
        of: str = "rule",
        **options: float | str,
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
        # A visit's moment is drawn by the run's seed, and is the same at every turn of it.
        me = seen.me
        draw = key(0, "touched", me.profile.id, me.visits, me.situation.at) / 2.0**64
        if draw >= self.share:
            return own
        if self.way == "corrected" and not is_odd(own, seen):
            return own
        typed = await HumanMind(ScriptedPerson(seen)).decide(seen, memory, dice)
        reason = PLAYED if self.way == "played" else CORRECTED
        # The script can be asked again at any time, so its lines need no place among the calls.
        return replace(typed, reason=reason, calls=())


def is_odd(decision: Decision, seen: Observation) -> bool:
    """Say whether a person would shake its head at a decision on a page."""
    if seen.surface not in a.PAGE_SURFACES:
        return False
    picked = [action.item for action in decision.actions if isinstance(action, a.Pick)]
    if picked:
        return any(not liking(seen, item) for item in picked)
    return any(liking(seen, item) > 1 for item in seen.me.situation.slate)
