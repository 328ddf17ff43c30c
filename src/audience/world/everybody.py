"""Everybody there is, by id, made only when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audience.world.agent import Agent, Lived
from audience.world.genesis import Genesis
from audience.world.rng import Ints
from audience.world.taste import taste_of


class Everybody(Sequence[Agent]):
    """Everybody by id. Somebody who never acted is made from its profile when looked at."""

    def __init__(self, genesis: Genesis) -> None:
        self._profiles = genesis.profiles
        self._tag_ids = genesis.catalogue.tag_ids
        self._past = genesis.past
        self._starts: Ints | None = None
        self.changed: dict[int, Agent] = {}
        self._added = 0

    def __len__(self) -> int:
        return len(self._profiles) + self._added

    def __getitem__(self, agent: int) -> Agent:  # type: ignore[override]
        found = self.changed.get(agent)
        if found is not None:
            return found
        if agent < 0 or agent >= len(self._profiles):
            raise IndexError(agent)
        profile = self._profiles[agent]
        taste = taste_of(profile, self._tag_ids)
        return Agent(profile, taste, history=self._lived(agent) if self._past else ())

    def __setitem__(self, agent: int, value: Agent) -> None:
        self.changed[agent] = value

    def __iter__(self) -> Iterator[Agent]:
        return (self[agent] for agent in range(len(self)))

    def _lived(self, agent: int) -> tuple[Lived, ...]:
        if self._starts is None:
            owners = np.fromiter((one.agent for one in self._past), np.int64, len(self._past))
            self._order = np.argsort(owners, kind="stable")
            self._starts = np.searchsorted(owners[self._order], np.arange(len(self._profiles) + 1))
        rows = self._order[self._starts[agent] : self._starts[agent + 1]].tolist()
        past = [self._past[row] for row in rows]
        return tuple(Lived(one.item, one.at, one.fraction, one.stars) for one in past)

    def add(self, agent: Agent) -> None:
        self.changed[agent.profile.id] = agent
        self._added += 1
