"""Deciding by scoring: a choice costs one token, whose log-probabilities give everybody's chance.

With `score` a model says how likely each item of a page is to be taken, and nothing at all. The
items are options in the order of their titles, so that only what is offered matters to the model;
that upper places are looked at more often is added as a law. With `glance` one item catches the
eye, the upper places more often as people's eyes do, and the model says how likely the person takes
it: small models know better whether they like something than which of five letters to say. A named
die draws what happens, so that stored calls give the same choice. What follows a pick, how much is
watched and liked and whether one goes on, follows the laws of rule minds. Words are asked for only
where somebody will hear them, as minds that decide by writing ask: among friends, in talks, about
news.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from audience.agents.language.prompts import LETTERS, optional_places
from audience.agents.language.reply_schema import home_ways, in_time
from audience.agents.mind import Decision
from audience.agents.rule import RuleMind, wanted_by
from audience.llm import OptionChoice, Reply, Unreadable, choice_in
from audience.world import Dice, Observation, Thought, actions as a

if TYPE_CHECKING:
    from audience.agents.language.mind import LLMMind

MOST = len(LETTERS)
"""Items of a page that one token can name; longer pages are decided by writing."""
_COLDEST = 0.01
"""The lowest temperature; at it, what is most likely is always taken."""
_LEAST = 1e-9
"""The lowest chance of which a logarithm is taken."""
_WAYS = {
    "browse": (a.Enter("recommender"), a.Browse()),
    "friends": (a.Enter("social"),),
    "close": (a.Nothing(),),
}
_HOME = ("browse", "friends", "close", "search")
_YES_NO = ("yes", "no")


class ScoredChoices:
    """How a language mind decides by scoring at home and on pages."""

    def __init__(
        self, mind: LLMMind, laws: RuleMind, choosy: float, glances: int, *, says: bool = False
    ) -> None:
        """Take `choosy`, added to the log-odds of taking nothing, and how many items catch the eye.

        With no `glances`, a choice is made among the whole page. With `says`, feelings have the
        words of the laws; else there are none.
        """
        self._says = says
        self._mind, self._laws, self._choosy, self._glances = mind, laws, choosy, glances

    def decides(self, seen: Observation) -> bool:
        """Return True where a choice can be scored."""
        if seen.surface == "home":
            return True
        slate = seen.me.situation.slate
        is_short = bool(self._glances) or len(optional_places(seen)) <= MOST
        return seen.surface in a.PAGE_SURFACES and bool(slate) and is_short

    async def decide(
        self, seen: Observation, recalled: Sequence[Thought], dice: Dice, behaviour: str
    ) -> Decision:
        """Return the decision of an agent on a page or at home."""
        if behaviour == "home":
            place, calls = await self._whole(seen, recalled, dice, behaviour)
        elif self._glances:
            place, calls = await self._glance(seen, recalled, dice)
        else:
            place, calls = await self._whole(seen, recalled, dice, behaviour)
        if isinstance(place, Unreadable):
            return Decision((), "", calls, failure=f"{behaviour}: {place.why}")
        decision = (
            self._way(seen, place) if behaviour == "home" else self._taken(seen, place - 1, dice)
        )
        return replace(decision, calls=calls, reason="")

    async def log_odds(
        self, seen: Observation, recalled: Sequence[Thought], dice: Dice
    ) -> list[float] | Unreadable:
        """Return how readily each item of a page is taken, as evaluations rank them."""
        if not self._glances:
            found, _ = await self._asked(seen, recalled, dice, "page")
            if isinstance(found, Unreadable):
                return found
            places = optional_places(seen)
            shares = {place: found.share(n) or 0.0 for n, place in enumerate(places, 1)}
            slate = range(len(seen.me.situation.slate))
            return [math.log(max(shares.get(place, 0.0), _LEAST)) for place in slate]
        readily: list[float] = []
        for place in range(len(seen.me.situation.slate)):
            found, _ = await self._asked(seen, recalled, dice, "page", place)
            if isinstance(found, Unreadable):
                return found
            taken = min(max(found.share(0) or _LEAST, _LEAST), 1.0 - _LEAST)
            readily.append(math.log(taken / (1.0 - taken)))
        return readily

    async def _whole(
        self, seen: Observation, recalled: Sequence[Thought], dice: Dice, behaviour: str
    ) -> tuple[int | Unreadable, tuple[str, ...]]:
        """Return what is drawn: the place on a page, from 1 on, or the way from home."""
        places = [] if behaviour == "home" else optional_places(seen)
        if behaviour != "home" and not places:
            return 0, ()
        found, reply = await self._asked(seen, recalled, dice, behaviour)
        if isinstance(found, Unreadable):
            return found, (reply.key,)
        draw = float(dice.uniform("choice")[0])
        if behaviour == "home":
            option = _said(found) if not found.shares else _at(found.shares, draw)
            return option, (reply.key,)
        option = _said(found) if not found.shares else drawn(found, places, self._choosy, draw)
        if isinstance(option, Unreadable) or not option:
            return option, (reply.key,)
        return places[option - 1] + 1, (reply.key,)

    async def _glance(
        self, seen: Observation, recalled: Sequence[Thought], dice: Dice
    ) -> tuple[int | Unreadable, tuple[str, ...]]:
        """Return the place, from 1 on, of the first item that is taken at a glance; 0 for none."""
        eyes = dice.uniforms("glance", self._glances)[0].tolist()
        wills = dice.uniforms("choice", self._glances)[0].tolist()
        calls: list[str] = []
        left = _open_places(seen)
        for eye, will in zip(eyes, wills, strict=True):
            if not left:
                break
            place = _caught(left, eye)
            left.remove(place)
            found, reply = await self._asked(seen, recalled, dice, "page", place)
            calls.append(reply.key)
            if isinstance(found, Unreadable):
                return found, tuple(calls)
            said = _said(found)
            if isinstance(said, Unreadable):
                return said, tuple(calls)
            if will < self._will(found) if found.shares else said == 0:
                return place + 1, tuple(calls)
        return 0, tuple(calls)

    def _will(self, found: OptionChoice) -> float:
        """Return the chance of taking what catches the eye."""
        yes, no = found.shares
        return yes / (yes + no * math.exp(self._choosy))

    async def _asked(
        self,
        seen: Observation,
        recalled: Sequence[Thought],
        dice: Dice,
        behaviour: str,
        place: int | None = None,
    ) -> tuple[OptionChoice | Unreadable, Reply]:
        """Ask for one token about a page, the item at a place of it, or the ways from home."""
        form, options = ("_choice", _options(seen, behaviour)) if place is None else _GLANCE
        shown = seen if place is None else _only(seen, place)
        draw = float(dice.uniform("company")[0])
        questions = self._mind.questions
        reply = await questions.choose(
            behaviour,
            self._mind.messages(shown, recalled, behaviour, draw, form=form),
            int(dice.keys[0]),
            options,
            nth=0 if place is None else place,
        )
        in_time(reply)
        return choice_in(reply, options, max(questions.temperature, _COLDEST)), reply

    def _taken(self, seen: Observation, place: int, dice: Dice) -> Decision:
        again = place >= 0 and place not in _open_places(seen)
        decision = self._laws.after_pick(seen, -1 if again else place, dice)
        if self._says:
            return decision
        silent = [
            replace(action, feeling="") if isinstance(action, a.Rate) else action
            for action in decision.actions
        ]
        return replace(decision, actions=tuple(silent))

    def _way(self, seen: Observation, place: int) -> Decision:
        way = _HOME[place]
        if way == "search":
            return wanted_by(seen) or Decision(_WAYS["browse"])
        return Decision(_WAYS[way])


_GLANCE = ("_glance", _YES_NO)


def drawn(found: OptionChoice, places: Sequence[int], choosy: float, draw: float) -> int:
    """Return the option that a draw between 0 and 1 falls on; 0 is nothing.

    Each share counts as much as its place is looked at; on average over the page that is 1, so that
    a page tempts as often as the model says. `choosy` is added to the log-odds of nothing.
    """
    looks = [_looked_at(place) for place in places]
    usual = sum(looks) / len(looks) if looks else 1.0
    shares = zip(found.shares[1:], looks, strict=True)
    weights = [
        found.shares[0] * math.exp(choosy),
        *(share * look / usual for share, look in shares),
    ]
    return _at(weights, draw)


def _looked_at(place: int) -> float:
    """Return how often a place is looked at: the n-th 1 / sqrt(n) times as often as the first."""
    return 1.0 / math.sqrt(place + 1.0)


def _at(weights: Sequence[float], draw: float) -> int:
    left = draw * sum(weights)
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0.0:
            return place
    return len(weights) - 1


def _caught(places: Sequence[int], draw: float) -> int:
    """Return the place that catches the eye."""
    return places[_at([_looked_at(place) for place in places], draw)]


def _open_places(seen: Observation) -> list[int]:
    """Return the places of a page that hold something not picked in this visit yet."""
    lived = {entry.item for entry in seen.me.lived_now()}
    return [n for n, item in enumerate(seen.me.situation.slate) if item not in lived]


def _only(seen: Observation, place: int) -> Observation:
    """Return a page with one of its items alone."""
    now = seen.me.situation
    reasons = now.reasons[place : place + 1]
    alone = replace(now, slate=now.slate[place : place + 1], reasons=reasons)
    return replace(seen, me=replace(seen.me, situation=alone))


def _options(seen: Observation, behaviour: str) -> tuple[str, ...]:
    if behaviour == "home":
        return tuple(str(way + 1) for way in range(len(home_ways(seen))))
    return ("0", *LETTERS[: len(optional_places(seen))])


def _said(found: OptionChoice) -> int | Unreadable:
    """Return the option that a reply without log-probabilities names."""
    return Unreadable("names no option") if found.place is None else found.place
