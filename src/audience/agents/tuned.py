"""The tuned mind: a small model that was trained on what people chose decides on pages and speaks.

On a page it is asked for one token, whose log-probabilities give the chance of every item and of
nothing. Rules decide the rest, for which there were no data to learn from: where to go from home,
whom to write to, and how a visit continues after a pick. Words are whole lines of the same model
about known facts, checked; else a template, and the event records which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audience.agents.language import LLMMind, ScoredChoices
from audience.agents.mind import Decision, Mark
from audience.agents.rule import RuleMind
from audience.agents.voiced import Speaker
from audience.llm import EMBEDDED_NAME, TUNED, Gateway
from audience.memory import Memory
from audience.outside import FilePath, ModelName, PromptFolder
from audience.parts import Options, PartContext
from audience.world import Dice, Observation, actions as a

CHOOSY = 2.0
"""Log-odds added to nothing. Data do not tell how often a page tempts nobody, so the model was
taught a share of our own; with this, people of the embedded films take nothing from two pages of
three, as who looks at ten to twenty titles before a choice.
"""


class TunedMind:
    """Chooses and speaks by `audience-135m`; the rest follows the laws of rule minds."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: ModelName = TUNED,
        temperature: float = 1.0,
        choosy: float = CHOOSY,
        prompts: PromptFolder = "",
        parameters: FilePath = "",
        **rules: float,
    ) -> None:
        """`temperature` below 1 favours what is likely; `choosy`: log-odds added to nothing.

        Whatever else is given is a parameter of rule minds, as those of the file `parameters`.
        """
        self.rule = RuleMind(parameters=parameters, **rules)
        asking = LLMMind(
            gateway, model=model, deciding="score", temperature=temperature, prompts=prompts
        )
        self.choices = ScoredChoices(asking, self.rule, choosy, 0, says=True)
        self.speaker = Speaker(gateway, model, whole=True)

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> TunedMind:  # noqa: ANN401
        """Return a mind that asks through the gateway of the run, there for `audience-135m`."""
        named = "" if context.model == EMBEDDED_NAME else context.model
        return cls(context.door, **{"model": named or TUNED, **options})

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        del options, suited
        return True

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory
        if seen.surface in a.PAGE_SURFACES and self.choices.decides(seen):
            decision = await self.choices.decide(seen, (), dice, "page")
        else:
            decision = self.rule.decide_many([seen], dice)[0]
        return await self.speaker.worded(seen, decision, dice)

    def score_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[tuple[Mark, ...]]:
        return self.rule.score_many(seen, dice)
