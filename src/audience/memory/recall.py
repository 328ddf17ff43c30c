"""Recalling: all of short-term memory and the best of long-term, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.llm import Batcher, Embedder, NoVectors, Vectors
from audience.memory.forgetting_curve import recency
from audience.memory.memory import Recollection
from audience.memory.sentences import tokens
from audience.memory.vector_index import Span, VectorIndex, best
from audience.world import Agent, Thought

AT_ONCE = 8_192
"""Texts embedded at once, which bounds memory use."""
LINE = 2
"""Tokens of a list item besides its words."""


class Want(msgspec.Struct, frozen=True):
    """A request to recall: who, by which cue, and when."""

    me: Agent
    cue: str
    now: int
    limit: int


class Recaller:
    """Serves all requests of one turn of the event loop as one batch."""

    def __init__(self, embedder: Embedder, *, decay: float, budget: int) -> None:
        if not 0 < decay <= 1:
            raise BadInput(f"memory: decay is {decay}; it has to be above 0 and at most 1")
        if budget < 0:
            raise BadInput(f"memory: budget is {budget}; give a number of tokens, 0 or more")
        self.embedder = embedder
        self.decay = decay
        self.budget = budget
        self._arena = VectorIndex(0)
        self._together = Batcher(self.recall_many)

    async def recall(self, want: Want) -> Recollection:
        """Return what comes to mind, batched with other requests."""
        return await self._together.ask(want) if want.me.thoughts else Recollection()

    async def recall_many(self, wants: Sequence[Want]) -> list[Recollection]:
        """Return what comes to mind for each request, as it would alone."""
        spans, cues = await self._ready(wants)
        nows = np.array([want.now for want in wants], np.int64)
        limit = max((want.limit for want in wants), default=0)
        long = best(spans, cues, nows, limit, self.decay)
        return [
            self._within_budget(want, span.short, [thought for _, thought in found[: want.limit]])
            for want, span, found in zip(wants, spans, long, strict=True)
        ]

    async def _ready(self, wants: Sequence[Want]) -> tuple[list[Span], Vectors]:
        """Return spans and cues with their vectors, zeros where there are none."""
        people = [want.me for want in wants]
        try:
            cues = await self.embedder.embed([want.cue for want in wants])
        except NoVectors:
            cues = np.zeros((len(wants), self._arena.size), np.float32)
        if cues.shape[1] != self._arena.size:
            self._arena = VectorIndex(cues.shape[1])
        spans = self._arena.spans(people)
        await self._fill(spans)
        return spans, cues

    async def _fill(self, spans: Sequence[Span]) -> None:
        """Embed the missing vectors of spans in batches; after a failure they stay missing."""
        lacking = [span for span in spans if span.missing]
        while lacking:
            some: list[Span] = []
            texts: list[str] = []
            while lacking and len(texts) < AT_ONCE:
                span = lacking.pop()
                some.append(span)
                texts += [span.thoughts[row].text for row in span.missing]
            try:
                vectors = await self.embedder.embed(texts)
            except NoVectors:
                continue
            if vectors.shape[1] == self._arena.size:
                _write(some, vectors)

    def _within_budget(
        self, want: Want, short: Sequence[Thought], long: Sequence[Thought]
    ) -> Recollection:
        wanted = [*long, *short]
        room = self.budget - sum(LINE + tokens(thought.text) for thought in wanted)
        if room >= 0:
            return Recollection(tuple(wanted))
        touched = np.array([thought.touched for thought in wanted], np.int64)
        value = recency(want.now, touched, self.decay) + [thought.weight for thought in wanted]
        cut: set[int] = set()
        for place in np.argsort(value, kind="stable").tolist():
            if room >= 0:
                break
            room += LINE + tokens(wanted[place].text)
            cut.add(place)
        kept = tuple(thought for place, thought in enumerate(wanted) if place not in cut)
        return Recollection(kept, len(cut))


def _write(spans: Sequence[Span], vectors: Vectors) -> None:
    begin = 0
    for span in spans:
        end = begin + len(span.missing)
        span.rows[span.missing] = vectors[begin:end]
        span.missing, begin = [], end
