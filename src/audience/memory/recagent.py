"""RecAgent's memory: three stores, with enhancement, insight, reflection and forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from msgspec.structs import replace

from audience.errors import BadInput
from audience.llm import Embedder, Gateway, NoVectors, Vectors
from audience.memory.builder import ITEMS, Growing
from audience.memory.consolidation import Due, Observed, Sensed, Taken, is_telling
from audience.memory.forgetting_curve import Forgetting, fade
from audience.memory.memory import Draw, Life, Recollection
from audience.memory.model_consolidation import embedder_of, needs_gateway, taken_in, way_of
from audience.memory.recall import Recaller, Want
from audience.memory.rule_consolidation import RuleWay
from audience.memory.sentences import observations
from audience.memory.similarity import Thresholds, thresholds_of
from audience.outside import KindOf, ModelName, PromptFolder
from audience.parts import Options, PartContext
from audience.world import Agent, Bools, Dice, Entry, Thought, Thoughts

REFLECT_ON = 12
"""Long-term thoughts considered by a reflection: the most important and newest."""


class RecAgentMemory:
    """The paper's three stores; without `short`, `long` or `reflection`, its ablations.

    consolidation: `fused` (one call a round), `faithful` (the paper's many) or `rule` (none);
        empty: fused for minds that are language models, rule for the others.
    capacity: short-term thoughts at most; the least important and least enhanced go first.
    enhancements: how often a short-term thought must recur before it settles (K).
    keep: the weight an observation must exceed to be kept (importance 1 to 10 weighs 0.09 each).
    similar, merge: the similarity at which thoughts enhance each other or are merged; 0: the
        embedder's own, calibrated on pairs of sentences.
    related: the share of tags in common from which thoughts about two items enhance each other,
        whatever their words; 0: only words count.
    beta, delta, decay, rate, untouched: see forgetting_curve.Forgetting.
    reflect_at: the importance accumulated in long-term memory that triggers a reflection.
    budget: the most tokens recalled for a prompt.
    embedder: `wordllama`, `minilm`, `openai` for an endpoint with its `embedding_model`, or
        your own `file.py:Class`.
    prompts: a folder with your own prompts.
    """

    def __init__(
        self,
        gateway: Gateway | None = None,
        model: ModelName = "",
        suited: str = "rule",
        *,
        consolidation: str = "",
        short: bool = True,
        long: bool = True,
        reflection: bool = True,
        capacity: int = 10,
        enhancements: int = 3,
        keep: float = 0.4,
        similar: float = 0.0,
        related: float = 0.5,
        merge: float = 0.0,
        beta: float = 1.5,
        delta: float = 0.01,
        decay: float = 0.99,
        rate: float = 0.05,
        untouched: float = 24.0,
        reflect_at: float = 2.0,
        budget: int = 600,
        embedder: Annotated[str, KindOf("embedders")] | Embedder = "wordllama",
        embedding_model: ModelName = "",
        prompts: PromptFolder = "",
    ) -> None:
        if not short and not long:
            raise BadInput('memory "recagent" without short and without long is memory = "none"')
        if capacity < 1 or enhancements < 1:
            raise BadInput("memory: capacity and enhancements are at least 1")
        for name, share in (
            ("keep", keep),
            ("similar", similar),
            ("related", related),
            ("merge", merge),
        ):
            if not 0 <= share <= 1:
                raise BadInput(f"memory: {name} is {share}; it has to be between 0 and 1")
        if not reflect_at > 0:
            raise BadInput(f"memory: reflect_at is {reflect_at}; it has to be above 0")
        self.forgetting = Forgetting(beta, delta, decay, rate, untouched)
        self.way = way_of(consolidation or suited, gateway, model, prompts)
        self.embedder = embedder_of(embedder, gateway, embedding_model)
        self.recaller = Recaller(self.embedder, decay=decay, budget=budget)
        self.short, self.long, self.reflection = short, long, reflection
        self.capacity, self.enhancements, self.keep = capacity, enhancements, keep
        self.reflect_at, self.related = reflect_at, related
        self._wanted = Thresholds(similar, merge)
        self._thresholds: Thresholds | None = None

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> RecAgentMemory:  # noqa: ANN401
        """Return a memory that asks through the gateway of the run."""
        defaults = {"model": context.model, "suited": context.suited}
        return cls(context.gateway, **{**defaults, **options})

    asks_models = staticmethod(needs_gateway)

    @staticmethod
    def way_with(options: Options, suited: str) -> str:
        return str(options.get("consolidation") or suited)

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return all of short-term memory and the best of long-term."""
        return await self.recaller.recall(Want(me, cue, now, limit))

    def fade(
        self, people: Sequence[Agent], since: int, now: int, draw: Draw
    ) -> list[tuple[int, ...]]:
        """Return for each agent the long-term thoughts that faded."""
        return fade(people, since, now, draw, self.forgetting)

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[Entry]:
        """Take a round into short-term memory, settle from there to long-term, and reflect if due.

        An agent that only looked around or received something is served by rule, so that a post
        costs no calls for those it reaches.
        """
        seen = observations(life)
        if not seen:
            return ()
        idle = not any(is_telling(observation) for observation in seen)
        due = Due() if idle else await self._due(life, seen)
        taken = await taken_in(RuleWay() if idle else self.way, life, seen, due, dice)
        growing = Growing(life)
        problems = list(taken.problems)
        try:
            await self._take_in(growing, taken)
        except NoVectors as lack:
            problems.append(f"no vectors: {lack}")
        waits = idle and not isinstance(self.way, RuleWay)
        if self.short and self.long and not waits:
            problems += await self._settle(growing, taken, dice)
        self._crowd(growing)
        if due.reflection:
            problems += await self._reflect(growing, taken)
        growing.fail(problems, taken.calls)
        return growing.entries

    async def _due(self, life: Life, seen: Sequence[Observed]) -> Due:
        """Return what is due in the same call as what was lived."""
        me = life.me
        insights: list[tuple[Thought, ...]] = []
        if self.short and self.long:
            short = [thought for thought in me.thoughts if thought.store == "short"]
            ripe = [thought for thought in short if len(thought.enhancers) >= self.enhancements]
            if self.way.foresees:
                ripe = await self._foreseen(life, short, seen)
            insights = [_with_enhancers(me, thought) for thought in ripe]
        if not (self.long and self.reflection and me.brewing >= self.reflect_at):
            return Due(tuple(insights))
        long = [thought for thought in me.thoughts if thought.store == "long"]
        long.sort(key=lambda thought: (thought.weight, thought.touched, thought.id))
        return Due(tuple(insights), tuple(long[-REFLECT_ON:]))

    async def _foreseen(
        self, life: Life, short: list[Thought], seen: Sequence[Observed]
    ) -> list[Thought]:
        """Return the short-term thoughts that will be ripe once this round is taken in."""
        texts = [*(thought.text for thought in short), *(draft.short for draft in seen)]
        about = [*(thought.items for thought in short), *(draft.items[:ITEMS] for draft in seen)]
        try:
            alike = await self._resembling(life, texts, about)
        except NoVectors:
            alike = np.zeros((len(texts), len(texts)), np.bool_)
        more = alike[: len(short), len(short) :].sum(axis=1).tolist()
        return [
            thought
            for thought, new in zip(short, more, strict=True)
            if len(thought.enhancers) + new >= self.enhancements
        ]

    async def _take_in(self, growing: Growing, taken: Taken) -> None:
        """Put what is important into short-term memory, where it enhances similar thoughts."""
        kept: list[tuple[int, Sensed]] = []
        before = growing.short if self.short else ()
        calls = taken.calls
        for sensed in taken.sensed:
            matters = round(sensed.weight, 6) > self.keep
            store = ("short" if self.short else "long") if matters else "sensory"
            number = growing.remember(sensed, store, calls=calls)
            if store == "short":
                kept.append((number, sensed))
        if not kept:
            return
        texts = [*(thought.text for thought in before), *(sensed.text for _, sensed in kept)]
        ids = [*(thought.id for thought in before), *(number for number, _ in kept)]
        about = [thought.items for thought in before]
        about += [sensed.observed.items[:ITEMS] for _, sensed in kept]
        alike = await self._resembling(growing.life, texts, about)
        for by in range(len(before), len(texts)):
            for earlier in np.flatnonzero(alike[by, :by]).tolist():
                growing.enhance(ids[earlier], ids[by])

    async def _settle(self, growing: Growing, taken: Taken, dice: Dice) -> list[str]:
        """Move thoughts that were enhanced often enough to long-term memory, with their insight."""
        problems: list[str] = []
        for ripe in growing.short:
            if len(ripe.enhancers) < self.enhancements:
                continue
            insight, calls = taken.insights.get(ripe.id), taken.calls
            if insight is None:
                about = _with_enhancers(growing.me, ripe)
                late = await self.way.insight(growing.life, about, dice)
                insight, calls = late.insights.get(ripe.id), late.calls
                problems += late.problems
            if insight is not None:
                growing.settle(ripe, insight, calls)
        return problems

    def _crowd(self, growing: Growing) -> None:
        """Forget the least important and least enhanced thoughts until the rest fits.

        Enhancers of a thought that has settled go first: its insight stands for them. Thoughts that
        wait for their insight go last.
        """
        spent = {by for thought in growing.long for by in thought.enhancers}
        short = sorted(
            growing.short,
            key=lambda thought: (
                self.long and len(thought.enhancers) >= self.enhancements,
                thought.id not in spent,
                thought.weight,
                len(thought.enhancers),
                thought.at,
                thought.id,
            ),
        )
        for thought in short[: max(0, len(short) - self.capacity)]:
            growing.forget(thought.id, "crowded")

    async def _reflect(self, growing: Growing, taken: Taken) -> list[str]:
        """Add the reflections, and merge long-term thoughts that say the same."""
        ids = {thought.id for thought in growing.long}
        for insight in taken.reflections:
            sources = [source for source in insight.sources if source in ids]
            if sources:
                growing.reflect(insight.text, sources, "reflection", taken.calls)
        try:
            groups = await self._alike(growing.long)
        except NoVectors as lack:
            return [f"no vectors: {lack}"]
        for alike in groups:
            growing.merge(alike)
        return []

    async def _alike(self, thoughts: Thoughts) -> list[list[Thought]]:
        """Return groups of thoughts that are highly similar to the most important of each."""
        vectors = await self.embedder.embed([thought.text for thought in thoughts])
        alike = near(vectors, (await self._levels()).merge)
        order = sorted(range(len(thoughts)), key=lambda row: (-thoughts[row].weight, row))
        left, groups = set(order), []
        for row in order:
            if row in left:
                group = [other for other in order if other in left and alike[row, other]]
                left -= set(group) | {row}
                if len(group) > 1:
                    groups.append([thoughts[other] for other in sorted(group)])
        return groups

    async def _resembling(
        self, life: Life, texts: Sequence[str], about: Sequence[tuple[int, ...]]
    ) -> Bools:
        """Return which pairs resemble each other, in their words or in the items they are about."""
        alike = near(await self.embedder.embed(texts), (await self._levels()).enhance)
        if not self.related:
            return alike
        return alike | akin([_tags(life, items) for items in about], self.related)

    async def _levels(self) -> Thresholds:
        if self._thresholds is None:
            wanted = self._wanted
            own = wanted if wanted.enhance and wanted.merge else await thresholds_of(self.embedder)
            self._thresholds = replace(
                own, enhance=wanted.enhance or own.enhance, merge=wanted.merge or own.merge
            )
        return self._thresholds


def near(vectors: Vectors, level: float) -> Bools:
    """Return which pairs of vectors are at least as similar as `level`."""
    similarity = np.einsum("ad,bd->ab", vectors, vectors)
    return np.asarray(np.round(similarity, 6) >= level)


def akin(tags: Sequence[frozenset[str]], share: float) -> Bools:
    """Return which pairs have at least a share of their tags in common (Jaccard)."""
    related = np.zeros((len(tags), len(tags)), np.bool_)
    for row, some in enumerate(tags):
        for column in range(row):
            others = tags[column]
            if some and others and len(some & others) >= share * len(some | others):
                related[row, column] = related[column, row] = True
    return related


def _tags(life: Life, items: Sequence[int]) -> frozenset[str]:
    return frozenset(tag for item in items for tag in life.catalogue[item].tags)


def _with_enhancers(me: Agent, thought: Thought) -> tuple[Thought, ...]:
    return (thought, *(other for other in me.thoughts if other.id in thought.enhancers))
