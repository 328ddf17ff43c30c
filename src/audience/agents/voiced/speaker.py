"""Speakers: the words of a decision, written by a model, checked, or else left to templates."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from audience.agents.mind import Decision
from audience.agents.voiced.checks import Good, Titles, first_good, first_whole
from audience.agents.voiced.voice import CANDIDATES, Facts, facts_about, say, speech
from audience.llm import GIVEN_UP, Gateway, Request, together
from audience.world import Catalogue, Dice, Lived, Observation, actions as a

MODEL, TEMPLATE = "model", "template"
_DROPPED = 0.5
_TRIES = 2
"""How often a whole line is asked for before the template is used."""


class CheckedLine(NamedTuple):
    """A line; without a text the template is used."""

    text: str
    calls: tuple[str, ...]

    @property
    def voice(self) -> str:
        """Whose words the event records."""
        return MODEL if self.text else TEMPLATE


class Speaker:
    """Asks a model for lines about known facts and checks them.

    The model finishes sentences whose beginnings follow from the facts, in several candidates; or,
    with `whole`, it was trained to speak and writes whole lines, of which a bad one is asked for
    once more.
    """

    def __init__(
        self,
        gateway: Gateway,
        model: str = "",
        *,
        candidates: int = CANDIDATES,
        whole: bool = False,
    ) -> None:
        self.gateway = gateway
        self.model = model
        self.candidates = candidates
        self.whole = whole

    async def worded(self, seen: Observation, decision: Decision, dice: Dice) -> Decision:
        """Return a decision with the model's words in place of the templates, where they pass."""
        draws = dice.uniforms("voice", max(len(decision.actions), 1))[0].tolist()
        lines = {
            place: facts
            for place, action in enumerate(decision.actions)
            if (facts := _facts(seen, decision, action, draws[place])) is not None
        }
        if not lines:
            return decision
        salt = f"{int(dice.keys[0]):016x}"
        spoken = await together(
            self.line(facts, seen.catalogue, f"{salt}.{place}") for place, facts in lines.items()
        )
        actions, calls = list(decision.actions), list(decision.calls)
        for place, line in zip(lines, spoken, strict=True):
            actions[place] = _said(actions[place], line)
            calls += line.calls
        return replace(decision, actions=tuple(actions), calls=tuple(calls))

    async def line(self, facts: Facts, catalogue: Catalogue, salt: str) -> CheckedLine:
        """Return a line about facts; it names no other item of the catalogue."""
        calls: tuple[str, ...] = ()
        for request in self._requests(facts, salt):
            reply = await self.gateway.ask(replace(request, model=self.model))
            if reply.outcome == "timeout" and reply.why.startswith(GIVEN_UP):
                # The engine's own deadline, so that stored calls give the same event.
                raise TimeoutError
            calls = (*calls, reply.key)
            if reply.outcome != "reply":
                break
            good = self._first(reply.texts, facts, _titles(catalogue))
            if good:
                return CheckedLine(good.text, calls)
        return CheckedLine("", calls)

    def _requests(self, facts: Facts, salt: str) -> list[Request]:
        """Return the requests for a line, in the order of asking; none without a story."""
        if not facts.about:
            return []
        if self.whole:
            return [say(facts, f"{salt}.{attempt}") for attempt in range(_TRIES)]
        request = speech(facts, salt, candidates=self.candidates)
        return [request] if request else []

    def _first(self, texts: tuple[str, ...], facts: Facts, titles: Titles) -> Good | None:
        return (first_whole if self.whole else first_good)(texts, facts, titles)


@lru_cache(maxsize=4)
def _titles(catalogue: Catalogue) -> Titles:
    return Titles(item.title for item in catalogue.items)


def _said(action: a.AnyAction, line: CheckedLine) -> a.AnyAction:
    if isinstance(action, a.Rate):
        return replace(action, feeling=line.text or action.feeling, voice=line.voice)
    assert isinstance(action, (a.Post, a.Say))
    return replace(action, text=line.text or action.text, voice=line.voice)


def _facts(seen: Observation, decision: Decision, action: a.AnyAction, draw: float) -> Facts | None:
    """Return the facts of an action's line; None for an action without words."""
    known: dict[str, object]
    match action:
        case a.Rate(item, stars, feeling) if feeling:
            picked = [
                action
                for action in decision.actions
                if isinstance(action, a.Pick) and action.item == item
            ]
            known = {"stars": stars, "dropped": bool(picked) and picked[0].fraction < _DROPPED}
            kind = "feeling"
        case a.Post(_, (item, *_), stance):
            known, kind = _known(seen, item, stance), "post"
        case a.Say(to, _, (item, *_), stance):
            friend = next((friend.name for friend in seen.friends if friend.id == to), "")
            kind = "reply" if seen.surface == "conversation" else "opening"
            known = _known(seen, item, stance) | {"friend": friend.split(" ")[0]}
        case _:
            return None
    domain = {"past": seen.domain.past, "plural": seen.domain.plural}
    about, who = seen.catalogue[item], seen.me.profile
    return facts_about(kind, about, who, draw=draw, **domain, **known)  # type: ignore[arg-type]


def _known(seen: Observation, item: int, stance: float) -> dict[str, object]:
    lived: Lived | None = next(
        (entry for entry in reversed(seen.me.history) if entry.item == item), None
    )
    return {
        "stance": stance,
        "lived": lived is not None,
        "stars": lived.stars if lived else 0,
        "dropped": lived is not None and lived.fraction < _DROPPED,
    }
