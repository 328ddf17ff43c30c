"""Agent4Rec's memory: facts and emotions in one stream, with pauses for reflection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from audience.errors import BadInput
from audience.llm import Embedder, Gateway
from audience.memory.builder import Growing
from audience.memory.consolidation import Due, is_telling
from audience.memory.memory import Life, Recollection
from audience.memory.model_consolidation import embedder_of, needs_gateway, taken_in, way_of
from audience.memory.recall import Recaller, Want
from audience.memory.rule_consolidation import RuleWay
from audience.memory.sentences import observations
from audience.outside import KindOf, ModelName, PromptFolder
from audience.parts import Options, PartContext
from audience.world import Agent, Dice, Entry


class Agent4RecMemory:
    """Factual memory (shown, watched, rated) and emotional memory (satisfaction, feelings).

    Everything is kept; thoughts are recalled by recency, importance and relevance.

    consolidation: `rule` (none, as the original keeps its records as they are), `fused` or
        `faithful`; empty: rule.
    every: pages after which an agent pauses to ask whether it is satisfied or tired; 0: never.
    decay: the share of recency left after an hour.
    budget, embedder, embedding_model, prompts: as for `recagent`.
    """

    def __init__(
        self,
        gateway: Gateway | None = None,
        model: ModelName = "",
        *,
        consolidation: str = "rule",
        every: int = 2,
        decay: float = 0.99,
        budget: int = 600,
        embedder: Annotated[str, KindOf("embedders")] | Embedder = "wordllama",
        embedding_model: ModelName = "",
        prompts: PromptFolder = "",
    ) -> None:
        if every < 0:
            raise BadInput(f"memory: every is {every}; give a number of pages, or 0 for never")
        self.way = way_of(consolidation or "rule", gateway, model, prompts)
        self.every = every
        vectors = embedder_of(embedder, gateway, embedding_model)
        self.recaller = Recaller(vectors, decay=decay, budget=budget)

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> Agent4RecMemory:  # noqa: ANN401
        """Return a memory that asks through the gateway of the run."""
        return cls(context.gateway, **{"model": context.model, **options})

    @staticmethod
    def way_with(options: Options, suited: str) -> str:
        del suited
        return str(options.get("consolidation") or "rule")

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        """Return True if a memory with these options asks a model."""
        del suited
        return needs_gateway(options, "rule")

    def pause(self, me: Agent) -> bool:
        """Return True if the agent should now reflect on its visit."""
        pages = me.situation.pages
        return self.every > 0 and pages > 0 and pages % self.every == 0

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return the best matching facts and emotions."""
        return await self.recaller.recall(Want(me, cue, now, limit))

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[Entry]:
        """Store facts and emotions separately; only entering a surface is dropped."""
        lived = observations(life)
        if not lived:
            return ()
        way = self.way if any(is_telling(observation) for observation in lived) else RuleWay()
        taken = await taken_in(way, life, lived, Due(), dice)
        growing = Growing(life)
        for sensed in taken.sensed:
            seen = sensed.observed
            emotional = bool(seen.feeling) or seen.satisfaction is not None
            store = "sensory" if seen.kind == "entered" else "long"
            kind = "emotional" if emotional else "factual"
            growing.remember(sensed, store, kind, taken.calls)
        growing.fail(taken.problems, taken.calls)
        return growing.entries
