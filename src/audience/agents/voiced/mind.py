"""The voiced mind: a rule mind decides, a model words its feelings, posts and chat lines.

Each line is requested with its facts, up to four candidates at once; the first that passes the
checks is used, else the rule mind's template, and the event records which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audience.agents.mind import Decision, Mark
from audience.agents.rule import RuleMind
from audience.agents.voiced.speaker import Speaker
from audience.agents.voiced.voice import CANDIDATES
from audience.llm import Gateway
from audience.memory import Memory
from audience.outside import FilePath, ModelName
from audience.parts import Options, PartContext
from audience.world import Dice, Observation


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
        self.speaker = Speaker(gateway, model, candidates=candidates)
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
        return await self.speaker.worded(seen, self.rule.decide_many([seen], dice)[0], dice)

    def score_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[tuple[Mark, ...]]:
        return self.rule.score_many(seen, dice)
