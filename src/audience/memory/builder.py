"""Builds the events of one agent's consolidation, folding each as it is added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audience.memory.consolidation import Insight, Sensed
from audience.memory.memory import Life
from audience.world import Laws, Thought, Thoughts, events as e, fold_agent

ITEMS = 5
"""The most items that a thought drawn from others names."""


class Growing:
    """An agent during consolidation, and the entries that changed it."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.me = life.me
        self.entries: list[e.Entry] = []
        self._laws = Laws(life.catalogue, 0.0)
        self._who = life.me.profile.id

    @property
    def short(self) -> Thoughts:
        return tuple(thought for thought in self.me.thoughts if thought.store == "short")

    @property
    def long(self) -> Thoughts:
        return tuple(thought for thought in self.me.thoughts if thought.store == "long")

    def emit(self, event: e.AnyEvent, calls: tuple[str, ...] = ()) -> None:
        self.entries.append(e.Entry(event, "", calls))
        self.me = fold_agent(self.me, event, self._laws)

    def remember(
        self, sensed: Sensed, store: str, kind: str = "observation", calls: tuple[str, ...] = ()
    ) -> int:
        """Add a sentence to a store and return its id."""
        number, seen = self.me.thoughts_had, sensed.observed
        weight = round(sensed.weight, 6)
        event = e.Remembered(
            self._who, number, sensed.text, weight, seen.at, kind, store, seen.items[:ITEMS]
        )
        self.emit(event, calls)
        return number

    def enhance(self, thought: int, by: int) -> None:
        self.emit(e.Enhanced(self._who, thought, by))

    def settle(self, thought: Thought, insight: Insight, calls: tuple[str, ...]) -> None:
        """Move a thought to long-term memory, with the insight from it and its enhancers."""
        self.reflect(insight.text, (thought.id, *thought.enhancers), "insight", calls)
        self.emit(e.Settled(self._who, thought.id))

    def reflect(
        self, text: str, sources: Sequence[int], kind: str, calls: tuple[str, ...] = ()
    ) -> None:
        """Add a long-term thought drawn from others, as important as the most important of them."""
        of = [thought for thought in self.me.thoughts if thought.id in set(sources)]
        weight = max((thought.weight for thought in of), default=0.0)
        number, now = self.me.thoughts_had, self.life.now
        event = e.Reflected(self._who, number, text, weight, now, tuple(sources), kind, _items(of))
        self.emit(event, calls)

    def merge(self, alike: Sequence[Thought]) -> None:
        """Replace several thoughts that say the same by the most important of them."""
        said = max(alike, key=lambda thought: (thought.weight, thought.at, thought.id))
        event = e.Merged(
            self._who,
            self.me.thoughts_had,
            said.text,
            said.weight,
            max(thought.touched for thought in alike),
            tuple(thought.id for thought in alike),
            said.kind,
            _items(alike),
        )
        self.emit(event)

    def forget(self, thought: int, why: str) -> None:
        self.emit(e.Forgot(self._who, thought, why))

    def fail(self, problems: Iterable[str], calls: tuple[str, ...]) -> None:
        """Record each problem once in this round."""
        for problem in dict.fromkeys(problems):
            self.emit(e.Failed(self._who, f"memory: {problem}"), calls)


def _items(thoughts: Iterable[Thought]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(item for thought in thoughts for item in thought.items))[:ITEMS]
