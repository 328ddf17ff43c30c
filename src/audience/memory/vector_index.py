"""Vectors of long-term thoughts: blocks of float32 with a span for each agent.

Derived from thoughts and never stored: what is missing is embedded when needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from audience.llm import Vectors
from audience.memory.forgetting_curve import recency
from audience.world import Agent, Floats, Ints, Thought, Thoughts

BLOCK = 16_384
"""Rows of a block; a longer span gets its own block."""
STEP = 16
"""The length of a span is a multiple of this."""


class Span:
    """One agent's thoughts: short-term ones as they are, long-term ones as columns."""

    __slots__ = ("ids", "missing", "rows", "seen", "short", "thoughts", "touched", "weights")

    def __init__(self, rows: Vectors) -> None:
        self.rows = rows
        self.seen: Thoughts | None = None
        self.short: list[Thought] = []
        self.thoughts: list[Thought] = []
        self.ids: list[int] = []
        self.missing: list[int] = []
        """Rows whose vectors have not been written yet."""
        self.weights: Floats = np.empty(0)
        self.touched: Ints = np.empty(0, np.int64)

    def holds(self, now: list[Thought]) -> bool:
        """Return True if these are the held thoughts, perhaps with more at the end."""
        held = self.thoughts
        if not held:
            return not self.ids
        last = len(held) - 1
        return now[0].text == held[0].text and now[last].text == held[last].text


class VectorIndex:
    """Spans of one embedder's vectors, by agent id."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._spans: dict[int, Span] = {}
        self._free: dict[int, list[Vectors]] = defaultdict(list)
        self._rest: Vectors = np.empty((0, size), np.float32)

    def spans(self, people: Sequence[Agent]) -> list[Span]:
        """Return the current spans of these agents, some rows possibly missing."""
        return [self._span(me) for me in people]

    def _span(self, me: Agent) -> Span:
        id_ = me.profile.id
        span = self._spans.get(id_)
        if span is None:
            span = self._spans[id_] = Span(self._taken(STEP))
        if span.seen is not me.thoughts:
            self._update(span, me.thoughts)
        return span

    def _update(self, span: Span, thoughts: Thoughts) -> None:
        now = [thought for thought in thoughts if thought.store == "long"]
        ids = [thought.id for thought in now]
        held = len(span.ids)
        if ids[:held] != span.ids or not span.holds(now) or len(now) > len(span.rows):
            self._move(span, now)
        else:
            span.missing += range(held, len(now))
        if ids != span.ids:
            span.weights = np.array([thought.weight for thought in now], np.float64)
        span.seen, span.thoughts, span.ids = thoughts, now, ids
        span.short = [thought for thought in thoughts if thought.store == "short"]
        span.touched = np.array([thought.accessed or thought.at for thought in now], np.int64)

    def _move(self, span: Span, now: list[Thought]) -> None:
        """Move a span to new rows, keeping the vectors of thoughts that stayed."""
        lacking = set(span.missing)
        places = {
            (thought.id, thought.text): row
            for row, thought in enumerate(span.thoughts)
            if row not in lacking
        }
        before = [places.get((thought.id, thought.text), -1) for thought in now]
        rows = self._taken(len(now) + len(now) // 8)
        kept = [row for row, place in enumerate(before) if place >= 0]
        rows[kept] = span.rows[[before[row] for row in kept]]
        self._free[len(span.rows)].append(span.rows)
        span.rows = rows
        span.missing = [row for row, place in enumerate(before) if place < 0]

    def _taken(self, rows: int) -> Vectors:
        room = max(STEP, -(-rows // STEP) * STEP)
        if self._free[room]:
            return self._free[room].pop()
        if room > len(self._rest):
            self._rest = np.zeros((max(BLOCK, room), self.size), np.float32)
        taken, self._rest = self._rest[:room], self._rest[room:]
        return taken


def best(
    spans: Sequence[Span], cues: Vectors, nows: Ints, limit: int, decay: float
) -> list[list[tuple[float, Thought]]]:
    """Return each agent's `limit` best thoughts by recency + importance + relevance, best first.

    One batched operation, in which each row is as it would be alone; the older of equals wins.
    """
    longest = max((len(span.thoughts) for span in spans), default=0)
    if not longest or limit < 1:
        return [[] for _ in spans]
    shape = (len(spans), longest)
    near, weights = np.zeros(shape, np.float32), np.full(shape, -4.0)
    touched = np.zeros(shape, np.int64)
    for row, span in enumerate(spans):
        count = len(span.thoughts)
        if count:
            np.einsum("td,d->t", span.rows[:count], cues[row], out=near[row, :count])
            weights[row, :count] = span.weights
            touched[row, :count] = span.touched
    scores = recency(nows[:, None], touched, decay) + weights + np.maximum(near, 0.0)
    ordered = np.round(scores * 1e6).astype(np.int64) * longest + np.arange(longest)[::-1]
    most = min(limit, longest)
    top = np.argpartition(-ordered, most - 1, axis=1)[:, :most]
    top = np.take_along_axis(top, np.argsort(-np.take_along_axis(ordered, top, 1), axis=1), 1)
    return [
        [(float(scores[row, at]), span.thoughts[at]) for at in places if at < len(span.thoughts)]
        for row, (span, places) in enumerate(zip(spans, top.tolist(), strict=True))
    ]
