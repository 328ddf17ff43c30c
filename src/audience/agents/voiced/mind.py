"""The voiced mind: a rule mind decides, a model words its feelings, posts and chat lines.

Each line is requested with its facts, up to four candidates at once; the first that passes the
checks is used, else the rule mind's template, and the event records which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from audience.agents.mind import Decision, Mark
from audience.agents.rule import RuleMind
from audience.agents.voiced.checks import Titles, first_good
from audience.agents.voiced.voice import CANDIDATES, Facts, facts_about, speech
from audience.llm import GIVEN_UP, Gateway, together
from audience.memory import Memory
from audience.outside import FilePath, ModelName
from audience.parts import Options, PartContext
from audience.world import Catalogue, Dice, Lived, Observation, actions as a

MODEL, TEMPLATE = "model", "template"
_DROPPED = 0.5


class VoicedMind:
    """Decides as `RuleMind` with the same dice; only the words differ."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: ModelName = "",
        candidates: int = CANDIDATES,
        parameters: FilePath = "",
        **rules: float,
    ) -> None:
        self.gateway = gateway
        self.model = model
        self.candidates = candidates
        self.rule = RuleMind(parameters=parameters, **rules)

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> VoicedMind:  # noqa: ANN401
        """Return a mind that speaks through the gateway of the run."""
        return cls(context.door, **{"model": context.model, **options})

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        del options, suited
        return True

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory
        decision = self.rule.decide_many([seen], dice)[0]
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
            self._speak(seen, facts, f"{salt}.{place}") for place, facts in lines.items()
        )
        actions, calls = list(decision.actions), list(decision.calls)
        for place, (text, voice, call) in zip(lines, spoken, strict=True):
            actions[place] = _said(actions[place], text, voice)
            calls += [call] if call else []
        return replace(decision, actions=tuple(actions), calls=tuple(calls))

    def score_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[tuple[Mark, ...]]:
        return self.rule.score_many(seen, dice)

    async def _speak(self, seen: Observation, facts: Facts, salt: str) -> tuple[str, str, str]:
        """Return a line (empty: use the template), its voice, and the call's key."""
        request = speech(facts, salt, candidates=self.candidates)
        if request is None:
            return "", TEMPLATE, ""
        reply = await self.gateway.ask(replace(request, model=self.model))
        if reply.outcome == "timeout" and reply.why.startswith(GIVEN_UP):
            # The engine's own deadline, so that stored calls give the same event.
            raise TimeoutError
        texts = reply.texts if reply.outcome == "reply" else ()
        good = first_good(texts, facts, _titles(seen.catalogue))
        return (good.text, MODEL, reply.key) if good else ("", TEMPLATE, reply.key)


@lru_cache(maxsize=4)
def _titles(catalogue: Catalogue) -> Titles:
    return Titles(item.title for item in catalogue.items)


def _said(action: a.AnyAction, text: str, voice: str) -> a.AnyAction:
    if isinstance(action, a.Rate):
        return replace(action, feeling=text or action.feeling, voice=voice)
    assert isinstance(action, (a.Post, a.Say))
    return replace(action, text=text or action.text, voice=voice)


def _facts(seen: Observation, decision: Decision, action: a.AnyAction, draw: float) -> Facts | None:
    """Return the facts of an action's line; None for an action without words."""
    me, words = seen.me, seen.domain.past
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
    about = seen.catalogue[item]
    return facts_about(kind, about, me.profile, past=words, draw=draw, **known)  # type: ignore[arg-type]


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
